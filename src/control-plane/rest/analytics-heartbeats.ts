import { getHeartbeatAnalytics } from "#contract/analytics.ts";
import { availability } from "#domain/statistics/aggregate.ts";
import { requestedWindow } from "#domain/time-range.ts";
import { heartbeatFigures } from "../figures/check-figures.ts";
import { type Handler, handler } from "../http/handler.ts";
import { accountTimeZone } from "../kinds/account-time-zone.ts";
import { instant } from "../kinds/instants.ts";
import type { HeartbeatStore } from "../storage/heartbeat-store.ts";
import type { CheckStore } from "../storage/storage.ts";
import { checkFields, checkOfPath, chosenMetrics, metadataOf } from "./analytics.ts";

export interface HeartbeatAnalyticsDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly heartbeats: Pick<HeartbeatStore, "availability">;
  readonly nowMs: () => number;
}

export function heartbeatAnalyticsHandlers(deps: HeartbeatAnalyticsDeps): readonly Handler[] {
  return [
    handler(getHeartbeatAnalytics, async ({ params, query }, { caller: { account } }) => {
      const { from, to, quickRange, filterByStatus, limit, page } = query;
      const check = await checkOfPath(deps, account.id, "heartbeat-checks", params.id);
      const window = requestedWindow({ fromMs: from, toMs: to, range: quickRange }, deps.nowMs(), accountTimeZone(account));
      const states = filterByStatus?.length ? { states: filterByStatus } : {};
      const figures = (await heartbeatFigures(deps.heartbeats, [check.id], { ...window, ...states })).get(check.id);
      const values = { availability: figures === undefined ? null : availability(figures), retries: null };
      const metrics = chosenMetrics("heartbeat-checks", query.metrics);
      const row = Object.fromEntries(metrics.map(({ name }) => [name, values[name as keyof typeof values]]));
      return {
        ...checkFields(check),
        from: instant(window.fromMs),
        to: instant(window.toMs),
        series: [{ data: page === 1 ? [row] : [] }],
        pagination: { page, limit, total: 1 },
        metadata: metadataOf(metrics),
      };
    }),
  ];
}
