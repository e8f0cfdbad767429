import { type CheckResult, MissedReason } from "#contract/check-results.ts";
import type { TestedResult } from "./tried-run.ts";

/**
 * The result of a test session in the shape of a check's own, for the parts of pages that tell of one. What test sessions do not tell
 * (queue, event loop, error groups) is empty there, so no page may show it.
 */
export function asCheckResult(tested: TestedResult, assets: CheckResult["assets"]): CheckResult {
  const { id, checkId, created_at: createdAt, scheduleError, aborted, responseTime, resultType, startedAt } = tested;
  return {
    ...tested,
    checkId: checkId ?? id,
    created_at: createdAt,
    responseTime: responseTime ?? 0,
    checkRunId: Date.parse(createdAt),
    resultType: scheduleError !== null ? "MISSED" : resultType === "ATTEMPT" ? "ATTEMPT" : "FINAL",
    queuedMs: 0,
    eventLoopDelayMs: 0,
    agentSide: aborted && startedAt !== null,
    late: false,
    missedReason: MissedReason.safeParse(scheduleError).data ?? null,
    assets,
  };
}
