import type { RetryStrategy } from "#contract/checks/retry-strategy.ts";

export interface FailedRun {
  readonly strategy: RetryStrategy | null;
  /** Attempts made so far, all failed, at least 1. */
  readonly failedAttempts: number;
  /** Since the first attempt started, whatever it was spent on. */
  readonly elapsedMs: number;
  /** No status code arrived. */
  readonly networkError: boolean;
  readonly alreadyCancelled?: boolean;
}

export type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | { readonly retry: false; readonly because: "no_strategy" | "cancelled" | "not_a_network_error" | "retries_used_up" | "out_of_time" };

/**
 * Decides what follows a failed attempt (behaviour 2.5). With base b, retry n waits b (FIXED), b·n (LINEAR) or
 * bⁿ seconds (EXPONENTIAL); SINGLE_RETRY waits b once, whatever `maxRetries` says. A retry that could only start
 * after `maxDurationSeconds` is not made. No jitter: the schedule already spreads checks, and an exact delay keeps
 * a run explainable from its log.
 */
export function decideRetry({ strategy, failedAttempts, elapsedMs, networkError, alreadyCancelled }: FailedRun): RetryDecision {
  if (alreadyCancelled) return { retry: false, because: "cancelled" };
  if (strategy === null) return { retry: false, because: "no_strategy" };
  if (strategy.onlyOn?.includes("NETWORK_ERROR") && !networkError) return { retry: false, because: "not_a_network_error" };
  const maxRetries = strategy.type === "SINGLE_RETRY" ? 1 : strategy.maxRetries;
  if (failedAttempts > maxRetries) return { retry: false, because: "retries_used_up" };
  const delayMs = delaySeconds(strategy, failedAttempts) * 1_000;
  if (elapsedMs + delayMs > strategy.maxDurationSeconds * 1_000) return { retry: false, because: "out_of_time" };
  return { retry: true, delayMs };
}

/** `doubleCheck` without a strategy: look once more, at once and from the same place, before anybody is woken. */
const secondLook: RetryStrategy = {
  type: "SINGLE_RETRY",
  baseBackoffSeconds: 0,
  sameRegion: true,
  maxRetries: 1,
  maxDurationSeconds: 600,
};

/**
 * The strategy that a check runs by. One that is set wins, also null, which means no retries; only where none was
 * ever given does the deprecated `doubleCheck` count (behaviour 2.5).
 */
export function effectiveRetryStrategy(check: {
  readonly retryStrategy?: RetryStrategy | null | undefined;
  readonly doubleCheck?: boolean | undefined;
}): RetryStrategy | null {
  if (check.retryStrategy !== undefined) return check.retryStrategy;
  return check.doubleCheck ? secondLook : null;
}

function delaySeconds({ type, baseBackoffSeconds: base }: RetryStrategy, retry: number): number {
  switch (type) {
    case "FIXED":
    case "SINGLE_RETRY":
      return base;
    case "LINEAR":
      return base * retry;
    case "EXPONENTIAL":
      return base ** retry;
  }
}
