import { z } from "zod";
import { AssetManifest, AssetType } from "./check-results.ts";
import { RetryStrategy } from "./checks/retry-strategy.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import {
  absentWhereEmpty,
  absentWhereNull,
  Instant,
  notGivenWhereEmpty,
  PathId,
  QueryBoolean,
  QueryTime,
  queryList,
  Uuid,
  UuidPathId,
} from "./primitives.ts";
import { secretField } from "./secret-fields.ts";
import { TestSessionResult, TestSessionStatus, testSessionStatuses, WholeTestSessionResult } from "./test-session-results.ts";

const note = z.string().max(2_000).nullable().optional();

/** What the caller says of the occasion; comes back as it was sent. */
export const TestSessionMetadata = z
  .object({
    environment: z.string().min(1).max(255).optional(),
    repoUrl: note,
    commitId: note,
    commitOwner: note,
    commitMessage: note,
    branchName: note,
    github: z
      .object({
        reporting: z.boolean(),
        repository: note,
        sha: note,
        runId: note,
        runAttempt: note,
        workflow: note,
        job: note,
        eventName: note,
        ref: note,
        headRef: note,
        baseRef: note,
        serverUrl: note,
      })
      .meta({ id: "TestSessionGitHubMetadata" })
      .optional()
      .describe("kept; nothing is reported to GitHub"),
  })
  .meta({ id: "TestSessionMetadata" });
export type TestSessionMetadata = z.infer<typeof TestSessionMetadata>;

const variable = { key: z.string().min(1).max(255), locked: z.boolean().default(false) };
const Value = z.string().max(32_768);

const TestSessionEnvironmentVariable = z
  .union([
    z.object({ ...variable, value: secretField("sealed", Value.nullable()), secret: z.literal(true) }),
    z.object({ ...variable, value: secretField("sealed", Value.min(1).nullable()), secret: z.literal(false).default(false) }),
  ])
  .meta({ id: "TestSessionEnvironmentVariable" });

const few = 100;

export const TriggerTestSessionRequest = z
  .object({
    name: z.string().min(1).max(255),
    runLocation: z
      .string()
      .min(1)
      .max(100)
      .describe("data center location or slug name of a private location; every check runs there, once"),
    target: z
      .object({
        matchTags: z
          .array(z.array(z.string().min(1).max(255)).max(few))
          .max(few)
          .nullable()
          .transform(notGivenWhereEmpty)
          .optional()
          .describe("the outer list is OR, the inner AND; `!tag` negates; a group's tags count for its checks"),
        checkId: absentWhereNull(z.array(Uuid).max(1_000)).describe("these checks"),
        allowDeactivated: z.boolean().default(false).describe("also checks that are not activated"),
      })
      .prefault({})
      .describe("what is omitted allows every check"),
    environmentVariables: z
      .array(TestSessionEnvironmentVariable)
      .max(50)
      .default([])
      .describe("win over those of check, group and account"),
    retryStrategy: RetryStrategy.nullable()
      .optional()
      .describe("for all checks of the session; omitted: each check's own; null: no retries"),
    refreshCache: z.boolean().default(false).describe("accepted; there is no cache"),
    metadata: TestSessionMetadata.optional(),
  })
  .meta({ id: "TriggerTestSessionRequest" });
export type TriggerTestSessionRequest = z.output<typeof TriggerTestSessionRequest>;

/** Some checks, each run once, apart from their schedules. */
export const TestSession = z
  .object({
    testSessionId: Uuid,
    testSessionLink: z.url(),
    name: z.string(),
    status: TestSessionStatus,
    errorGroupIds: z.array(Uuid).describe("always empty"),
    startedAt: Instant,
    stoppedAt: Instant.nullable(),
    timeElapsed: z.int().describe("milliseconds"),
    metadata: TestSessionMetadata.optional(),
    results: z.array(TestSessionResult),
  })
  .meta({ id: "TestSession" });
export type TestSession = z.infer<typeof TestSession>;

export const EndedTestSession = TestSession.extend({
  status: TestSessionStatus.exclude(["RUNNING"]),
  stoppedAt: Instant,
}).meta({ id: "EndedTestSession" });
export type EndedTestSession = z.infer<typeof EndedTestSession>;

const resultIds = z.array(Uuid).nullable().describe("results of checks that are at it");

/** A test session in the list. */
export const TestSessionListEntry = z
  .object({
    id: Uuid,
    accountId: Uuid,
    projectId: Uuid.nullable(),
    name: z.string(),
    provider: z.string().describe("always API"),
    errorGroupIds: z.array(Uuid).nullable(),
    running: resultIds,
    passed: resultIds,
    failed: resultIds,
    cancelled: z.array(Uuid),
    status: TestSessionStatus,
    region: z.string().describe("data center location or slug name of a private location"),
    privateLocationId: Uuid.nullable(),
    invoker: z
      .object({ name: z.string(), picture: z.string().nullable().optional() })
      .meta({ id: "TestSessionListEntryInvoker" })
      .nullable(),
    repoUrl: z.string().nullable(),
    commitId: z.string().nullable(),
    commitOwner: z.string().nullable(),
    commitMessage: z.string().nullable(),
    branchName: z.string().nullable(),
    environment: z.string().nullable(),
    startedAt: Instant,
    stoppedAt: Instant.nullable(),
    created_at: Instant,
    updated_at: Instant.nullable(),
  })
  .meta({ id: "TestSessionListEntry" });
export type TestSessionListEntry = z.infer<typeof TestSessionListEntry>;

const Filters = z.array(z.string().max(2_000)).max(few);

export const TestSessionListQuery = z.object({
  from: QueryTime.optional().describe("started at or after; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant"),
  to: QueryTime.optional().describe("started before; unix timestamp (seconds or milliseconds), ISO day (UTC) or instant"),
  limit: z.coerce.number().int().min(1).max(100).nullable().default(20).describe("entries per answer"),
  statuses: queryList(TestSessionStatus).default([...testSessionStatuses]),
  branches: queryList(z.string()).pipe(Filters).default([]).describe("of one of these branches"),
  users: queryList(z.string()).pipe(Filters).default([]).describe("sessions name no user yet, so any name here leaves none"),
  providers: queryList(z.enum(["GITHUB", "VERCEL", "API", "TRIGGER", "PW_REPORTER"]))
    .default([])
    .describe("all sessions come from API"),
  noUsers: QueryBoolean.default(false).describe("also those without a user, where `users` is given"),
  nextId: absentWhereEmpty(z.string().max(100)).describe("`nextId` of the answer before"),
  textSearch: z.string().min(3).max(200).optional().describe("part of the name, the branch or the commit message, in any case"),
  errorGroupId: z
    .string()
    .min(1)
    .max(100)
    .nullable()
    .optional()
    .describe("results of test sessions are in no error group, so this leaves none"),
});
export type TestSessionListQuery = z.output<typeof TestSessionListQuery>;

const common = { tag: "Test sessions", rateLimit: "standard" } as const;
const byId = { ...common, params: z.object({ testSessionId: UuidPathId }) } as const;
const ofResult = {
  ...common,
  method: "GET",
  access: "read",
  params: z.object({ testSessionId: UuidPathId, testSessionResultId: UuidPathId }),
  successStatus: 200,
} as const;
const session = { testSessionId: exampleIds.testSession } as const;
const sessionResult = { ...session, testSessionResultId: exampleIds.testSessionResult } as const;

export const listTestSessions = {
  ...common,
  id: "listTestSessions",
  method: "GET",
  path: "/v1/test-sessions",
  summary: "List test sessions",
  description: "The latest first. They are kept as long as results are.",
  example: { query: { limit: 20, statuses: ["FAILED", "RUNNING"] } },
  access: "read",
  query: TestSessionListQuery,
  output: z.object({
    length: z.int().min(0).describe("entries in this answer"),
    entries: z.array(TestSessionListEntry),
    nextId: z.string().nullable().describe("asks for what follows; null at the end"),
  }),
  successStatus: 200,
} as const satisfies Operation;

export const triggerTestSession = {
  ...common,
  id: "triggerTestSession",
  method: "POST",
  path: "/v1/test-sessions/trigger",
  summary: "Run checks once at one location, apart from their schedules",
  description:
    "404 when no check matches; at most 1,000 checks. Results are kept with the test session alone: they count in no list of results, " +
    "status, analytics, alert or error group of their checks.",
  example: {
    body: {
      name: "After the deployment",
      runLocation: "eu-west-1",
      target: { checkId: [exampleIds.check] },
      metadata: { branchName: "main" },
    },
  },
  access: "run",
  body: TriggerTestSessionRequest,
  output: TestSession,
  successStatus: 201,
  errors: [404],
} as const satisfies Operation;

export const getTestSession = {
  ...byId,
  id: "getTestSession",
  method: "GET",
  path: "/v1/test-sessions/{testSessionId}",
  summary: "Read a test session with its results",
  description: "FAILED when a check failed or could not run, else CANCELLED when one was cancelled. A degraded check passes.",
  example: { params: session },
  access: "read",
  output: TestSession,
  successStatus: 200,
} as const satisfies Operation;

export const awaitTestSession = {
  ...byId,
  id: "awaitTestSession",
  method: "GET",
  path: "/v1/test-sessions/{testSessionId}/completion",
  summary: "Wait for the end of a test session; 408 when the wait ran out, ask again",
  example: { params: session, query: { maxWaitSeconds: 1 } },
  access: "read",
  query: z.object({ maxWaitSeconds: z.coerce.number().int().min(1).max(30).default(30) }),
  output: EndedTestSession,
  successStatus: 200,
  errors: [408],
} as const satisfies Operation;

export const cancelTestSession = {
  ...byId,
  id: "cancelTestSession",
  method: "POST",
  path: "/v1/test-sessions/{testSessionId}/cancel",
  summary: "Cancel a test session, or some of its checks",
  description: "What waits ends at once, what runs is stopped by its agent within seconds. What has ended stays as it is.",
  example: { params: session, body: {} },
  access: "run",
  body: z
    .object({
      sequenceId: z.array(Uuid).min(1).max(1_000).optional().describe("only these runs; omitted: all"),
    })
    .prefault({}),
  successStatus: 204,
} as const satisfies Operation;

export const getTestSessionResult = {
  ...ofResult,
  id: "getTestSessionResult",
  path: "/v1/test-sessions/{testSessionId}/results/{testSessionResultId}",
  summary: "Read a result of a test session",
  example: { params: sessionResult },
  output: WholeTestSessionResult,
} as const satisfies Operation;

export const listTestSessionResultAssets = {
  ...ofResult,
  id: "listTestSessionResultAssets",
  path: "/v1/test-sessions/{testSessionId}/results/{testSessionResultId}/assets",
  summary: "List the files of a result of a test session",
  example: { params: sessionResult },
  query: z.object({
    type: queryList(AssetType).optional(),
    name: z.string().max(200).optional().describe("part of the name, or a pattern of the whole with * and ?"),
  }),
  output: AssetManifest,
} as const satisfies Operation;

export const getTestSessionResultAsset = {
  ...ofResult,
  id: "getTestSessionResultAsset",
  path: "/v1/test-sessions/{testSessionId}/results/{testSessionResultId}/assets/{name}",
  summary: "Download a file of a result of a test session",
  example: { params: { ...sessionResult, name: "traceroute.log" } },
  params: z.object({ testSessionId: UuidPathId, testSessionResultId: UuidPathId, name: PathId }),
  file: true,
} as const satisfies Operation;

export const testSessionOperations = [
  listTestSessions,
  triggerTestSession,
  getTestSession,
  awaitTestSession,
  cancelTestSession,
  getTestSessionResult,
  listTestSessionResultAssets,
  getTestSessionResultAsset,
] as const;
