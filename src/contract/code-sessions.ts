import { z } from "zod";
import { RetryStrategy } from "./checks/retry-strategy.ts";
import { exampleIds } from "./example-ids.ts";
import type { Operation } from "./operation.ts";
import { CheckTypeName, Instant, Uuid, UuidPathId } from "./primitives.ts";
import { secretField } from "./secret-fields.ts";

/* Test sessions of the public command line, at the addresses and in the shapes that it sends and reads. Their results also come live (`/mqtt`). */

/** A part of a topic: nothing that MQTT reads as more. */
const TopicPart = z.string().regex(/^[\w-]{1,100}$/, "must be 1 to 100 letters, digits, underscores or hyphens");

const RunLocation = z.union([
  z.string().min(1).max(100),
  z.object({ type: z.literal("PUBLIC"), region: z.string().min(1).max(100) }),
  z.object({ type: z.literal("PRIVATE"), slugName: z.string().min(1).max(100) }),
]);

const said = z.string().max(65_536).nullish();
const RepoInfo = z
  .object({ repoUrl: said, commitId: said, commitOwner: said, commitMessage: said, branchName: said })
  .nullish()
  .describe("each is cut at 2,000 characters");
export type RepoInfo = z.output<typeof RepoInfo>;

const LogicalId = z.string().min(1).max(255);

/** A check as code has it, and which run it is to the client. */
export const CheckRunJob = z
  .looseObject({
    checkType: CheckTypeName,
    logicalId: LogicalId,
    filePath: z.string().max(2048).nullish().describe("where in the project it is declared"),
    group: z.record(z.string(), z.unknown()).nullish().describe("the body of its group, which need not be stored"),
    testRetryStrategy: RetryStrategy.nullish().describe("null: no retries"),
    sourceInfo: z
      .object({
        checkRunSuiteId: TopicPart,
        checkRunId: TopicPart,
        updateSnapshots: z.boolean().nullish().describe("compare screenshots with nothing: the result names what was taken, for the code"),
      })
      .describe("the topics of its results"),
  })
  .meta({ id: "CheckRunJob" });
export type CheckRunJob = z.output<typeof CheckRunJob>;

const common = {
  runLocation: RunLocation,
  repoInfo: RepoInfo,
  environment: z.string().max(255).nullish(),
  shouldRecord: z.boolean().default(true).describe("false: the answer names no test session"),
  refreshCache: z.boolean().nullish().describe("accepted; there is no cache"),
};

export const RunTestSession = z
  .object({
    name: z.string().min(1).max(255),
    checkRunJobs: z.array(CheckRunJob).min(1).max(1_000),
    project: z.object({ logicalId: LogicalId }).nullish(),
    sharedFiles: z
      .array(z.object({ path: z.string().max(1_000), content: z.string().max(1_048_576) }))
      .max(5_000)
      .nullish()
      .describe("files that several scripts import; a check names them by their place here"),
    streamLogs: z.boolean().nullish().describe("tell lines of logs while scripts run"),
    ...common,
  })
  .meta({ id: "RunTestSession" });
export type RunTestSession = z.output<typeof RunTestSession>;

const TriggerStoredChecks = z
  .object({
    name: z.string().min(1).max(255),
    checkRunSuiteId: TopicPart.describe("the topic of the results"),
    targetTags: z
      .array(z.array(z.string().min(1).max(255)).max(100))
      .max(100)
      .default([])
      .describe("the outer list is OR, the inner AND"),
    checkId: z.array(z.string().max(100)).max(1_000).nullish(),
    environmentVariables: z
      .array(z.object({ key: z.string().min(1).max(255), value: secretField("sealed", z.string().max(32_768)) }))
      .max(50)
      .default([])
      .describe("win over those of check, group and account"),
    testRetryStrategy: RetryStrategy.nullish().describe("null: no retries"),
    ...common,
  })
  .meta({ id: "TriggerStoredChecks" });
export type TriggerStoredChecks = z.output<typeof TriggerStoredChecks>;

const ids = z.record(z.string(), Uuid);
const started = {
  testSessionId: Uuid.optional().describe("absent where nothing was to be recorded"),
  testResultIds: ids.describe("by logical id, or by the check's id"),
  sequenceIds: ids.describe("a part of the topics, by logical id or by the check's id"),
};

export const StartedTestSession = z.object({ schedulingId: Uuid, ...started }).meta({ id: "StartedTestSession" });
export type StartedTestSession = z.infer<typeof StartedTestSession>;

const TriggeredChecks = z
  .object({ checks: z.array(z.object({ id: Uuid, name: z.string(), checkType: CheckTypeName })), ...started })
  .meta({ id: "TriggeredChecks" });

const Scheduling = z
  .object({
    schedulingId: Uuid,
    testSessionId: Uuid.nullable(),
    status: z
      .enum(["PENDING", "RUNNING", "SUCCEEDED", "FAILED"])
      .describe("always SUCCEEDED: the runs are in the queue with the answer that names this id"),
    checksTotal: z.int(),
    error: z.object({ code: z.string(), message: z.string() }).nullable(),
    createdAt: Instant,
    startedAt: Instant.nullable(),
    endedAt: Instant.nullable(),
  })
  .meta({ id: "TestSessionScheduling" });

const TestResultLinks = z
  .object({
    testResultLink: z.url(),
    testTraceLinks: z.array(z.url()),
    videoLinks: z.array(z.url()),
    screenshotLinks: z.array(z.url()),
  })
  .meta({ id: "TestResultLinks" });

const ofSessions = { tag: "Test sessions", rateLimit: "standard" } as const;
const exampleRun = {
  name: "Book shop",
  runLocation: { type: "PUBLIC", region: "eu-west-1" },
  checkRunJobs: [
    {
      checkType: "URL",
      name: "Front page",
      logicalId: "front-page",
      request: { method: "GET", url: "https://shop.example.com/" },
      sourceInfo: { checkRunSuiteId: "0d1c2b3a-4958-4768-8796-a5b4c3d2e1f0", checkRunId: "1e2d3c4b-5a69-4879-98a7-b6c5d4e3f201" },
    },
  ],
};
const running = {
  ...ofSessions,
  method: "POST",
  summary: "Run checks of code once, without storing them",
  description:
    "Each check as code has it, with its group beside it. What they come to is told live to whoever follows their suite over MQTT, and is kept with " +
    "the test session; it counts in no status, alert or analytics.",
  access: "write",
  body: RunTestSession,
  isLarge: true,
  output: StartedTestSession,
  successStatus: 202,
  example: { body: exampleRun },
} as const;

export const runTestSession = { ...running, id: "runTestSession", path: "/v1/test-sessions/run" } as const satisfies Operation;
export const runTestSessionV0 = { ...running, id: "runTestSessionV0", path: "/next/test-sessions/run" } as const satisfies Operation;

export const awaitScheduling = {
  ...ofSessions,
  id: "awaitTestSessionScheduling",
  method: "GET",
  path: "/v1/test-sessions/scheduling/{schedulingId}/completion",
  summary: "Wait until the runs of a test session are in the queue",
  access: "read",
  params: z.object({ schedulingId: UuidPathId }),
  query: z.object({ maxWaitSeconds: z.coerce.number().int().min(1).max(30).default(30) }),
  output: Scheduling,
  successStatus: 200,
  example: { params: { schedulingId: exampleIds.testSession } },
} as const satisfies Operation;

export const triggerStoredChecks = {
  ...ofSessions,
  id: "triggerStoredChecks",
  method: "POST",
  path: "/next/test-sessions/trigger",
  summary: "Run stored checks once at one location, and tell their results live",
  description: "As `POST /v1/test-sessions/trigger`. 403 with the `errorCode` ERR_NO_MATCHING_CHECKS where no activated check matches.",
  access: "run",
  body: TriggerStoredChecks,
  output: TriggeredChecks,
  successStatus: 200,
  example: {
    body: {
      name: "After the deployment",
      checkRunSuiteId: "0d1c2b3a-4958-4768-8796-a5b4c3d2e1f0",
      runLocation: { type: "PUBLIC", region: "eu-west-1" },
      checkId: [exampleIds.check],
    },
  },
} as const satisfies Operation;

export const getTestSessionLink = {
  ...ofSessions,
  id: "getTestSessionLink",
  method: "GET",
  path: "/next/test-sessions/{testSessionId}/link",
  summary: "Tell where people see a test session",
  access: "read",
  params: z.object({ testSessionId: UuidPathId }),
  output: z.object({ link: z.url() }),
  successStatus: 200,
  example: { params: { testSessionId: exampleIds.testSession } },
} as const satisfies Operation;

export const getTestResultLinks = {
  ...ofSessions,
  id: "getTestResultLinks",
  method: "GET",
  path: "/next/test-sessions/{testSessionId}/results/{testSessionResultId}/links",
  summary: "Tell where people see a result of a test session and its files",
  access: "read",
  params: z.object({ testSessionId: UuidPathId, testSessionResultId: UuidPathId }),
  output: TestResultLinks,
  successStatus: 200,
  example: { params: { testSessionId: exampleIds.testSession, testSessionResultId: exampleIds.testSessionResult } },
} as const satisfies Operation;

export const getTestResultPart = {
  ...ofSessions,
  id: "getTestResultPart",
  method: "GET",
  path: "/next/assets/{part}/{region}/{key}",
  summary: "Read the log or the details of a result that was told live",
  access: "read",
  params: z.object({
    part: z.enum(["log", "check-run-data"]),
    region: z.string().min(1).max(100).describe("where it ran, as the message of the result names it"),
    key: UuidPathId.describe("as the message of the result names it"),
  }),
  output: z.unknown(),
  successStatus: 200,
  example: { params: { part: "check-run-data", region: "eu-west-1", key: exampleIds.testSessionResult } },
} as const satisfies Operation;

export const codeSessionOperations = [
  runTestSession,
  runTestSessionV0,
  awaitScheduling,
  triggerStoredChecks,
  getTestSessionLink,
  getTestResultLinks,
  getTestResultPart,
] as const;
