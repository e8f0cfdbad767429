import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, EvaluatedAssertions, maxAssertions } from "./assertion.ts";
import { checkSchemas } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";
import { ignoredScripts, ignoredScriptsUpdate, ignoredTimes, ignoredTimesUpdate } from "./ignored.ts";

/** One assertion of an ICMP monitor (behaviour 2.1). */
export const IcmpAssertion = assertionSchema(
  "IcmpAssertion",
  ["LATENCY", "JSON_RESPONSE"],
  ["EQUALS", "NOT_EQUALS", "IS_EMPTY", "NOT_EMPTY", "GREATER_THAN", "LESS_THAN", "CONTAINS", "NOT_CONTAINS", "IS_NULL", "NOT_NULL"],
);
export type IcmpAssertion = z.output<typeof IcmpAssertion>;

const requestFields = {
  hostname: z.string().min(1).max(2048),
  ipFamily: z.enum(["IPv4", "IPv6"]).nullable(),
  pingCount: z.int().min(1).max(50).nullable().describe("echo requests, 500 ms apart; null is 10"),
  assertions: z.array(IcmpAssertion).max(maxAssertions),
};

/** The echo requests of an ICMP monitor (behaviour 2.4). */
export const IcmpRequest = z
  .object(withDefaults(requestFields, { ipFamily: "IPv4", pingCount: 10, assertions: [] }))
  .meta({ id: "IcmpRequest" });
export type IcmpRequest = z.output<typeof IcmpRequest>;

/** The request in a partial update: what is omitted keeps its value; arrays replace. */
export const IcmpRequestUpdate = z.object(requestFields).partial().required({ hostname: true }).meta({ id: "IcmpRequestUpdate" });

/** What a runner needs to know of an ICMP monitor, and what the verdict is judged by: loss in percent. */
export const IcmpCheckSettings = z.object({
  request: IcmpRequest,
  shouldFail: z.boolean().default(false),
  degradedPacketLossThreshold: z.number().nullable(),
  maxPacketLossThreshold: z.number().nullable(),
});
export type IcmpCheckSettings = z.output<typeof IcmpCheckSettings>;

const PacketLoss = z.number().min(0).max(100).nullable();

/** The schemas of ICMP monitors (behaviour 2.3). */
export const icmpCheck = checkSchemas("ICMP", {
  id: "IcmpCheck",
  title: "ICMP monitor",
  writable: {
    degradedPacketLossThreshold: PacketLoss.describe("percent of lost packets above which the check counts as degraded"),
    maxPacketLossThreshold: PacketLoss.describe("percent of lost packets above which the check counts as failing"),
  },
  defaults: { degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
  request: IcmpRequest,
  requestUpdate: IcmpRequestUpdate,
  accepts: { create: { ...ignoredScripts, ...ignoredTimes }, update: { ...ignoredScriptsUpdate, ...ignoredTimesUpdate } },
});

const Ms = z.number().nullable().describe("milliseconds; null when no reply came");

/** One echo request. `type` and `code` are those of the ICMP message that answered: a reply, or an error of a router. */
export const Ping = z.object({
  sequence: z.number().int(),
  type: z.number().int().nullable(),
  code: z.number().int().nullable(),
  success: z.boolean(),
  rtt: Ms,
  ttl: z.number().int().nullable(),
});
export type Ping = z.infer<typeof Ping>;

/** The ICMP answer object of behaviour 2.4. */
export const IcmpAnswer = z.object({
  hostname: z.string(),
  resolvedIp: z.string(),
  ipFamily: z.enum(["IPv4", "IPv6"]),
  pingCount: z.number().int(),
  packetsSent: z.number().int(),
  packetsReceived: z.number().int(),
  packetSize: z.number().int().describe("data bytes of each echo request"),
  packetLoss: z.number().describe("percent"),
  dnsResolutionTime: z.number().describe("milliseconds"),
  latency: z.object({ avg: Ms, min: Ms, max: Ms, stdDev: Ms }),
  pingResults: z.array(Ping).max(50),
});
export type IcmpAnswer = z.infer<typeof IcmpAnswer>;

/** `icmpCheckResult`: what one attempt of an ICMP monitor saw (behaviour 3). */
export const IcmpCheckResult = z
  .object({
    request: z.object({ hostname: z.string(), ipFamily: z.enum(["IPv4", "IPv6"]), pingCount: z.number().int() }),
    response: IcmpAnswer.nullable(),
    assertions: EvaluatedAssertions,
    requestError: z.string().nullable(),
  })
  .meta({ id: "IcmpCheckResult" });
export type IcmpCheckResult = z.infer<typeof IcmpCheckResult>;

/** Pings half a second apart. */
export const icmpTraits = {
  ...probeTraits,
  onlyWaits: true,
  duration: "latencyAvg",
  shownTime: "latencyAvg",
  summary: ["latencyAvg", "packetLoss"],
} as const satisfies CheckTraits;
