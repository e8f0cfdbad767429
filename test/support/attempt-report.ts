import type { AttemptReport } from "../../src/contract/agent-protocol.ts";

/** A report of a passed API check of one millisecond; a test adds what it is about. */
export function attemptReport(changes: Partial<AttemptReport> = {}): AttemptReport {
  return {
    jobId: "0b2c3d4e-0000-4000-8000-000000000001",
    attempt: 1,
    fence: 1,
    checkType: "API",
    resultType: "FINAL",
    startedAt: 0,
    stoppedAt: 1,
    responseTimeMs: 1,
    statusCode: 200,
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    overMaxResponseTime: false,
    isCancelled: false,
    agentSide: false,
    errorMessage: null,
    queuedMs: 0,
    loopDelayMs: 0,
    metrics: {},
    detail: null,
    retryElsewhereAfterMs: null,
    ...changes,
  };
}
