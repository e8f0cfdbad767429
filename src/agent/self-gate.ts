/** Below this a late event loop explains nothing that a check is judged by, ms. */
const noticeableDelayMs = 100;
/** From here a failed exchange may be our own doing: deadlines are seconds, and an answer may have lain unread. */
const spoilingDelayMs = 1_000;

export interface RunToGate {
  readonly failure: { readonly side: "target" | "agent" } | null;
  readonly loopDelayMs: number;
  readonly responseTimeMs: number;
  readonly overMaxResponseTime: boolean;
  readonly maxResponseTime: number | null;
}

/** Whether the agent's own side spoiled the attempt: its resolver, its egress, or a loop too late to measure with. */
export function isSpoiled(run: RunToGate): boolean {
  if (run.failure?.side === "agent") return true;
  if (run.loopDelayMs < noticeableDelayMs) return false;
  if (run.failure !== null) return run.loopDelayMs >= spoilingDelayMs;
  return run.overMaxResponseTime && run.responseTimeMs - run.loopDelayMs <= (run.maxResponseTime ?? Number.POSITIVE_INFINITY);
}
