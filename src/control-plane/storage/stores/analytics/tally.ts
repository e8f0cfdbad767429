import { type CountingDistribution, type Distribution, inUnitsOf } from "#domain/statistics/distribution.ts";
import type { Sketch } from "#domain/statistics/sketch.ts";
import type { MetricColumn, PageColumn, RunFigures } from "../../analytics-store.ts";

/** Every metric, in the order in which rollups keep them. */
export const metricColumns = ["responseTime", "m1", "m2", "m3", "m4", "m5", "m6"] as const satisfies readonly MetricColumn[];

/** Results and rollups hold whole thousandths of a metric's unit. */
const storedUnit = 1_000;

/** Figures that are still being counted, each metric by its place in `columns`. */
export class Tally<M extends CountingDistribution = Sketch> {
  runs = 0;
  passed = 0;
  degraded = 0;
  retries = 0;
  readonly metrics: readonly M[];

  constructor(columns: readonly PageColumn[], make: (metric: PageColumn) => M) {
    this.metrics = columns.map((column) => make(column));
  }

  figures(columns: readonly PageColumn[]): RunFigures {
    const metrics = new Map<PageColumn, Distribution>();
    for (const [index, column] of columns.entries()) {
      const counted = this.metrics[index];
      if (counted && counted.count > 0) metrics.set(column, inUnitsOf(storedUnit, counted));
    }
    const { runs, passed, degraded, retries } = this;
    return { runs, passed, degraded, retries, metrics };
  }
}
