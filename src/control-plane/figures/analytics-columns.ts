import type { Aggregation, AnalyticsMetric } from "#contract/analytics-metrics.ts";
import { checkTypes, isCheckType } from "#contract/checks/index.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { aggregate, availability } from "#domain/statistics/aggregate.ts";
import { bitValues } from "#domain/statistics/bit-values.ts";
import type { MetricColumn, PageColumn, RunFigures } from "../storage/analytics-store.ts";

const ownColumns = ["m1", "m2", "m3", "m4", "m5", "m6"] as const;
const pageColumns = [...ownColumns, "m7", "m8", "m9"] as const;

/** Where results of this type keep what goes by this name; null when they do not keep it. */
export function columnOf(type: CheckTypeName, kept: string | null): MetricColumn | null {
  return columnIn(ownColumns, type, kept);
}

function columnIn<C extends string>(columns: readonly C[], type: CheckTypeName, kept: string | null): C | "responseTime" | null {
  if (kept === "responseTime") return kept;
  const names: readonly (string | null)[] = isCheckType(type) ? checkTypes[type].metrics : [];
  return columns[names.indexOf(kept)] ?? null;
}

/** The same of its pages. */
export function pageColumnOf(type: CheckTypeName, kept: string | null): PageColumn | null {
  return columnIn(pageColumns, type, kept);
}

/** The columns that these metrics need of the pages of results, each once. */
export function pageColumnsOf(type: CheckTypeName, metrics: readonly AnalyticsMetric[]): readonly PageColumn[] {
  return [...new Set(metrics.flatMap(({ base }) => (base ? (pageColumnOf(type, base.kept) ?? []) : [])))];
}

/** The columns that these metrics need, each once. */
export function columnsOf(type: CheckTypeName, metrics: readonly AnalyticsMetric[]): readonly MetricColumn[] {
  return [...new Set(metrics.flatMap(({ base }) => (base ? (columnOf(type, base.kept) ?? []) : [])))];
}

/** Of them, those whose percentiles none of these metrics needs; single bits are told from percentiles. */
export function sumsOnlyOf(type: CheckTypeName, metrics: readonly AnalyticsMetric[]): ReadonlySet<MetricColumn> {
  const isOfSums = ({ base, aggregation }: AnalyticsMetric): boolean =>
    base?.bit === undefined && aggregation !== undefined && sums.includes(aggregation);
  const others = new Set(
    columnsOf(
      type,
      metrics.filter((metric) => !isOfSums(metric)),
    ),
  );
  return new Set(columnsOf(type, metrics).filter((column) => !others.has(column)));
}

const sums: readonly Aggregation[] = ["avg", "max", "min", "stddev", "sum"];

/** One metric of one row; null where nothing was measured. */
export function metricValue(type: CheckTypeName, metric: AnalyticsMetric, figures: RunFigures | undefined): number | null {
  if (figures === undefined) return null;
  const { name, base, aggregation } = metric;
  if (base === undefined || aggregation === undefined) return name === "retries" ? figures.retries : availability(figures);
  const column = pageColumnOf(type, base.kept);
  const values = column === null ? undefined : figures.metrics.get(column);
  return aggregate(values !== undefined && base.bit !== undefined ? bitValues(values, base.bit) : values, aggregation);
}
