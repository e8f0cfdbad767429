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
  | { readonly kind: "again"; readonly dueAtMs: number }
  | { readonly kind: "given_up"; readonly because: "permanent" | "retries_used_up" };

/** Behaviour 2.7: up to 5 retries, 20 s apart. */
export const maxRetries = 5;
export const retryDelayMs = 20_000;
/** A wrong `Retry-After` must not silence a channel. */
export const maxRetryDelayMs = 300_000;

/**
 * Attempts that may begin. A restart may cut some of them; one that has begun so often ends the process, or the record of what came of it cannot
 * be written, and would go on without end.
 */
const maxBegun = 2 * (maxRetries + 1);

/** What came of a delivery that need not be tried any more, as no attempt at it ends; undefined: try it. @param attempts begun, this one included */
export function endless(attempts: number): DeliveryOutcome | undefined {
  if (attempts <= maxBegun) return undefined;
  const status = `not sent: ${maxBegun} attempts began and had no end, which the log of the control plane may explain`;
  return { ok: false, status, isRetryable: false, isReceiverDown: false };
}

/**
 * Decides what follows an attempt to deliver.
 *
 * @param attempts made so far, this one included
 * @param endedAtMs when this one ended, so that a slow receiver gets its rest too
 */
export function stepAfter(outcome: DeliveryOutcome, attempts: number, endedAtMs: number): NextStep {
  if (outcome.ok) return { kind: "delivered" };
  if (!outcome.isRetryable) return { kind: "given_up", because: "permanent" };
  if (attempts > maxRetries) return { kind: "given_up", because: "retries_used_up" };
  const asked = Math.min(outcome.retryAfterMs ?? 0, maxRetryDelayMs);
  return { kind: "again", dueAtMs: endedAtMs + Math.max(retryDelayMs, asked) };
}
