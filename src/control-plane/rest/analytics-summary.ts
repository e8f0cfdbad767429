import { type AnalyticsSummary, summarizeChecks } from "#contract/analytics.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { aggregate, availability } from "#domain/statistics/aggregate.ts";
import { quickWindow } from "#domain/time-range.ts";
import { columnOf } from "../figures/analytics-columns.ts";
import { type CheckFigureDeps, figuresOf } from "../figures/check-figures.ts";
import { type Handler, handler } from "../http/handler.ts";
import { accountTimeZone } from "../kinds/account-time-zone.ts";
import type { MetricColumn, RunFigures } from "../storage/analytics-store.ts";
import type { CheckIndexStore } from "../storage/storage.ts";

export interface AnalyticsSummaryDeps extends CheckFigureDeps {
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
  readonly nowMs: () => number;
}

export function analyticsSummaryHandlers(deps: AnalyticsSummaryDeps): readonly Handler[] {
  return [
    handler(summarizeChecks, async ({ query: { quickRange }, body }, { caller: { account } }) => {
      const wanted = [...new Set(body.checkIds.map((id) => id.toLowerCase()))];
      const found = new Map((await deps.checkIndex.byUuids(account.id, wanted)).map((check) => [check.uuid, check]));
      const checks = wanted.flatMap((uuid) => found.get(uuid) ?? []);
      const window = quickWindow(quickRange, deps.nowMs(), accountTimeZone(account));
      const figures = await figuresOf(deps, checks, window, summaryColumns);
      return checks.map(({ id, uuid, type }) => ({ checkId: uuid, checkType: type, ...summaryOf(type, figures.get(id)) }));
    }),
  ];
}

function summaryColumns(type: CheckTypeName): readonly MetricColumn[] {
  return traitsOf(type).summary.flatMap((name) => columnOf(type, name) ?? []);
}

function summaryOf(type: CheckTypeName, figures: RunFigures | undefined): Omit<AnalyticsSummary, "checkId" | "checkType"> {
  const values = (kept: string) => {
    const column: MetricColumn | null = traitsOf(type).summary.includes(kept) ? columnOf(type, kept) : null;
    return column === null ? undefined : figures?.metrics.get(column);
  };
  const [time, latency, loss] = [values("responseTime"), values("latencyAvg"), values("packetLoss")];
  return {
    availability: figures === undefined ? null : availability(figures),
    responseTime_avg: aggregate(time, "avg"),
    responseTime_p50: aggregate(time, "p50"),
    responseTime_p95: aggregate(time, "p95"),
    responseTime_p99: aggregate(time, "p99"),
    latency_avg: aggregate(latency, "avg"),
    latency_p50: aggregate(latency, "p50"),
    latency_p95: aggregate(latency, "p95"),
    latency_p99: aggregate(latency, "p99"),
    packetLoss_avg: aggregate(loss, "avg"),
    packetLoss_p95: aggregate(loss, "p95"),
    packetLoss_p99: aggregate(loss, "p99"),
    hopCount_avg: aggregate(values("hopCount"), "avg"),
  };
}
