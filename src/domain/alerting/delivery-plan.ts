/** How one attempt to tell a channel ended. `status` is for the log of notifications: one line, without secrets. */
export type DeliveryOutcome =
  | { readonly ok: true; readonly status: string }
  | {
      readonly ok: false;
      readonly status: string;
      /** False where another attempt would end the same way. */
      readonly isRetryable: boolean;
      /** What the receiver asked for. */
      readonly retryAfterMs?: number | undefined;
      /** The receiver could not be reached or had trouble of its own, which every message to it would meet. */
      readonly isReceiverDown: boolean;
    };

/** What follows an attempt. */
export type NextStep =
  | { readonly kind: "delivered" }
  | { readonly kind: "again"; readonly inMs: number }
  /** `inMs`: for what joined later and may be tried for longer; null: for all of it. */
  | { readonly kind: "given_up"; readonly because: "permanent" | "retries_used_up"; readonly inMs: number | null };

/** The pause after the first failure; each is twice as long as the one before, up to the longest. */
export const firstRetryDelayMs = 20_000;
export const longestRetryDelayMs = 600_000;
/** A wrong `Retry-After` must not silence a channel. */
export const maxRetryDelayMs = 300_000;

/**
 * Attempts at a message before it takes along all that waits behind it, after ten minutes: what is newer must not wait for a receiver that
 * refuses this one, and must not overtake it, as it may be the recovery.
 */
export const attemptsAlone = 6;

/**
 * Attempts in a row that may begin without an end. A restart may cut some of them; one that has begun so often ends the process, or the record
 * of what came of it cannot be written, and would go on without end.
 */
const maxCut = 12;

/** What came of a delivery that need not be tried any more, as no attempt at it ends; undefined: try it. @param cuts begun since one ended, this one included */
export function endless(cuts: number): DeliveryOutcome | undefined {
  if (cuts <= maxCut) return undefined;
  const status = `not sent: ${maxCut} attempts began and had no end, which the log of the control plane may explain`;
  return { ok: false, status, isRetryable: false, isReceiverDown: false };
}

/** A message whose attempt ended. */
interface Tried {
  /** Attempts so far, this one included. */
  readonly attempts: number;
  /** How long the oldest alert in it has waited, and how long its channel lets it be tried. */
  readonly waitedMs: number;
  readonly retryForMs: number;
}

/** Decides what follows an attempt to deliver. */
export function stepAfter(outcome: DeliveryOutcome, { attempts, waitedMs, retryForMs }: Tried): NextStep {
  if (outcome.ok) return { kind: "delivered" };
  if (!outcome.isRetryable) return { kind: "given_up", because: "permanent", inMs: null };
  const asked = Math.min(outcome.retryAfterMs ?? 0, maxRetryDelayMs);
  const pauseMs = Math.max(Math.min(longestRetryDelayMs, firstRetryDelayMs * 2 ** Math.min(20, attempts - 1)), asked);
  if (waitedMs >= retryForMs) return { kind: "given_up", because: "retries_used_up", inMs: pauseMs };
  // The last attempt comes when the time is over, not a pause before it.
  return { kind: "again", inMs: Math.min(pauseMs, Math.max(1_000, retryForMs - waitedMs)) };
}
