import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";

export const TracerouteAssertion = assertionSchema(
  "TracerouteAssertion",
  ["RESPONSE_TIME", "HOP_COUNT", "PACKET_LOSS"],
  ["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"],
);

const requestFields = {
  url: z.string().min(1).max(2048).describe("name or address"),
  protocol: z.enum(["TCP", "ICMP", "UDP", "SCTP"]).nullable(),
  port: z.int().min(1).max(65_535).nullable(),
  ipFamily: z.enum(["IPv4", "IPv6"]).nullable(),
  maxHops: z.int().min(1).max(64).nullable(),
  maxUnknownHops: z.int().min(1).max(30).nullable(),
  ptrLookup: z.boolean().nullable(),
  timeout: z.int().min(1).max(30).nullable().describe("seconds"),
  assertions: z.array(TracerouteAssertion).max(maxAssertions),
};
const none = { protocol: null, port: null, ipFamily: null, maxHops: null, maxUnknownHops: null, ptrLookup: null, timeout: null };

/** The schemas of traceroute monitors (reference). */
export const tracerouteCheck = checkSchemas("TRACEROUTE", {
  id: "TracerouteCheck",
  title: "traceroute monitor",
  writable: responseTimeLimits(30_000),
  defaults: { degradedResponseTime: null, maxResponseTime: null },
  request: z.object(withDefaults(requestFields, { ...none, assertions: [] })).meta({ id: "TracerouteRequest" }),
  requestUpdate: z.object(requestFields).partial().meta({ id: "TracerouteRequestUpdate" }),
});

export const tracerouteTraits = { ...probeTraits, summary: ["responseTime", "hopCount"] } as const satisfies CheckTraits;
