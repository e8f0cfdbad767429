import { z } from "zod";
import { checkTypes } from "./checks/index.ts";
import { RetryStrategy } from "./checks/retry-strategy.ts";
import type { Operation } from "./operation.ts";
import { Instant, Uuid } from "./primitives.ts";
import { RunProgress } from "./run-progress.ts";

/**
 * How an agent and the control plane talk. Pull only: the agent opens every connection. Durations travel,
 * never the agent's clock: the few instants here are the control plane's own, which the agent continues
 * with its monotonic clock, so skew cannot matter. Both sides ignore fields they do not know.
 */
export const protocolVersion = 1;
/** The oldest protocol that the control plane still serves. */
export const oldestProtocolVersion = 1;

/** What an agent runs on, as it says itself. */
export const AgentPlatform = z.object({
  os: z.string().max(50).describe("linux, darwin, win32"),
  arch: z.string().max(50).describe("x64, arm64"),
  nodeVersion: z.string().max(50).describe("without a v"),
  isContainer: z.boolean(),
});
export type AgentPlatform = z.output<typeof AgentPlatform>;

const maxCapabilities = 32;

/** What an agent can beside its check types, by name. */
const Capabilities = z
  .record(z.string().max(50), z.union([z.boolean(), z.string().max(200)]))
  .refine((given) => Object.keys(given).length <= maxCapabilities, `must have at most ${maxCapabilities} names`);

export const AgentSessionRequest = z.object({
  agentId: Uuid.describe("chosen by the agent once per process"),
  proof: z
    .string()
    .regex(/^[\w-]{22,100}$/)
    .optional()
    .describe(
      "random, chosen with agentId: a later session of the same agent brings the same. Older agents bring none: while a session of theirs is in use there is no second one",
    ),
  name: z.string().max(200).default("").describe("host name, shown to people"),
  version: z.string().max(50),
  protocol: z.number().int(),
  checkTypes: z.array(z.string().max(50)).max(50),
  runtimes: z.array(z.string().max(50)).max(50).default([]),
  sandboxLevel: z.number().int().min(0).max(3).default(0),
  capabilities: Capabilities.default({}),
  platform: AgentPlatform.optional().describe("shown to people; older agents do not tell it"),
});
export type AgentSessionRequest = z.output<typeof AgentSessionRequest>;

export const AgentSession = z.object({
  sessionToken: z.string(),
  sessionSeconds: z.number().int(),
  heartbeatSeconds: z.number(),
  leaseSeconds: z.number(),
  pollWaitSeconds: z.number(),
  location: z.object({ id: z.string(), name: z.string() }).describe("id is the code or slug that results carry as runLocation"),
  limits: z.object({ resultBytes: z.number().int(), batchResults: z.number().int(), artifactBytes: z.number().int() }),
  serverTime: Instant,
});
export type AgentSession = z.output<typeof AgentSession>;

/** Code of a user, by a name for messages: `setup script`, `snippet sign`, `group teardown script`. */
export const JobScript = z.object({ name: z.string(), code: z.string() });
export type JobScript = z.output<typeof JobScript>;

export const JobVariable = z.object({
  key: z.string(),
  value: z.string(),
  isSecret: z.boolean().describe("secret or locked: its value never leaves the agent"),
});
export type JobVariable = z.output<typeof JobVariable>;

export const JobCertificate = z.object({
  host: z.string().describe("a host, or *.domain"),
  cert: z.string(),
  ca: z.string().nullable(),
  key: z.string(),
  passphrase: z.string().nullable(),
});
export type JobCertificate = z.output<typeof JobCertificate>;

/** What a check brings beside its settings, resolved: its group's and its account's share included (behaviour 2.6 and 4). */
export const JobMaterial = z.object({
  setup: z.array(JobScript).describe("in the order in which they run: the group's, then the check's"),
  teardown: z.array(JobScript).describe("in the order in which they run: the check's, then the group's"),
  snippets: z.record(z.string(), z.string()).describe("code by name, of the account; scripts read them as ./snippets/<name>.js"),
  variables: z.array(JobVariable).describe("check before group before account, each key once"),
  groupBaseUrl: z.string().nullable(),
  certificates: z.array(JobCertificate).describe("those whose host the request may have, the newest first"),
  lostVariables: z
    .array(z.string())
    .optional()
    .describe("keys of secret variables whose value cannot be opened any more: they are missing above"),
});
export type JobMaterial = z.output<typeof JobMaterial>;

/** What one job is to run. `settings` is parsed with the check type's own schema by the agent. */
export const JobPayload = z.object({
  accountId: z.string(),
  checkId: Uuid,
  checkName: z.string(),
  checkType: z.string(),
  groupId: z.number().int().nullish().describe("of the check's group: secrets of the agent may be for it alone"),
  tags: z.array(z.string()).optional().describe("of the check and its group, as groupId"),
  checkSessionId: Uuid,
  sequenceId: Uuid,
  checkRunId: z.number().int().describe("epoch milliseconds of the run's start"),
  runLocation: z.string(),
  runtimeId: z.string().nullable(),
  settings: z.unknown(),
  retryStrategy: RetryStrategy.nullable(),
  retriesElsewhere: z.boolean().describe("a retry runs at another location: report the attempt, the control plane queues the next"),
  failedAttempts: z.number().int().min(0).describe("failed attempts of this run so far, here or elsewhere"),
  elapsedMs: z.number().min(0).describe("since the first attempt of this run started"),
  proxyUrl: z.string().nullable().describe("proxy of the location, for checks only"),
  material: JobMaterial.optional().describe("absent where there is none"),
  traceparent: z.string().max(100).optional().describe("W3C Trace Context of the job's hand-out, where it is recorded"),
  plan: z
    .object({ key: z.string(), kept: z.unknown() })
    .optional()
    .describe("of a check that is a prompt: what it did when it passed last, or null, and the key to keep another one by"),
  noModel: z.boolean().optional().describe("of a check that is a prompt, where its account lets no model be asked"),
  isAwaited: z.boolean().optional().describe("not of the schedule: somebody waits for the result, which is told at once"),
  isWatched: z.boolean().optional().describe("a script that somebody looks on as it runs: say with `tellProgress` how far it is"),
});
export type JobPayload = z.output<typeof JobPayload>;

export const LeasedJob = z.object({
  jobId: Uuid,
  attempt: z.number().int().min(1).describe("number of the next attempt; each retry and each lost lease counts one up"),
  fence: z.number().int(),
  leaseSeconds: z.number(),
  queuedMs: z.number().describe("how long the job was due when it was leased"),
  leasedAt: z.number().int().describe("the control plane's clock at the lease, epoch ms; result times are built on it"),
  payload: JobPayload,
});
export type LeasedJob = z.output<typeof LeasedJob>;

export const JobRef = z.object({ jobId: Uuid, fence: z.number().int() });
export type JobRef = z.output<typeof JobRef>;

/** TLS certificates and people's eyes bear less than this; the protocol itself does not care. */
export const noticeableSkewMs = 5_000;
/** What a Date can tell: a clock that is further off is none. */
const largestSkewMs = 8.64e15;

export const Heartbeat = z.object({
  running: z.array(JobRef).max(5000),
  state: z.enum(["running", "draining"]),
  outbox: z.object({ depth: z.number().int(), oldestSeconds: z.number() }),
  eventLoopDelayMs: z.number(),
  clockAheadMs: z
    .number()
    .min(-largestSkewMs)
    .max(largestSkewMs)
    .nullish()
    .describe(
      "the agent's clock ahead of the control plane's, to the second, by the Date of its replies; for people, nothing is decided by it",
    ),
});
export type Heartbeat = z.output<typeof Heartbeat>;

export const HeartbeatAnswer = z.object({
  extended: z.array(Uuid),
  lost: z.array(Uuid).describe("another agent has it, or it ended: stop and drop"),
  cancel: z.array(Uuid).describe("somebody cancelled the run: stop and report it as cancelled"),
});
export type HeartbeatAnswer = z.output<typeof HeartbeatAnswer>;

/** What was found where the network failed an attempt: a capture, a traceroute, transcripts. Small, and scrubbed. */
export const EvidenceFile = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9.-]{0,59}$/),
  type: z.enum(["pcap", "log"]),
  contentType: z.string().regex(/^[a-z]{1,20}\/[a-z0-9.+-]{1,80}(?:; ?charset=utf-8)?$/),
  data: z.base64().max(350_000).describe("at most 256 KB"),
});
export type EvidenceFile = z.output<typeof EvidenceFile>;

/** What analytics keep of a check type, by the names of `checkTypes`. Others are nobody's, and stay behind. */
const AttemptMetrics = z.object(
  Object.fromEntries(
    Object.values(checkTypes)
      .flatMap(({ metrics }): readonly string[] => metrics)
      .map((name) => [name, z.number().nullable().optional()]),
  ),
);

/** One attempt as the agent reports it. Idempotency key: jobId and attempt. */
export const AttemptReport = z.object({
  jobId: Uuid,
  attempt: z.number().int().min(1).max(60),
  fence: z.number().int(),
  checkType: z.string(),
  resultType: z.enum(["FINAL", "ATTEMPT"]),
  startedAt: z.number().describe("epoch ms on the control plane's clock, fractional"),
  stoppedAt: z.number(),
  responseTimeMs: z.number().min(0),
  statusCode: z.number().int().min(0).max(999).nullable(),
  hasFailures: z.boolean(),
  hasErrors: z.boolean(),
  isDegraded: z.boolean(),
  overMaxResponseTime: z.boolean(),
  isCancelled: z.boolean().default(false),
  agentSide: z.boolean().default(false).describe("the agent's own side spoiled the attempt; never the target's failure"),
  errorMessage: z.string().max(10_000).nullable().describe("what failed, for error groups and alerts"),
  queuedMs: z.number().min(0).describe("due until started"),
  loopDelayMs: z.number().min(0).describe("worst event-loop delay during the attempt"),
  metrics: AttemptMetrics.describe("phases of the check type, ms"),
  detail: z.unknown().describe("the result member of the check type, scrubbed"),
  evidence: z.array(EvidenceFile).max(8).optional().describe("only where the network failed the attempt"),
  retryElsewhereAfterMs: z.number().min(0).nullable().default(null).describe("with ATTEMPT: queue the next attempt at another location"),
  traceparent: z.string().max(100).optional().describe("W3C Trace Context of the attempt, where it is recorded; not stored"),
});
export type AttemptReport = z.output<typeof AttemptReport>;

export const reportOutcomes = ["accepted", "duplicate", "superseded", "conflict", "rejected"] as const;
export const ReportAnswer = z.object({
  jobId: Uuid,
  attempt: z.number().int(),
  outcome: z
    .enum(reportOutcomes)
    .describe(
      "accepted and duplicate: stored. superseded: a FINAL exists. conflict: stored with another body. rejected: not for this agent or malformed",
    ),
  message: z.string().optional(),
});
export type ReportAnswer = z.output<typeof ReportAnswer>;

export const ErrorEvent = z.object({
  message: z.string().max(2_000),
  stack: z.string().max(20_000),
  agentVersion: z.string().max(50),
  platform: z.string().max(100),
  runtimeVersion: z.string().max(50),
});
export type ErrorEvent = z.output<typeof ErrorEvent>;

const agentOperation = { tag: "Agent protocol", rateLimit: "none", method: "POST", access: "agent-session" } as const;

export const openAgentSession = {
  ...agentOperation,
  id: "openAgentSession",
  path: "/agent/v1/sessions",
  summary: "Open a session with a location's key",
  description:
    "426: the protocol is too old or too new. 403: the location lets no new host in before somebody approves it. 409: an agent with this id is running, and this is another one.",
  access: "agent-key",
  body: AgentSessionRequest,
  output: AgentSession,
  successStatus: 201,
  errors: [403, 409, 426],
} as const satisfies Operation;

export const leaseJobs = {
  ...agentOperation,
  id: "leaseJobs",
  path: "/agent/v1/jobs/lease",
  summary: "Lease up to `max` jobs, waiting for the first one up to `waitSeconds`",
  body: z.object({
    max: z.number().int().min(1).max(1000),
    waitSeconds: z.number().min(0).max(25),
    checkTypes: z
      .array(z.string().max(50))
      .max(50)
      .optional()
      .describe("of those that the session announced, only these: an agent asks for what is heavy apart, by its seats"),
    runtimes: z.array(z.string().max(50)).max(50).optional().describe("on which checks of these types run; the session's where absent"),
  }),
  output: z.object({ jobs: z.array(LeasedJob) }),
  successStatus: 200,
} as const satisfies Operation;

export const heartbeat = {
  ...agentOperation,
  id: "heartbeat",
  path: "/agent/v1/heartbeats",
  summary: "Keep the leases of running jobs",
  body: Heartbeat,
  output: HeartbeatAnswer,
  successStatus: 200,
} as const satisfies Operation;

export const reportAttempt = {
  ...agentOperation,
  id: "reportAttempt",
  method: "PUT",
  path: "/agent/v1/jobs/{jobId}/attempts/{attempt}/result",
  summary: "Report one attempt; the same body again gets the first answer",
  params: z.object({ jobId: Uuid, attempt: z.coerce.number().int() }),
  body: AttemptReport,
  output: ReportAnswer,
  successStatus: 200,
  errors: [409],
} as const satisfies Operation;

export const reportAttempts = {
  ...agentOperation,
  id: "reportAttempts",
  path: "/agent/v1/results",
  summary: "Report a batch of attempts, answered entry by entry, in order",
  body: z.object({ reports: z.array(AttemptReport).max(1000) }),
  output: z.object({ answers: z.array(ReportAnswer) }),
  successStatus: 200,
} as const satisfies Operation;

export const tellProgress = {
  ...agentOperation,
  id: "tellProgress",
  path: "/agent/v1/jobs/progress",
  summary: "Say how far the script of a job is, for people who look on; of a job that the agent has not any more it is forgotten",
  body: z.object({ ...JobRef.shape, progress: RunProgress }),
  successStatus: 204,
} as const satisfies Operation;

export const releaseJobs = {
  ...agentOperation,
  id: "releaseJobs",
  path: "/agent/v1/jobs/release",
  summary: "Hand back jobs; the attempt is not used up",
  body: z.object({ jobs: z.array(JobRef).max(5000) }),
  output: z.object({ released: z.array(Uuid) }),
  successStatus: 200,
} as const satisfies Operation;

export const reportErrorEvents = {
  ...agentOperation,
  id: "reportErrorEvents",
  path: "/agent/v1/error-events",
  summary: "Scrubbed reports about the agent itself",
  body: z.object({ events: z.array(ErrorEvent).max(50) }),
  successStatus: 204,
} as const satisfies Operation;

export const agentOperations = [
  openAgentSession,
  leaseJobs,
  heartbeat,
  reportAttempt,
  reportAttempts,
  tellProgress,
  releaseJobs,
  reportErrorEvents,
] as const;
