/** What one attempt of an API or URL check saw, and what it is judged by. */
export interface AttemptToJudge {
  /** As evaluated: those that failed have an `error`. Null when none were evaluated. */
  readonly assertions: readonly { readonly source: string; readonly error?: string | undefined }[] | null;
  readonly shouldFail: boolean;
  /** Milliseconds; null: nothing is degraded. */
  readonly degradedResponseTime: number | null;
  /** Milliseconds; null: nothing is too slow. */
  readonly maxResponseTime: number | null;
  /** Null when no status code arrived. */
  readonly statusCode: number | null;
  readonly responseTimeMs: number;
  /** Why no (whole) answer was seen. */
  readonly failure: { readonly code: string; readonly message: string } | null;
}

export interface Verdict {
  /** The attempt failed. */
  readonly hasFailures: boolean;
  /** It failed because there was no (whole) answer to judge. */
  readonly hasErrors: boolean;
  /** Slow, and nothing else: an attempt that failed is never degraded. */
  readonly isDegraded: boolean;
  readonly overMaxResponseTime: boolean;
  /** The first thing that failed, in a sentence: for alerts and error groups. */
  readonly errorMessage: string | null;
  /** No status code arrived: what `onlyOn: NETWORK_ERROR` retries (behaviour 2.5). */
  readonly networkError: boolean;
}

/**
 * Judges one attempt (behaviour 2.2). A status of 400 or more fails, unless the check should fail or a STATUS_CODE
 * assertion judges the status instead. `shouldFail` excuses the status only: failed assertions and missing answers
 * still fail. Times are compared as stored, rounded to whole milliseconds, and fail above the limit, not at it.
 */
export function judgeAttempt(attempt: AttemptToJudge): Verdict {
  const { failure, statusCode } = attempt;
  const timeMs = Math.round(attempt.responseTimeMs);
  const overMaxResponseTime = isOver(timeMs, attempt.maxResponseTime);
  const tooSlow = overMaxResponseTime ? `response time ${timeMs} ms is over the limit of ${attempt.maxResponseTime} ms` : null;
  const missing = failure === null ? null : `${failure.code}: ${failure.message}`;
  const failedAssertion = attempt.assertions?.find(({ error }) => error !== undefined)?.error ?? null;
  const errorMessage = missing ?? statusProblem(attempt) ?? failedAssertion ?? tooSlow;
  const hasFailures = errorMessage !== null;
  return {
    hasFailures,
    hasErrors: failure !== null,
    isDegraded: !hasFailures && isOver(timeMs, attempt.degradedResponseTime),
    overMaxResponseTime,
    errorMessage,
    networkError: failure !== null && statusCode === null,
  };
}

function isOver(timeMs: number, limitMs: number | null): boolean {
  return limitMs !== null && timeMs > limitMs;
}

function statusProblem({ assertions, shouldFail, statusCode }: AttemptToJudge): string | null {
  if (statusCode === null || statusCode < 400 || shouldFail) return null;
  if (assertions?.some(({ source }) => source === "STATUS_CODE")) return null;
  return `expected a status below 400, got ${statusCode}`;
}
