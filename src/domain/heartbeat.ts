/**
 * A heartbeat waits for its first ping; then its timer runs. Every ping starts the timer anew, and so does every alert, so that one that
 * stays away is told of again after another period and grace. Deactivating forgets the timer (behaviour 2.4).
 */

/** What an event can tell. Positions are stored: only ever append. */
export const heartbeatStates = ["FAILING", "EARLY", "RECEIVED", "GRACE", "LATE"] as const;
export type HeartbeatState = (typeof heartbeatStates)[number];

export interface HeartbeatTimer {
  readonly periodMs: number;
  readonly graceMs: number;
  /** The last ping or alert; null while it waits for its first ping. */
  readonly startedAtMs: number | null;
  /** An alert was the last that happened. */
  readonly isFailing: boolean;
}

export interface HeartbeatEvent {
  readonly state: HeartbeatState;
  readonly atMs: number;
}

/** What followed from a ping or from time: the events, oldest first, and the timer from now on. */
export interface HeartbeatStep<Timer extends HeartbeatTimer = HeartbeatTimer> {
  readonly events: readonly HeartbeatEvent[];
  readonly timer: Timer;
}

/** When the alert is due; null while nothing is waited for. */
export function alertDueMs({ periodMs, graceMs, startedAtMs }: HeartbeatTimer): number | null {
  return startedAtMs === null ? null : startedAtMs + periodMs + graceMs;
}

/** A ping. Where nobody looked at the timer since its alert was due, the alert comes first, so that no miss is lost. */
export function afterPing<Timer extends HeartbeatTimer>(timer: Timer, atMs: number): HeartbeatStep<Timer> {
  const { events, timer: before } = afterTime(timer, atMs);
  return { events: [...events, { state: pingState(before, atMs), atMs }], timer: { ...before, startedAtMs: atMs, isFailing: false } };
}

/** Time went by. However long nobody looked, it is one alert, dated to when it was due. */
export function afterTime<Timer extends HeartbeatTimer>(timer: Timer, nowMs: number): HeartbeatStep<Timer> {
  const dueMs = alertDueMs(timer);
  if (dueMs === null || nowMs < dueMs) return { events: [], timer };
  return { events: [{ state: "FAILING", atMs: dueMs }], timer: { ...timer, startedAtMs: nowMs, isFailing: true } };
}

/** New times start a running timer anew: a shorter period must not make up a miss of the past. */
export function withTimes<Timer extends HeartbeatTimer>(
  timer: Timer,
  times: { readonly periodMs: number; readonly graceMs: number },
  nowMs: number,
): Timer {
  const same = timer.periodMs === times.periodMs && timer.graceMs === times.graceMs;
  return { ...timer, ...times, startedAtMs: same || timer.startedAtMs === null ? timer.startedAtMs : nowMs };
}

/**
 * LATE after an alert, GRACE when the period is over, RECEIVED in time and for the first ping. EARLY is a ping in the first half of the
 * period: jobs that run on time are never early, while a job that runs too often is.
 */
function pingState({ periodMs, startedAtMs, isFailing }: HeartbeatTimer, atMs: number): HeartbeatState {
  if (startedAtMs === null) return "RECEIVED";
  if (isFailing) return "LATE";
  const waitedMs = atMs - startedAtMs;
  if (waitedMs > periodMs) return "GRACE";
  return waitedMs < periodMs / 2 ? "EARLY" : "RECEIVED";
}
