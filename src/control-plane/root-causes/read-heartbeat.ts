import { AppError } from "#domain/app-error.ts";
import type { HeartbeatFacts, PingFact } from "#domain/root-causes/heartbeat-facts.ts";
import type { CauseStore, CheckIndexStore, CheckRow, CheckSituationStore, HeartbeatEventRow, HeartbeatStore } from "../storage/storage.ts";
import { type ChangeDeps, readChanges } from "./read-changes.ts";

export interface HeartbeatFactDeps extends ChangeDeps {
  readonly causes: Pick<CauseStore, "heartbeatsBeside">;
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
  readonly checkSituations: Pick<CheckSituationStore, "maintenance">;
  readonly heartbeats: Pick<HeartbeatStore, "events" | "timer">;
}

const [minuteMs, dayMs] = [60_000, 86_400_000];
const [longestLookMs, eventsAtMost] = [400 * dayMs, 60];
/** Others have other periods: of a host that went down they tell in the time around. */
const [besideBeforeMs, besideAfterMs] = [60 * minuteMs, 15 * minuteMs];

/** All that rules look at where a heartbeat was missed. @throws {AppError} not_found where none of its alerts is stored */
export async function readHeartbeat(deps: HeartbeatFactDeps, check: CheckRow, nowMs: number): Promise<HeartbeatFacts> {
  const { causes, checkIndex, checkSituations, heartbeats } = deps;
  const [timer, events, [known]] = await Promise.all([
    heartbeats.timer(check.id),
    heartbeats.events(check.id, { fromMs: nowMs - longestLookMs, toMs: nowMs + 1, limit: eventsAtMost }),
    checkIndex.byUuids(check.accountId, [check.uuid]),
  ]);
  const missed = missIn(events);
  if (timer === undefined || missed === null) throw new AppError("not_found", "No miss of this heartbeat is stored any more");
  const { missedAtMs, before, cameAtMs } = missed;
  const [last] = before;
  const time = { fromMs: Math.max(last?.atMs ?? 0, missedAtMs - besideBeforeMs), toMs: missedAtMs + besideAfterMs };
  const [others, changes, windows] = await Promise.all([
    causes.heartbeatsBeside(check.accountId, check.id, time),
    readChanges(deps, check, { fromMs: Math.max(last?.atMs ?? 0, missedAtMs - dayMs), toMs: missedAtMs + minuteMs }),
    checkSituations.maintenance({ id: check.id, tags: known?.tags ?? [] }, last?.atMs ?? missedAtMs, missedAtMs + 1),
  ]);
  return {
    check: { id: check.uuid, name: check.definition.name, type: "HEARTBEAT", host: null },
    periodMs: timer.periodMs,
    graceMs: timer.graceMs,
    missedAtMs,
    pings: before.map(pingFact),
    cameAtMs,
    others: others.map(({ uuid, name, isMissed }) => ({ checkId: uuid, name, isMissed })),
    changes: changes.filter(({ what }) => what === "check" || what === "group" || what === "deployment"), // a ping uses nothing else
    windows,
  };
}

/** The first alert after a ping, of the newest miss. @param events the newest first */
function missIn(events: readonly HeartbeatEventRow[]): {
  readonly missedAtMs: number;
  readonly before: readonly HeartbeatEventRow[];
  readonly cameAtMs: number | null;
} | null {
  const newest = events.findIndex(({ state }) => state === "FAILING");
  if (newest === -1) return null;
  const afterAlerts = events.findIndex(({ state }, index) => index > newest && state !== "FAILING");
  const end = afterAlerts === -1 ? events.length : afterAlerts;
  const missedAtMs = events[end - 1]?.atMs ?? 0;
  const before = events.slice(end).filter(({ state }) => state !== "FAILING");
  return { missedAtMs, before, cameAtMs: events[newest - 1]?.atMs ?? null };
}

function pingFact({ state, atMs, source, userAgent: program }: HeartbeatEventRow): PingFact {
  return { state, atMs, source, program };
}
