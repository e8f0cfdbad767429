import { z } from "zod";
import { CheckResult } from "./check-results.ts";
import { CheckTypeName, Instant, Uuid } from "./primitives.ts";
import { RunProgress } from "./run-progress.ts";

export const testSessionStatuses = ["FAILED", "PASSED", "RUNNING", "CANCELLED"] as const;
/** Of a test session, and of each of its results. */
export const TestSessionStatus = z.enum(testSessionStatuses);
export type TestSessionStatus = z.infer<typeof TestSessionStatus>;

const result = {
  testSessionResultId: Uuid,
  testSessionResultLink: z.url(),
  checkId: Uuid.nullable(),
  checkType: CheckTypeName,
  name: z.string().describe("name of the check when the session began"),
  runLocation: z.string(),
  errorGroupIds: z.array(Uuid).describe("always empty: error groups are of runs by schedule and of check sessions"),
  resultType: z.enum(["FINAL", "ATTEMPT", "PENDING"]),
  status: TestSessionStatus,
  hasErrors: z.boolean(),
  hasFailures: z.boolean(),
  isDegraded: z.boolean(),
  aborted: z.boolean().describe("nobody ran it in time, or its agent spoiled it"),
  responseTime: z.int().nullable().describe("milliseconds"),
  startedAt: Instant.nullable(),
  stoppedAt: Instant.nullable(),
  progress: RunProgress.nullable()
    .optional()
    .describe("of a check that is a script, as long as it runs; null until its agent told something"),
};

/** One check of a test session, or an attempt of it that was retried. The id of the check's result is known from the beginning. */
export const TestSessionResult = z.object(result).meta({ id: "TestSessionResult" });
export type TestSessionResult = z.infer<typeof TestSessionResult>;

const { shape } = CheckResult;

/** A result with all that is known of it: the member of its check type is filled, the others are null. */
export const WholeTestSessionResult = z
  .object({
    ...result,
    id: Uuid.describe("the same as `testSessionResultId`"),
    privateLocationId: Uuid.nullable(),
    filePath: z.string().nullable().describe("where the client that started it has its code"),
    isCancelled: z.boolean(),
    overMaxResponseTime: z.boolean(),
    attempts: z.int().min(0),
    sequenceId: Uuid.nullable(),
    scheduleError: z.string().nullable().describe("why the check never ran"),
    traceId: z.string().nullable(),
    created_at: Instant,
    updated_at: Instant.nullable(),
    apiCheckResult: shape.apiCheckResult,
    browserCheckResult: shape.browserCheckResult,
    multiStepCheckResult: shape.multiStepCheckResult,
    playwrightCheckResult: shape.playwrightCheckResult,
    agenticCheckResult: shape.agenticCheckResult,
    tracerouteCheckResult: shape.tracerouteCheckResult,
    grpcCheckResult: shape.grpcCheckResult,
    sslCheckResult: shape.sslCheckResult,
    tcpCheckResult: shape.tcpCheckResult,
    dnsCheckResult: shape.dnsCheckResult,
    icmpCheckResult: shape.icmpCheckResult,
    errorMessage: shape.errorMessage,
  })
  .meta({ id: "WholeTestSessionResult" });
export type WholeTestSessionResult = z.infer<typeof WholeTestSessionResult>;
