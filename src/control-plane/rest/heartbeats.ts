import { isPinged } from "#contract/checks/traits.ts";
import {
  getHeartbeatAvailability,
  getHeartbeatEvent,
  type HeartbeatAvailability,
  type HeartbeatEvent,
  listHeartbeatEvents,
} from "#contract/heartbeats.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import { heartbeatEventIdOf, heartbeatEventUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { CheckRow, CheckStore, HeartbeatEventRow, HeartbeatStore } from "../storage/storage.ts";

export interface HeartbeatDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly heartbeats: Pick<HeartbeatStore, "events" | "event" | "availability">;
  readonly nowMs: () => number;
}

const dayMs = 86_400_000;

export function heartbeatHandlers({ checks, heartbeats, nowMs }: HeartbeatDeps): readonly Handler[] {
  async function findHeartbeat(accountId: number, id: string): Promise<CheckRow> {
    const check = await checks.byUuid(accountId, id.toLowerCase());
    if (check === undefined || !isPinged(check.type)) throw notFound("heartbeat", id);
    return check;
  }

  async function availability(checkId: number, fromMs: number, toMs: number): Promise<HeartbeatAvailability | null> {
    const percentage = async (window: { readonly fromMs: number; readonly toMs: number }) => {
      const [counts] = await heartbeats.availability([checkId], window);
      return counts === undefined ? undefined : { events: counts.pings + counts.alerts, percent: percentOf(counts) };
    };
    const [current, previous] = await Promise.all([
      percentage({ fromMs, toMs }),
      percentage({ fromMs: fromMs - (toMs - fromMs), toMs: fromMs }),
    ]);
    if (current === undefined) return null;
    return {
      successRatio: { currentPeriod: current.percent, ...(previous !== undefined && { previousPeriod: previous.percent }) },
      totalEntitiesCurrentPeriod: current.events,
    };
  }

  async function stats(checkId: number) {
    const now = nowMs();
    const [last24Hours, last7Days] = await Promise.all([
      availability(checkId, now - dayMs, now),
      availability(checkId, now - 7 * dayMs, now),
    ]);
    return { last24Hours, last7Days };
  }

  return [
    handler(listHeartbeatEvents, async ({ params, query: { startTime = 0, endTime, limit } }, { caller }) => {
      const { id } = await findHeartbeat(caller.account.id, params.checkId);
      const window = checkedWindow(startTime, endTime ?? nowMs() + 1);
      const rows = await heartbeats.events(id, { ...window, limit });
      return [{ events: rows.map(eventView), stats: await stats(id) }];
    }),
    handler(getHeartbeatEvent, async ({ params }, { caller }) => {
      const check = await findHeartbeat(caller.account.id, params.checkId);
      const id = heartbeatEventIdOf(params.id);
      const row = id === undefined ? undefined : await heartbeats.event(check.id, id);
      if (row === undefined) throw notFound("heartbeat event", params.id);
      return { event: eventView(row), stats: await stats(check.id) };
    }),
    handler(getHeartbeatAvailability, async ({ params, query: { startTime, endTime = nowMs() + 1 } }, { caller }) => {
      const { id } = await findHeartbeat(caller.account.id, params.checkId);
      const { fromMs, toMs } = checkedWindow(startTime ?? endTime - dayMs, endTime);
      return availability(id, fromMs, toMs);
    }),
  ];
}

/** @throws {AppError} invalid_input when nothing can lie in it */
function checkedWindow(fromMs: number, toMs: number): { readonly fromMs: number; readonly toMs: number } {
  if (fromMs < toMs) return { fromMs, toMs };
  const message = `must lie before endTime (${instant(toMs)}); received ${instant(fromMs)}`;
  throw new AppError("invalid_input", `"startTime" ${message}`, { attributes: { issues: [{ path: "startTime", message }] } });
}

function percentOf({ pings, alerts }: { readonly pings: number; readonly alerts: number }): number {
  return (100 * pings) / (pings + alerts);
}

function eventView(row: HeartbeatEventRow): HeartbeatEvent {
  return { id: heartbeatEventUuid(row), state: row.state, timestamp: instant(row.atMs), source: row.source, userAgent: row.userAgent };
}
