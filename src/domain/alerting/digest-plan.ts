/** How much one channel may say. */
export interface ChannelBudget {
  /** Messages within a minute; what comes on top waits and becomes one. */
  readonly perMinute: number;
  /** Messages within an hour. */
  readonly perHour: number;
}

/** So many alerts that wait at once for one channel are a storm, and become one message. */
export const stormSize = 10;
/** What one digest takes; more of them no message could name. */
export const maxDigest = 10_000;

/** What a channel says next. */
export type NextMessage =
  | { readonly kind: "nothing" }
  /** The oldest alone, or the oldest `count` as one. */
  | { readonly kind: "send"; readonly count: number }
  /** Its budget is used up. */
  | { readonly kind: "wait"; readonly untilMs: number };

const minuteMs = 60_000;
const hourMs = 3_600_000;

/**
 * Decides what a channel says next. Within its budget each alert is a message of its own; the last message that a minute or an hour has room
 * for takes all that wait with it, and so does a storm. Nothing is dropped: what has no room waits for it.
 *
 * @param waiting alerts that are due, the oldest first
 * @param sentAtMs when its messages of the last hour were sent, in any order
 * @param wasHeldBack what waits had no room before: it goes as one
 */
export function nextMessage(
  waiting: number,
  sentAtMs: readonly number[],
  budget: ChannelBudget,
  nowMs: number,
  wasHeldBack = false,
): NextMessage {
  if (waiting === 0) return { kind: "nothing" };
  const untilMs = Math.max(freeAt(sentAtMs, minuteMs, budget.perMinute, nowMs), freeAt(sentAtMs, hourMs, budget.perHour, nowMs));
  if (untilMs > nowMs) return { kind: "wait", untilMs };
  const isLastOf = (windowMs: number, limit: number): boolean => within(sentAtMs, windowMs, nowMs).length >= limit - 1;
  const together = wasHeldBack || waiting >= stormSize || isLastOf(minuteMs, budget.perMinute) || isLastOf(hourMs, budget.perHour);
  return { kind: "send", count: together ? Math.min(waiting, maxDigest) : 1 };
}

/** When a window has room for one more. */
function freeAt(sentAtMs: readonly number[], windowMs: number, limit: number, nowMs: number): number {
  const counted = within(sentAtMs, windowMs, nowMs);
  if (counted.length < limit) return nowMs;
  return (counted.toSorted((a, b) => b - a)[limit - 1] ?? nowMs) + windowMs;
}

/** What lies ahead was sent before the clock was set back, and must not silence the channel until then. */
function within(sentAtMs: readonly number[], windowMs: number, nowMs: number): readonly number[] {
  return sentAtMs.filter((at) => at > nowMs - windowMs && at <= nowMs);
}
