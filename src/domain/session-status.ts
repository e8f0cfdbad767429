/**
 * States and exits of a check session (spec 3):
 *
 * STARTED → PROGRESS → PROGRESS_FAILED | PROGRESS_DEGRADED while results come in, then one of
 * PASSED | FAILED | DEGRADED | TIMED_OUT | CANCELLED, which are final.
 */
export const sessionStatuses = [
  "STARTED",
  "PROGRESS",
  "PROGRESS_FAILED",
  "PROGRESS_DEGRADED",
  "PASSED",
  "FAILED",
  "DEGRADED",
  "TIMED_OUT",
  "CANCELLED",
] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

export interface SessionCounters {
  /** How many locations the session runs at; each ends in exactly one of the five below. */
  readonly locations: number;
  readonly passed: number;
  readonly degraded: number;
  readonly failed: number;
  /** No agent ran it in time, or the agent's own side spoiled the run: nothing is known of the target. */
  readonly missed: number;
  readonly cancelled: number;
  /** An agent has taken one of the jobs. */
  readonly begun: boolean;
}

/**
 * The status that the counters mean. At the end a cancel outweighs all, then a failure, then a location that nobody
 * ran or whose agent spoiled the run (TIMED_OUT, never a failure of the target), then degradation.
 */
export function sessionStatus(session: SessionCounters): SessionStatus {
  const { passed, degraded, failed, missed, cancelled } = session;
  const ended = passed + degraded + failed + missed + cancelled;
  if (ended >= session.locations) {
    if (cancelled > 0) return "CANCELLED";
    if (failed > 0) return "FAILED";
    if (missed > 0 || ended === 0) return "TIMED_OUT";
    return degraded > 0 ? "DEGRADED" : "PASSED";
  }
  if (failed > 0) return "PROGRESS_FAILED";
  if (degraded > 0) return "PROGRESS_DEGRADED";
  return session.begun || ended > 0 ? "PROGRESS" : "STARTED";
}

/** Whether nothing can follow. */
export function hasEnded(status: SessionStatus): boolean {
  return status !== "STARTED" && !status.startsWith("PROGRESS");
}

/** `GET /v1/check-sessions/{id}` knows no CANCELLED (behaviour 3). */
export function v1Status(status: SessionStatus): Exclude<SessionStatus, "CANCELLED"> {
  return status === "CANCELLED" ? "TIMED_OUT" : status;
}
