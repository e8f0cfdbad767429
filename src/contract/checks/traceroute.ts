import { z } from "zod";
import { listOf } from "../list-of.ts";
import { plainText } from "../primitives.ts";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, EvaluatedAssertions, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits, timedSettings } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";

/** One assertion of a traceroute monitor (behaviour 2.1). RESPONSE_TIME is the target's, its property `avg`, `min`, `max` or `stdDev`. */
export const TracerouteAssertion = assertionSchema(
  "TracerouteAssertion",
  ["RESPONSE_TIME", "HOP_COUNT", "PACKET_LOSS"],
  ["EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_THAN"],
);

const requestFields = {
  url: z.string().min(1).max(2048).regex(plainText, "must not hold control characters").describe("name or address"),
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

/** What a traceroute monitor looks for, and by what (reference). Null is the default of who runs it. */
export const TracerouteRequest = z.object(withDefaults(requestFields, { ...none, assertions: [] })).meta({ id: "TracerouteRequest" });
export type TracerouteRequest = z.output<typeof TracerouteRequest>;

/** What a runner needs to know of a traceroute monitor, and what the verdict is judged by. */
export const TracerouteCheckSettings = z.object({ request: TracerouteRequest, ...timedSettings });
export type TracerouteCheckSettings = z.output<typeof TracerouteCheckSettings>;

/** The schemas of traceroute monitors (reference). */
export const tracerouteCheck = checkSchemas("TRACEROUTE", {
  id: "TracerouteCheck",
  title: "traceroute monitor",
  writable: responseTimeLimits(30_000),
  defaults: { degradedResponseTime: null, maxResponseTime: null },
  request: TracerouteRequest,
  requestUpdate: z.object(requestFields).partial().meta({ id: "TracerouteRequestUpdate" }),
});

const Ms = z.number().nullable().describe("milliseconds; null when no answer came");
const Latency = z.object({ avg: Ms, min: Ms, max: Ms, stdDev: Ms });
const Address = z.string().max(64);
/** Routers that may be told of one hop; equal ways are seldom more than that. */
const maxOthers = 32;

/** One hop of a path: who threw away what may pass that many routers, or the target itself. */
export const TracerouteHop = z.object({
  hop: z.int().describe("from 1"),
  address: Address.nullable().describe("who answered most often; null for a silent hop"),
  hostname: z.string().max(253).nullable().describe("by its PTR record; null where there is none, or none was asked for"),
  addresses: listOf(Address, maxOthers).describe("everybody who answered this flow, in the order of their first answers"),
  alternatives: listOf(Address, maxOthers).describe("who answered other flows: equal ways (ECMP)"),
  packetsSent: z.int(),
  packetsReceived: z.int(),
  packetLoss: z.number().describe("percent"),
  latency: Latency,
});
export type TracerouteHop = z.infer<typeof TracerouteHop>;

/** A path as it was seen. */
export const TracerouteAnswer = z.object({
  hostname: z.string(),
  resolvedIp: z.string(),
  ipFamily: z.enum(["IPv4", "IPv6"]),
  port: z.int().nullable().describe("null for ICMP, which has none"),
  protocol: z.enum(["TCP", "UDP", "ICMP"]),
  probeProtocol: z.string().describe("what was sent: TCP SYN, UDP datagram, ICMP echo or ICMPv6 echo"),
  totalHops: z.int().describe("to the target, or to the last hop that answered"),
  destinationReached: z.boolean(),
  destinationState: z.string().nullable().describe("what the target answered: open, refused, port unreachable or answers"),
  truncationReason: z
    .enum(["max_hops", "max_unknown_hops", "timeout", "unreachable", "unsent"])
    .optional()
    .describe("why the path ends before the target; absent where it was reached and all was asked"),
  refusal: z
    .object({ hop: z.int(), address: Address.nullable(), says: z.string() })
    .nullable()
    .describe("who on the way said no, for packets that may pass how many routers, and what"),
  packetLoss: z.number().describe("percent, at the target; 100 where it was not reached"),
  finalHopLatency: Latency.nullable().describe("null where the target was not reached"),
  hops: listOf(TracerouteHop, 64),
});
export type TracerouteAnswer = z.infer<typeof TracerouteAnswer>;

/** `tracerouteCheckResult`: what one attempt of a traceroute monitor saw (reference). */
export const TracerouteCheckResult = z.object({
  totalHops: z.int().optional(),
  destinationReached: z.boolean(),
  finalHopLatency: Latency.nullable(),
  timingPhases: z.object({ dns: z.number(), trace: z.number(), names: z.number(), total: z.number() }).nullable(),
  request: z.object({
    url: z.string(),
    protocol: z.enum(["TCP", "ICMP", "UDP", "SCTP"]),
    port: z.int().nullable(),
    ipFamily: z.enum(["IPv4", "IPv6"]),
    maxHops: z.int(),
    maxUnknownHops: z.int(),
    ptrLookup: z.boolean(),
    timeout: z.int().describe("seconds"),
  }),
  response: TracerouteAnswer.nullable(),
  assertions: EvaluatedAssertions,
  requestError: z.string().nullable(),
});
export type TracerouteCheckResult = z.infer<typeof TracerouteCheckResult>;

/** Probes that wait for answers. */
export const tracerouteTraits = { ...probeTraits, onlyWaits: true, summary: ["responseTime", "hopCount"] } as const satisfies CheckTraits;
