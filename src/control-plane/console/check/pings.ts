import { millisecondsOf } from "#contract/checks/heartbeat.ts";
import { isPingedCheck } from "#contract/checks/traits.ts";
import type { HeartbeatState, HeartbeatTimer } from "#domain/heartbeat.ts";
import type { TimeWindow } from "#domain/time-range.ts";
import type { CheckIndexStore, HeartbeatEventRow, HeartbeatStore } from "../../storage/storage.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import type { Visit } from "../visit.ts";

export interface PingDeps {
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
  readonly heartbeats: Pick<HeartbeatStore, "events" | "availability" | "timer">;
}

/** A ping or a miss. */
export interface PingEvent extends Pick<HeartbeatEventRow, "state" | "atMs" | "source" | "userAgent"> {
  /** Since the ping before; null for a miss, and where none is kept. Milliseconds. */
  readonly afterMs: number | null;
  /** After the period was over; null for what was in time. */
  readonly lateMs: number | null;
}

/** What came of a heartbeat over a range. */
export interface Pings {
  readonly periodMs: number;
  readonly graceMs: number;
  readonly pingUrl: string;
  /** The oldest first. */
  readonly events: readonly PingEvent[];
  /** There were more, before these. */
  readonly isCut: boolean;
  readonly counts: { readonly pings: number; readonly grace: number; readonly late: number; readonly missed: number };
  /** Of any time. */
  readonly lastPingMs: number | null;
  readonly timer: HeartbeatTimer;
}

/** A month of a ping each quarter of an hour. */
export const eventsAtMost = 3_000;

const pingStates = ["EARLY", "RECEIVED", "GRACE", "LATE"] as const satisfies readonly HeartbeatState[];
const lateStates = ["GRACE", "LATE"] as const satisfies readonly HeartbeatState[];

/** From the store: the operation for it shows ten. Null for checks of other types. */
export async function pingsOf(
  { checkIndex, heartbeats }: PingDeps,
  visit: Visit,
  check: CheckRead,
  range: TimeWindow,
): Promise<Pings | null> {
  if (!isPingedCheck(check)) return null;
  const [known] = await checkIndex.byUuids(visit.account.id, [check.id]);
  if (known === undefined) return null;
  const { id } = known;
  const { fromMs, toMs } = range;
  const window = { fromMs, toMs: toMs + 1 };
  const newestPing = async (beforeMs: number) => {
    const [row] = await heartbeats.events(id, { fromMs: 0, toMs: beforeMs, states: pingStates, limit: 1 });
    return row?.atMs ?? null;
  };
  const [rows, [all], [inGrace], [late], before, lastPingMs, timer] = await Promise.all([
    heartbeats.events(id, { ...window, limit: eventsAtMost }),
    heartbeats.availability([id], window),
    heartbeats.availability([id], { ...window, states: ["GRACE"] }),
    heartbeats.availability([id], { ...window, states: ["LATE"] }),
    newestPing(fromMs),
    newestPing(Number.MAX_SAFE_INTEGER),
    heartbeats.timer(id),
  ]);
  const { period, periodUnit, grace, graceUnit, pingUrl } = check.heartbeat;
  const [periodMs, graceMs] = [millisecondsOf(period, periodUnit), millisecondsOf(grace, graceUnit)];
  const { pings = 0, alerts: missed = 0 } = all ?? {};
  const isCut = rows.length < pings + missed;
  return {
    periodMs,
    graceMs,
    pingUrl,
    events: withIntervals(rows.toReversed(), isCut ? null : before, periodMs),
    isCut,
    counts: { pings, grace: inGrace?.pings ?? 0, late: late?.pings ?? 0, missed },
    lastPingMs,
    timer: timer ?? { periodMs, graceMs, startedAtMs: null, isFailing: false },
  };
}

/** @param beforeMs the ping before all of these */
function withIntervals(rows: readonly HeartbeatEventRow[], beforeMs: number | null, periodMs: number): readonly PingEvent[] {
  let lastMs = beforeMs;
  return rows.map(({ state, atMs, source, userAgent }) => {
    const afterMs = state === "FAILING" || lastMs === null ? null : atMs - lastMs;
    const isLate = lateStates.some((one) => one === state);
    if (state !== "FAILING") lastMs = atMs;
    return { state, atMs, source, userAgent, afterMs, lateMs: isLate && afterMs !== null ? Math.max(0, afterMs - periodMs) : null };
  });
}
