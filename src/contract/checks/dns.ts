import { z } from "zod";
import { listOf } from "../list-of.ts";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, comparisons, EvaluatedAssertions, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits, timedSettings } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";
import { ignoredReads, ignoredScripts, ignoredScriptsUpdate } from "./ignored.ts";

/** One assertion of a DNS monitor (behaviour 2.1). */
export const DnsAssertion = assertionSchema("DnsAssertion", ["RESPONSE_TIME", "RESPONSE_CODE", "TEXT_ANSWER", "JSON_ANSWER"], comparisons);
export type DnsAssertion = z.output<typeof DnsAssertion>;

/** The first eight are the contract's, the others ours (behaviour 2.4). */
export const DnsRecordType = z.enum(["A", "AAAA", "CNAME", "MX", "TXT", "SOA", "NS", "HTTPS", "SRV", "PTR", "CAA", "TLSA", "NAPTR"]);
export type DnsRecordType = z.output<typeof DnsRecordType>;

/** UDP falls back to TCP where the answer is truncated. DOT (RFC 7858) and DOH (RFC 8484) are ours. */
export const DnsProtocol = z.enum(["UDP", "TCP", "DOT", "DOH"]);
export type DnsProtocol = z.output<typeof DnsProtocol>;

const requestFields = {
  query: z.string().min(1).max(100),
  recordType: DnsRecordType,
  nameServer: z.string().max(100).optional().describe("name or address; DOH: also a whole https URL. The system's servers when absent"),
  port: z.int().min(1).max(65_535).optional().describe("53 by default; DOT 853, DOH 443"),
  protocol: DnsProtocol,
  skipSSL: z.boolean().describe("DOT and DOH: relaxes trust only"),
  assertions: z.array(DnsAssertion).max(maxAssertions),
};

/** The question that a DNS monitor asks (behaviour 2.4). */
export const DnsRequest = z
  .object(withDefaults(requestFields, { protocol: "UDP", skipSSL: false, assertions: [] }))
  .meta({ id: "DnsRequest" });
export type DnsRequest = z.output<typeof DnsRequest>;

/** The request in a partial update: what is omitted keeps its value; arrays replace. */
export const DnsRequestUpdate = z
  .object(requestFields)
  .partial()
  .required({ query: true, recordType: true })
  .meta({ id: "DnsRequestUpdate" });

/** What a runner needs to know of a DNS monitor, and what the verdict is judged by. An empty name server is none. */
export const DnsCheckSettings = z.object({
  request: DnsRequest.overwrite(({ nameServer, ...request }) => (nameServer ? { ...request, nameServer } : request)),
  ...timedSettings,
});
export type DnsCheckSettings = z.output<typeof DnsCheckSettings>;

/** The schemas of DNS monitors (behaviour 2.3). */
export const dnsCheck = checkSchemas("DNS", {
  id: "DnsCheck",
  title: "DNS monitor",
  writable: responseTimeLimits(5_000),
  defaults: { degradedResponseTime: 500, maxResponseTime: 1000 },
  request: DnsRequest,
  requestUpdate: DnsRequestUpdate,
  accepts: { create: ignoredScripts, update: { ...ignoredScriptsUpdate, ...ignoredReads } },
});

/** `name` ends in a dot; `data` is written as in a zone file (behaviour 2.4). */
export const DnsRecord = z.object({ name: z.string(), type: z.string(), TTL: z.number(), data: z.string() });
export type DnsRecord = z.infer<typeof DnsRecord>;

/** A message of 64 KB has room for no more. */
const Section = listOf(DnsRecord, 6000);

/** The JSON answer object of behaviour 2.4, with the other sections beside it. */
export const DnsAnswer = z.object({
  Status: z.number().describe("response code as a number, 0 is NOERROR"),
  TC: z.boolean(),
  RD: z.boolean(),
  RA: z.boolean(),
  AD: z.boolean(),
  CD: z.boolean(),
  AA: z.boolean(),
  Question: z.array(z.object({ name: z.string(), type: z.string() })).max(100),
  Answer: Section,
  Authority: Section,
  Additional: Section,
});
export type DnsAnswer = z.infer<typeof DnsAnswer>;

/** `dnsCheckResult`: what one attempt of a DNS monitor saw (behaviour 3). */
export const DnsCheckResult = z
  .object({
    request: z.object({
      query: z.string(),
      recordType: z.string(),
      nameServer: z.string().nullable(),
      port: z.number().nullable(),
      protocol: DnsProtocol,
    }),
    response: z
      .object({
        responseCode: z.string().describe("NOERROR, NXDOMAIN, SERVFAIL …"),
        answer: DnsAnswer,
        text: z.string().describe("the answer as dig prints it"),
        server: z.string().describe("address and port of the server that answered"),
        protocolUsed: z.string().describe("UDP, TCP, DOT, DOH, or UDP>TCP after a truncated answer"),
        bytes: z.number().int(),
        edns: z.object({ version: z.number(), udpPayloadSize: z.number(), do: z.boolean(), options: z.array(z.string()) }).nullable(),
        tried: z
          .array(z.object({ server: z.string(), error: z.string() }))
          .max(100)
          .describe("servers that were asked before and did not answer"),
        timingPhases: z.object({ connection: z.number(), query: z.number(), total: z.number() }),
      })
      .nullable(),
    assertions: EvaluatedAssertions,
    requestError: z.string().nullable(),
  })
  .meta({ id: "DnsCheckResult" });
export type DnsCheckResult = z.infer<typeof DnsCheckResult>;

export const dnsTraits = { ...probeTraits, shownTime: "total" } as const satisfies CheckTraits;
