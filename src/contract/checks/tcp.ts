import { z } from "zod";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, EvaluatedAssertions, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits, timedSettings } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";
import { ConnectionFacts, StartTls } from "./connection.ts";

/** One assertion of a TCP check (behaviour 2.1). */
export const TcpAssertion = assertionSchema(
  "TcpAssertion",
  ["RESPONSE_DATA", "RESPONSE_TIME"],
  ["EQUALS", "NOT_EQUALS", "IS_EMPTY", "NOT_EMPTY", "LESS_THAN", "GREATER_THAN", "CONTAINS", "NOT_CONTAINS"],
);
export type TcpAssertion = z.output<typeof TcpAssertion>;

const Host = z.string().min(1).max(2048);
const Data = z.string().min(1).max(65_536).nullable();

const requestFields = {
  hostname: Host.optional().describe("name or address; `url` is another name for it, and one of the two is needed"),
  url: Host.optional().describe("another name for `hostname`"),
  port: z.int().min(1).max(65_535),
  data: Data.describe("what is sent after the connection stands; `body` is another name for it"),
  body: Data.describe("another name for `data`"),
  ipFamily: z.enum(["IPv4", "IPv6"]),
  assertions: z.array(TcpAssertion).max(maxAssertions),
  tls: z.boolean().describe("speak TLS from the first byte"),
  startTls: StartTls.nullable().describe("begin in the clear and turn to TLS the protocol's own way"),
  skipSSL: z.boolean().describe("relaxes trust only; expiry is still recorded"),
  expect: z.string().max(2000).nullable().describe("a regular expression; reading ends where what came matches it"),
};

/**
 * The connection that a TCP check makes (behaviour 2.4). `tls`, `startTls`, `skipSSL` and `expect` are ours. Both names of the
 * host and of the data come back, whichever was given.
 */
export const TcpRequest = z
  .object(
    withDefaults(requestFields, {
      data: null,
      body: null,
      ipFamily: "IPv4",
      assertions: [],
      tls: false,
      startTls: null,
      skipSSL: false,
      expect: null,
    }),
  )
  .overwrite((request) => bothNames(request))
  .refine(({ hostname }) => hostname !== undefined, { path: ["hostname"], message: "is required" })
  .meta({ id: "TcpRequest", allOf: [{ anyOf: [{ required: ["hostname"] }, { required: ["url"] }] }] });
export type TcpRequest = z.output<typeof TcpRequest>;

/** The request in a partial update. What is given under the other name counts as given under the first. */
export const TcpRequestUpdate = z
  .object(requestFields)
  .partial()
  .required({ port: true })
  .overwrite((change) => firstNames(change))
  .meta({ id: "TcpRequestUpdate" });

interface Named {
  hostname?: string | undefined;
  url?: string | undefined;
  data?: string | null | undefined;
  body?: string | null | undefined;
}

function bothNames<Request extends Named>(request: Request): Request {
  const hostname = request.hostname ?? request.url;
  const data = request.data ?? request.body;
  return { ...request, hostname, url: hostname, data, body: data };
}

/** The other names are left out, so that they do not bring back what is stored under them. */
function firstNames<Change extends Named>({ url, body, ...change }: Change): Change {
  const named = { ...change, ...(change.hostname === undefined && url !== undefined && { hostname: url }) };
  const withData = change.data === undefined && body !== undefined ? { ...named, data: body } : named;
  // A null under the first name must win over what is stored under the second.
  return { ...withData, ...("hostname" in withData && { url: undefined }), ...("data" in withData && { body: null }) } as unknown as Change;
}

/** What a runner needs to know of a TCP check, and what the verdict is judged by. A request without `hostname` was refused above. */
export const TcpCheckSettings = z.object({
  request: TcpRequest.transform(({ hostname = "", ...request }) => ({ ...request, hostname })),
  ...timedSettings,
});
export type TcpCheckSettings = z.output<typeof TcpCheckSettings>;

/** The schemas of TCP checks (behaviour 2.3). */
export const tcpCheck = checkSchemas("TCP", {
  id: "TcpCheck",
  title: "TCP check",
  writable: responseTimeLimits(5_000),
  defaults: { degradedResponseTime: 3000, maxResponseTime: 5000 },
  request: TcpRequest,
  requestUpdate: TcpRequestUpdate,
});

/** Lengths of the phases, ms; they sum to `total`. TLS and STARTTLS belong to `connection`. */
export const TcpTimingPhases = z.object({ dns: z.number(), connection: z.number(), data: z.number(), total: z.number() });

/** `tcpCheckResult`: what one attempt of a TCP check saw (behaviour 3). */
export const TcpCheckResult = z
  .object({
    request: z.object({
      hostname: z.string(),
      port: z.number(),
      ipFamily: z.enum(["IPv4", "IPv6"]),
      data: z.string().nullable(),
      tls: z.boolean(),
      startTls: StartTls.nullable(),
      expect: z.string().nullable(),
    }),
    response: z
      .object({
        data: z.string().max(400_000).describe("what the target sent, its first 64 KB; base64 where it is no text"),
        dataEncoding: z.enum(["base64"]).optional(),
        truncated: z.boolean(),
        bytesReceived: z.number().int(),
        endedBy: z.enum(["expect", "close", "quiet", "limit", "nothing_asked"]).describe("why reading ended"),
        timingPhases: TcpTimingPhases,
      })
      .nullable(),
    connection: ConnectionFacts.nullable().describe("how far the dial came, also on failures"),
    assertions: EvaluatedAssertions,
    requestError: z.string().nullable(),
    pcapDataUrl: z.string().nullable(),
  })
  .meta({ id: "TcpCheckResult" });
export type TcpCheckResult = z.infer<typeof TcpCheckResult>;

export const tcpTraits = { ...probeTraits, shownTime: "total", aliases: ["url", "body"] } as const satisfies CheckTraits;
