import { z } from "zod";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { CheckTypeName, Instant, notGivenWhereEmpty, Uuid, UuidPathId } from "./primitives.ts";

const ended = ["PASSED", "FAILED", "DEGRADED", "TIMED_OUT", "CANCELLED"] as const;

/** Spec 3. v1 tells a cancelled session as TIMED_OUT (behaviour 3). */
export const SessionStatus = z.enum(["STARTED", "PROGRESS", "PROGRESS_FAILED", "PROGRESS_DEGRADED", ...ended]);
export type SessionStatus = z.infer<typeof SessionStatus>;

/** What started a session (spec 2.13). */
export const RunSource = z.enum([
  "CLI_DEPLOY",
  "DEPLOYMENT",
  "DEPLOYMENT_CACHE_WARMER",
  "EDITOR",
  "GROUP_RUN_ALL",
  "LEGACY_TRIGGER",
  "SCHEDULER",
  "SCHEDULE_NOW",
  "SLACK_RERUN",
  "TEST_NO_RECORD",
  "TEST_RECORD",
  "TRIGGER_NO_RECORD",
  "TRIGGER_RECORD",
  "TRIGGER_API",
]);
export type RunSource = z.infer<typeof RunSource>;

/** One run of a check across its locations (spec 2.13). */
export const CheckSession = z
  .object({
    checkSessionId: Uuid,
    checkSessionLink: z.url(),
    checkId: Uuid,
    checkType: CheckTypeName,
    name: z.string(),
    status: SessionStatus,
    startedAt: Instant,
    stoppedAt: Instant.nullable(),
    timeElapsed: z.int().describe("milliseconds"),
    runLocations: z.array(z.string()),
    runSource: RunSource.nullable(),
  })
  .meta({ id: "CheckSession" });
export type CheckSession = z.infer<typeof CheckSession>;

/** A result as its session tells it; the whole one is under `/v1/check-results`. */
export const SessionResult = z
  .object({
    checkResultId: Uuid,
    checkResultLink: z.url(),
    checkId: Uuid,
    checkType: CheckTypeName,
    name: z.string(),
    runLocation: z.string(),
    resultType: z.enum(["FINAL", "ATTEMPT"]).nullable().describe("null: the run never started here; `aborted` is true then"),
    hasErrors: z.boolean(),
    hasFailures: z.boolean(),
    isDegraded: z.boolean(),
    aborted: z.boolean(),
    isCancelled: z.boolean(),
    responseTime: z.int().nullable().describe("milliseconds"),
    startedAt: Instant.nullable(),
    stoppedAt: Instant.nullable(),
  })
  .meta({ id: "SessionResult" });
export type SessionResult = z.infer<typeof SessionResult>;

export const CheckSessionWithResults = CheckSession.extend({
  results: z.array(SessionResult).describe("while the session runs, those so far"),
}).meta({ id: "CheckSessionWithResults" });
export type CheckSessionWithResults = z.infer<typeof CheckSessionWithResults>;

export const EndedCheckSession = CheckSessionWithResults.extend({ status: z.enum(ended), stoppedAt: Instant }).meta({
  id: "EndedCheckSession",
});
export type EndedCheckSession = z.infer<typeof EndedCheckSession>;

/** What is no uuid names no check, which is a 404 and not a 400. */
const CheckId = z.string().max(100).meta({ format: "uuid" });

/** Which checks to run (behaviour 3). */
export const TriggerRequest = z
  .object({
    target: z
      .object({
        matchTags: z
          .array(z.array(z.string().max(256)).max(100))
          .max(100)
          .nullable()
          .transform(notGivenWhereEmpty)
          .optional()
          .describe("the outer list is OR, the inner AND; `!tag` negates; a group's tags count for its checks"),
        checkId: z
          .union([z.array(CheckId).max(10_000), CheckId])
          .nullable()
          .transform((given) => (given === null ? undefined : [given].flat()))
          .optional()
          .describe("these checks; one bare id is accepted"),
      })
      .optional(),
    refreshCache: z.boolean().default(false),
    updateSnapshots: z
      .boolean()
      .default(false)
      .describe(
        "browser checks forget the pictures that their screenshots are compared with: the pictures of their next run that passes are the new ones",
      ),
  })
  .prefault({});
export type TriggerRequest = z.output<typeof TriggerRequest>;

export const CancelRequest = z
  .object({
    sequenceId: z.array(Uuid).min(1).max(1000).optional().describe("only these runs; omitted: all"),
  })
  .prefault({});
export type CancelRequest = z.output<typeof CancelRequest>;

const common = { tag: "Check sessions", rateLimit: "standard" } as const;
const trigger = {
  ...common,
  method: "POST",
  access: "run",
  body: TriggerRequest,
  output: z.object({ sessions: z.array(CheckSession) }),
  successStatus: 201,
  errors: [404],
  description:
    "Without a target every activated check runs; of ids and tags both must match. Each check runs at all its locations. Those of a group start " +
    "its `concurrency` at a time in the order of `groupOrder`; the sessions of the others are there and STARTED, and wait for their turn. " +
    "Maintenance windows do not hold triggered runs.",
  example: { body: { target: { checkId: [exampleIds.check], matchTags: [["shop", "!slow"]] } } },
} as const;
const byId = { ...common, params: z.object({ checkSessionId: UuidPathId }) } as const;
const read = {
  ...byId,
  method: "GET",
  access: "read",
  output: CheckSessionWithResults,
  successStatus: 200,
  description:
    "While the session runs, with the results so far; afterwards one FINAL result for each location that was run at, and one for each attempt before it.",
  example: { params: { checkSessionId: exampleIds.session } },
} as const;
const completion = {
  ...byId,
  method: "GET",
  access: "read",
  query: z.object({ maxWaitSeconds: z.coerce.number().int().min(1).max(30).default(30) }),
  output: EndedCheckSession,
  successStatus: 200,
  errors: [408],
  description: "Answers as soon as it ended, also at once.",
  example: { params: { checkSessionId: exampleIds.session }, query: { maxWaitSeconds: 20 } },
} as const;

export const triggerChecksV1 = {
  ...trigger,
  id: "triggerChecksV1",
  path: "/v1/check-sessions/trigger",
  summary: "Run checks now; 404 when no activated check matches",
} as const satisfies Operation;

export const triggerChecksV2 = {
  ...trigger,
  id: "triggerChecksV2",
  path: "/v2/check-sessions/trigger",
  summary: "Run checks now; 404 when no activated check matches",
} as const satisfies Operation;

export const getCheckSessionV1 = {
  ...read,
  id: "getCheckSessionV1",
  path: "/v1/check-sessions/{checkSessionId}",
  summary: "Read a session; a cancelled one reads TIMED_OUT",
} as const satisfies Operation;

export const getCheckSessionV2 = {
  ...read,
  id: "getCheckSessionV2",
  path: "/v2/check-sessions/{checkSessionId}",
  summary: "Read a session",
} as const satisfies Operation;

export const awaitCheckSessionV1 = {
  ...completion,
  id: "awaitCheckSessionV1",
  path: "/v1/check-sessions/{checkSessionId}/completion",
  summary: "Wait for the end of a session; 408 when the wait ran out, ask again. A cancelled one reads TIMED_OUT",
} as const satisfies Operation;

export const awaitCheckSessionV2 = {
  ...completion,
  id: "awaitCheckSessionV2",
  path: "/v2/check-sessions/{checkSessionId}/completion",
  summary: "Wait for the end of a session; 408 when the wait ran out, ask again",
} as const satisfies Operation;

export const cancelCheckSession = {
  ...byId,
  id: "cancelCheckSession",
  method: "POST",
  path: "/v1/check-sessions/{checkSessionId}/cancel",
  summary: "Cancel a session, or some of its runs",
  access: "run",
  description:
    "Runs that no agent has yet end at once, the others at their agents' next heartbeat. The session is CANCELLED then, also where a run ended by itself before its agent heard of it; its result stays. A session that has ended stays as it is.",
  body: CancelRequest,
  successStatus: 204,
  example: { params: { checkSessionId: exampleIds.session }, body: { sequenceId: [exampleIds.sequence] } },
} as const satisfies Operation;

export const checkSessionOperations = [
  triggerChecksV1,
  triggerChecksV2,
  getCheckSessionV1,
  getCheckSessionV2,
  awaitCheckSessionV1,
  awaitCheckSessionV2,
  cancelCheckSession,
] as const;
