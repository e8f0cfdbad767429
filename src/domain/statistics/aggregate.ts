import type { Aggregation } from "#contract/analytics-metrics.ts";
import type { Distribution } from "./distribution.ts";

/** One figure of many values; null without any. The standard deviation is that of all values, not of a sample. */
export function aggregate(values: Distribution | undefined, by: Aggregation): number | null {
  return values === undefined || values.count === 0 ? null : tidy(figures[by](values));
}

const figures: Readonly<Record<Aggregation, (values: Distribution) => number>> = {
  avg: average,
  max: ({ max }) => max,
  median: (values) => values.quantile(0.5),
  min: ({ min }) => min,
  p50: (values) => values.quantile(0.5),
  p90: (values) => values.quantile(0.9),
  p95: (values) => values.quantile(0.95),
  p99: (values) => values.quantile(0.99),
  stddev: (values) => Math.sqrt(Math.max(0, values.sumOfSquares / values.count - average(values) ** 2)),
  sum: ({ sum }) => sum,
};

function average({ sum, count }: Distribution): number {
  return sum / count;
}

/** Sums of fractions end in noise; nothing is measured to the billionth. */
function tidy(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** Share of runs without failure in percent; null without runs. */
export function availability({ runs, passed }: { readonly runs: number; readonly passed: number }): number | null {
  return runs === 0 ? null : tidy((100 * passed) / runs);
}
