import type { Measure } from "#domain/verdict.ts";

/** Below this a late event loop explains nothing that a check is judged by, ms. */
const noticeableDelayMs = 100;
/** From here a failed exchange may be our own doing: deadlines are seconds, and an answer may have lain unread. */
const spoilingDelayMs = 1_000;

export interface RunToGate {
  readonly failure: { readonly side: "target" | "agent" } | null;
  readonly loopDelayMs: number;
  readonly measures: readonly Measure[];
}

/** Whether the agent's own side spoiled the attempt: its resolver, its egress, or a loop too late to measure with. */
export function isSpoiled({ failure, loopDelayMs, measures }: RunToGate): boolean {
  if (failure?.side === "agent") return true;
  if (loopDelayMs < noticeableDelayMs) return false;
  if (failure !== null) return loopDelayMs >= spoilingDelayMs;
  return measures.some(({ unit, value, failedAbove }) => {
    return unit === "ms" && failedAbove !== null && value > failedAbove && value - loopDelayMs <= failedAbove;
  });
}
