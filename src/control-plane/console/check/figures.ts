import { type AnalyticsSeries, checkAnalytics } from "#contract/analytics.ts";
import { analyticsPathOf } from "#contract/analytics-metrics.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import type { Ask } from "../ask.ts";
import type { Visit } from "../visit.ts";
import type { ChartLine } from "./line-chart.ts";
import type { Range } from "./range.ts";

/** What a check measured; percent and milliseconds, null without runs. */
interface Measured {
  readonly availability: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
}

/** What a check measured over a range. */
export interface Figures {
  readonly whole: Measured;
  /** Of each location over the whole range, and over time. */
  readonly places: readonly (Measured & { readonly name: string })[];
  readonly lines: readonly ChartLine[];
}

/** How long a check of this type takes, by the metric of its analytics. */
function metricOf(type: CheckTypeName): string {
  if (type === "ICMP") return "latencyAvg";
  if (type === "SSL") return "handshakeTimeMs";
  return type === "TCP" || type === "DNS" ? "total" : "responseTime";
}

/** Null for types that have no such figures. */
export async function figuresOf(
  ask: Ask,
  visit: Visit,
  check: { readonly id: string; readonly checkType: CheckTypeName },
  range: Range,
  nowMs: number,
): Promise<Figures | null> {
  const path = analyticsPathOf(check.checkType);
  if (path === undefined || path === "heartbeat-checks") return null;
  const metric = metricOf(check.checkType);
  const window = { from: String(nowMs - range.lengthMs), to: String(nowMs), limit: "100" };
  const metrics = ["availability", ...["p50", "p95", "p99"].map((suffix) => `${metric}_${suffix}`)].join(",");
  const question = (query: object) =>
    ask(visit, checkAnalytics[path], { params: { id: check.id }, query: { ...window, metrics, ...query } });
  const [whole, places, buckets] = await Promise.all([
    question({}),
    question({ groupBy: "runLocation" }),
    question({ groupBy: "runLocation", aggregationInterval: String(range.bucketMinutes) }),
  ]);
  const measured = (row: Row | undefined): Measured => ({
    availability: numberOf(row?.["availability"]),
    p50: numberOf(row?.[`${metric}_p50`]),
    p95: numberOf(row?.[`${metric}_p95`]),
    p99: numberOf(row?.[`${metric}_p99`]),
  });
  return {
    whole: measured(rowsOf(whole.series[0])[0]),
    places: places.series.map((series) => ({ name: placeOf(series), ...measured(rowsOf(series)[0]) })),
    lines: buckets.series.map((series) => {
      const rows = rowsOf(series).map(measured);
      return { name: placeOf(series), p50: rows.map(({ p50 }) => p50), p95: rows.map(({ p95 }) => p95) };
    }),
  };
}

type Row = Readonly<Record<string, unknown>>;

function rowsOf(series: AnalyticsSeries | undefined): readonly Row[] {
  const { data = [] } = series ?? {};
  return Array.isArray(data) ? data : [data];
}

function placeOf(series: AnalyticsSeries): string {
  const { runLocation } = series;
  return typeof runLocation === "string" ? runLocation : "";
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
