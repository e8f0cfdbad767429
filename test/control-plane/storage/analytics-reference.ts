import { ExactValues } from "#domain/statistics/exact-values.ts";
import type { AnalyticsQuery, AnalyticsRow, MetricColumn } from "../../../src/control-plane/storage/storage.ts";

/** A result as the test sent it, and the store took it. */
export interface KnownResult {
  readonly startedAtMs: number;
  readonly locationCode: string;
  readonly statusCode: number | null;
  readonly failed: boolean;
  readonly degraded: boolean;
  readonly kind: "run" | "retry" | "counts nowhere";
  readonly metrics: Readonly<Partial<Record<MetricColumn, number | null>>>;
}

interface Row {
  readonly bucket: number;
  readonly group: string | number | null;
  runs: number;
  passed: number;
  degraded: number;
  retries: number;
  readonly values: Map<MetricColumn, ExactValues>;
}

const hourMs = 3_600_000;
const quantiles = [0, 0.5, 0.9, 0.95, 0.99, 1];

/** What `analyze` must answer, the slow and obvious way: one look at each result. Before the hour, results count at the start of theirs. */
export function obviousRows(
  results: readonly KnownResult[],
  { edgesMs, groupBy, outcome, metrics }: Omit<AnalyticsQuery, "checkId">,
  rollupsOnlyBefore: number,
): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const result of results) {
    const hour = Math.floor(result.startedAtMs / hourMs);
    const at = hour < rollupsOnlyBefore ? hour * hourMs : result.startedAtMs;
    const bucket = edgesMs.findLastIndex((edge) => edge <= at);
    if (result.kind === "counts nowhere" || bucket < 0 || bucket >= edgesMs.length - 1) continue;
    if (outcome !== null && result.failed !== (outcome === "failure")) continue;
    const group = groupOf(result, groupBy);
    const key = `${bucket} ${group}`;
    const row = rows.get(key) ?? {
      bucket,
      group,
      runs: 0,
      passed: 0,
      degraded: 0,
      retries: 0,
      values: new Map<MetricColumn, ExactValues>(),
    };
    rows.set(key, row);
    count(row, result, metrics);
  }
  const order = (group: Row["group"]): string => (group === null ? "" : typeof group === "number" ? `1${group}`.padStart(9) : `2${group}`);
  return [...rows.values()].toSorted((a, b) => a.bucket - b.bucket || (order(a.group) < order(b.group) ? -1 : 1));
}

function groupOf({ locationCode, statusCode }: KnownResult, groupBy: AnalyticsQuery["groupBy"]): Row["group"] {
  if (groupBy === "location") return locationCode;
  return groupBy === "statusCode" ? statusCode : null;
}

function count(row: Row, result: KnownResult, metrics: AnalyticsQuery["metrics"]): void {
  if (result.kind === "retry") {
    row.retries += 1;
    return;
  }
  row.runs += 1;
  if (!result.failed) row.passed += 1;
  if (result.degraded) row.degraded += 1;
  for (const metric of metrics) {
    const value = result.metrics[metric] ?? null;
    if (value === null || (metric === "responseTime" && value === 0)) continue;
    const values = row.values.get(metric) ?? new ExactValues();
    values.add(value);
    row.values.set(metric, values);
  }
}

/** Where the answer differs from the obvious one; empty when it is the same as far as promised. */
export function differences(
  answered: readonly AnalyticsRow[],
  obvious: readonly Row[],
  exactly: (bucket: number) => boolean,
): readonly string[] {
  const counts = (rows: readonly Pick<AnalyticsRow, "bucket" | "group" | "runs" | "passed" | "degraded" | "retries">[]): string =>
    JSON.stringify(rows.map(({ bucket, group, runs, passed, degraded, retries }) => [bucket, group, runs, passed, degraded, retries]));
  if (counts(answered) !== counts(obvious)) return [`${counts(answered)} instead of ${counts(obvious)}`];
  return obvious.flatMap((row, index) => {
    const metrics: AnalyticsRow["metrics"] = answered[index]?.metrics ?? new Map();
    if (metrics.size !== row.values.size) return [`${metrics.size} metrics instead of ${row.values.size}`];
    return [...row.values].flatMap(([metric, values]) => {
      const figures = metrics.get(metric);
      const about = `${metric} of bucket ${row.bucket}, group ${row.group}`;
      const tolerance = exactly(row.bucket) ? 1e-9 : 0.005 + 1e-9;
      return [
        ...(["count", "sum", "sumOfSquares", "min", "max"] as const)
          .filter((name) => !isClose(figures?.[name], values[name], 1e-9))
          .map((name) => `${name} of ${about}: ${figures?.[name]} instead of ${values[name]}`),
        ...quantiles
          .filter((q) => !isClose(figures?.quantile(q), values.quantile(q), tolerance))
          .map((q) => `quantile ${q} of ${about}: ${figures?.quantile(q)} instead of ${values.quantile(q)}`),
      ];
    });
  });
}

function isClose(answered: number | undefined, expected: number, tolerance: number): boolean {
  return answered !== undefined && Math.abs(answered - expected) <= Math.abs(expected) * tolerance + 1e-6;
}
