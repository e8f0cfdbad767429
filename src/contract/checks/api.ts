import { z } from "zod";
import { listOf } from "../list-of.ts";
import { secretField } from "../secret-fields.ts";
import { withDefaults } from "../with-defaults.ts";
import { assertionSchema, comparisons, EvaluatedAssertions, maxAssertions } from "./assertion.ts";
import { checkSchemas, responseTimeLimits, timedSettings } from "./check-schemas.ts";
import { type CheckTraits, probeTraits } from "./check-traits.ts";
import { ConnectionFacts } from "./connection.ts";
import { CheckEnvironmentVariable, maxScriptLength } from "./scripted.ts";

/** A header or query parameter (spec 2.1). */
export const KeyValue = z
  .object({
    key: z.string().min(1).max(1000),
    value: secretField("sealed, readable by a setting", z.string().max(65_536).default("")),
    locked: z
      .boolean()
      .default(false)
      .describe("the value is a secret: it is scrubbed from every result, and asterisks to keys whose role is below READ_WRITE"),
  })
  .meta({ id: "KeyValue" });
export type KeyValue = z.output<typeof KeyValue>;

/** One assertion of an API check (spec 2.2, behaviour 2.1). */
export const ApiAssertion = assertionSchema(
  "ApiAssertion",
  ["STATUS_CODE", "JSON_BODY", "HEADERS", "TEXT_BODY", "RESPONSE_TIME"],
  comparisons,
);
export type ApiAssertion = z.output<typeof ApiAssertion>;

const requestFields = {
  method: z.enum(["GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS"]),
  url: z.string().min(1).max(2048),
  followRedirects: z.boolean(),
  skipSSL: z.boolean().describe("relaxes trust only; expiry is still recorded"),
  ipFamily: z.enum(["IPv4", "IPv6"]),
  body: z.string().max(524_288),
  bodyType: z.enum(["JSON", "FORM", "RAW", "GRAPHQL", "NONE"]),
  headers: z.array(KeyValue).max(200),
  queryParameters: z.array(KeyValue).max(200),
  assertions: z.array(ApiAssertion).max(maxAssertions),
  basicAuth: z
    .object({ username: z.string().max(4096), password: secretField("sealed, readable by a setting", z.string().max(4096)) })
    .nullish(),
};

/** The request that an API check sends (spec 2.3, behaviour 2.2). */
export const ApiRequest = z
  .object(
    withDefaults(requestFields, {
      followRedirects: true,
      skipSSL: false,
      ipFamily: "IPv4",
      body: "",
      bodyType: "NONE",
      headers: [],
      queryParameters: [],
      assertions: [],
    }),
  )
  .meta({ id: "ApiRequest" });
export type ApiRequest = z.output<typeof ApiRequest>;

/** The request in a partial update: what is omitted keeps its value; arrays replace. */
export const ApiRequestUpdate = z.object(requestFields).partial().required({ method: true, url: true }).meta({ id: "ApiRequestUpdate" });
export type ApiRequestUpdate = z.output<typeof ApiRequestUpdate>;

/** What a runner needs to know of an API check, and what the verdict is judged by. */
export const ApiCheckSettings = z.object({
  request: ApiRequest,
  ...timedSettings,
});
export type ApiCheckSettings = z.output<typeof ApiCheckSettings>;

/** The schemas of API checks (spec 2.10, 4.1). */
export const apiCheck = checkSchemas("API", {
  id: "ApiCheck",
  title: "API check",
  writable: {
    ...responseTimeLimits(30_000),
    setupSnippetId: z.int().nullable().describe("snippet of the setup phase; it wins over localSetupScript"),
    tearDownSnippetId: z.int().nullable().describe("snippet of the teardown phase; it wins over localTearDownScript"),
    localSetupScript: z.string().max(maxScriptLength).nullable().describe("Node.js code of the setup phase"),
    localTearDownScript: z.string().max(maxScriptLength).nullable().describe("Node.js code of the teardown phase"),
    environmentVariables: z
      .array(CheckEnvironmentVariable)
      .max(200)
      .nullable()
      .optional()
      .describe("they win over those of group and account"),
    script: z.string().max(maxScriptLength).nullable().optional().describe("kept and given back; nothing runs it"),
  },
  defaults: {
    degradedResponseTime: 5000,
    maxResponseTime: 20_000,
    setupSnippetId: null,
    tearDownSnippetId: null,
    localSetupScript: null,
    localTearDownScript: null,
  },
  request: ApiRequest,
  requestUpdate: ApiRequestUpdate,
});

/** Offsets from the start of the attempt, ms; absent phases are null (behaviour 3). */
export const Timings = z.object({
  socket: z.number(),
  lookup: z.number().nullable(),
  connect: z.number().nullable(),
  secureConnect: z.number().nullable(),
  response: z.number().nullable(),
  end: z.number().nullable(),
});
export type Timings = z.infer<typeof Timings>;

/** Lengths of the phases, ms; they sum to `total`. */
export const TimingPhases = z.object({
  wait: z.number(),
  dns: z.number(),
  tcp: z.number(),
  tls: z.number(),
  firstByte: z.number(),
  download: z.number(),
  total: z.number(),
});
export type TimingPhases = z.infer<typeof TimingPhases>;

/** One line of `jobLog` (behaviour 3). */
export const JobLogEntry = z.object({
  time: z.number().describe("epoch milliseconds"),
  msg: z.string(),
  level: z.enum(["DEBUG", "INFO", "WARN", "ERROR"]),
});
type JobLogEntry = z.infer<typeof JobLogEntry>;

const maxLogLines = 5_000;

/** Of a longer log the beginning is kept, and a line that tells how much is not. */
const JobLog = z.preprocess((given: JobLogEntry[]) => {
  if (!Array.isArray(given) || given.length <= maxLogLines) return given;
  const last = given.at(-1) as JobLogEntry | null | undefined; // whatever it is: the schema judges
  const kept = given.slice(0, maxLogLines - 1);
  return [...kept, { time: last?.time, level: "WARN", msg: `${given.length - kept.length} more lines were left out` }];
}, z.array(JobLogEntry).max(maxLogLines));

/** `apiCheckResult`: what one attempt of an API check saw (spec 2.12, behaviour 3). */
export const ApiCheckResult = z
  .object({
    assertions: EvaluatedAssertions,
    request: z.object({
      method: z.string(),
      url: z.string(),
      data: z.string(),
      headers: z.record(z.string(), z.unknown()),
      params: z.record(z.string(), z.unknown()),
    }),
    response: z
      .object({
        status: z.number(),
        statusText: z.string(),
        body: z.string().max(524_288),
        bodyEncoding: z.enum(["base64"]).optional(),
        truncated: z.boolean().describe("the body was longer than what is stored here"),
        bodyBytes: z.number().int().describe("bytes read, after decompression"),
        headers: z.record(z.string(), z.unknown()),
        timings: Timings,
        timingPhases: TimingPhases,
      })
      .nullable(),
    connection: ConnectionFacts.nullable(),
    redirects: listOf(z.object({ status: z.number(), location: z.string() }), 100),
    requestError: z.string().nullable(),
    jobLog: z.object({ setup: JobLog, request: JobLog, teardown: JobLog }).nullable(),
    jobAssets: listOf(z.string(), 1_000).nullable(),
    pcapDataUrl: z.string().nullable(),
    sandboxLevel: z.number().int().nullable().optional().describe("how well its scripts were kept apart, 1 to 3; only where some ran"),
    scriptEgress: z
      .enum(["kernel", "process"])
      .nullable()
      .optional()
      .describe("what held its scripts to the agent's egress policy: the kernel, or Node.js in their process alone; only where some ran"),
  })
  .meta({ id: "ApiCheckResult" });
export type ApiCheckResult = z.infer<typeof ApiCheckResult>;

export const apiTraits = {
  ...probeTraits,
  request: "http",
  scripts: "around",
  fillsTemplates: true,
  sharesRequests: true,
  certificateUrl: (settings) => (settings as ApiCheckSettings).request.url, // parsed with their schema
} as const satisfies CheckTraits;
