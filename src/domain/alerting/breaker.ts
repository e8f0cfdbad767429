import type { DeliveryOutcome } from "./delivery-plan.ts";

/**
 * Whether a channel is worth an attempt. Closed: yes. After `failuresToOpen` attempts in a row that found its receiver down it is open and
 * nothing is sent until `openUntilMs`; then one attempt goes through (half open). That one closes it, or opens it for twice as long.
 */
export interface Breaker {
  /** In a row. */
  readonly failures: number;
  /** Null while it is closed. */
  readonly openUntilMs: number | null;
}

export const closedBreaker: Breaker = { failures: 0, openUntilMs: null };

/** More than the attempts of one message alone: one that its receiver refuses must not hold up what comes with it. */
export const failuresToOpen = 8;
const firstRestMs = 30_000;
const longestRestMs = 600_000;

/** What it is after an attempt. An answer of any kind that is no trouble of the receiver's shows that it is there. */
export function breakerAfter(breaker: Breaker, outcome: DeliveryOutcome, endedAtMs: number): Breaker {
  if (outcome.ok || !outcome.isReceiverDown) return closedBreaker;
  const failures = breaker.failures + 1;
  if (failures < failuresToOpen) return { failures, openUntilMs: null };
  const restMs = Math.min(longestRestMs, firstRestMs * 2 ** Math.min(20, failures - failuresToOpen));
  return { failures, openUntilMs: endedAtMs + restMs };
}

/** How long to wait before the next attempt; 0 to make it now. */
export function restMs(breaker: Breaker, nowMs: number): number {
  return Math.max(0, (breaker.openUntilMs ?? 0) - nowMs);
}
