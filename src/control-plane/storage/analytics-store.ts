import type { Distribution } from "#domain/statistics/distribution.ts";

/** Where a metric of a result stands: `responseTime`, or a column in the order of the check type's table of metrics. */
export type MetricColumn = "responseTime" | "m1" | "m2" | "m3" | "m4" | "m5" | "m6";
/** Of pages also what results have no columns for. */
export type PageColumn = MetricColumn | "m7" | "m8" | "m9";

/** FINAL results that ran to their end; not cancelled ones, nor those that failed on the agent's side. */
export interface RunFigures {
  readonly runs: number;
  /** Of them, those without failure; degraded ones pass. */
  readonly passed: number;
  /** Of those that passed. Hours whose results were gone before these were counted tell none. */
  readonly degraded: number;
  /** ATTEMPT results, but those that an agent lost or spoiled. They have a location, status code and outcome of their own. */
  readonly retries: number;
  /** In the unit of the metric (milliseconds, percent …). A metric that no result has is absent. */
  readonly metrics: ReadonlyMap<PageColumn, Distribution>;
}

export interface AnalyticsQuery {
  readonly checkId: number;
  /** Ascending instants, epoch milliseconds: the buckets are [edge i, edge i + 1). One bucket over the whole window: two edges. */
  readonly edgesMs: readonly number[];
  readonly groupBy: "location" | "statusCode" | null;
  /** Only results of this outcome. */
  readonly outcome: "success" | "failure" | null;
  /** Only these are read and merged. */
  readonly metrics: readonly MetricColumn[];
  /** Of these nobody asks for percentiles. */
  readonly sumsOnly?: ReadonlySet<PageColumn>;
}

export interface AnalyticsRow extends RunFigures {
  /** Index of the bucket. Buckets without results are left out. */
  readonly bucket: number;
  /** Code of the location, the status code (null: none) or the page; null without `groupBy`. Removed locations of one code are one group. */
  readonly group: string | number | null;
}

/** Of pages, and of what runs tell beside them. `page`: for each page what runs saw there; else what their whole runs saw. */
export interface PageQuery extends Pick<AnalyticsQuery, "checkId" | "edgesMs" | "outcome"> {
  readonly groupBy: "location" | "page" | null;
  readonly metrics: readonly PageColumn[];
}

export interface TimelineQuery {
  readonly checkIds: readonly number[];
  /** Ascending instants, epoch milliseconds, as in `AnalyticsQuery`. */
  readonly edgesMs: readonly number[];
  readonly metrics: readonly MetricColumn[];
}

/** One check over the buckets of a window. */
export interface Timeline {
  /** Of all buckets together. */
  readonly total: RunFigures;
  /** In order; null for a bucket without results. */
  readonly buckets: readonly (RunFigures | null)[];
}

/**
 * Figures over many results: whole hours from rollups that are up to date, ragged edges and hours that changed from the results
 * themselves, so that the answer is always that of the results that are stored now. Exact but for percentiles of what is longer than an
 * hour, or a whole hour: at most 0.5 % off. Where results are no longer kept, an hour counts whole for the bucket in which it begins.
 */
export interface AnalyticsStore {
  /** Ordered by bucket, then group. Many buckets by many groups and metrics take memory: callers bound them. */
  analyze(query: AnalyticsQuery): Promise<readonly AnalyticsRow[]>;
  /** From the pages of results that are stored, which have no rollups: nothing from before. Ordered by bucket. */
  analyzePages(query: PageQuery): Promise<readonly AnalyticsRow[]>;
  /** Up to thousands of checks over one window, by check id; a check without results is absent. */
  summarize(query: {
    readonly checkIds: readonly number[];
    readonly fromMs: number;
    readonly toMs: number;
    readonly metrics: readonly MetricColumn[];
  }): Promise<ReadonlyMap<number, RunFigures>>;
  /** Some dozens of checks over the same buckets, by check id, for pages that draw them; a check without results is absent. */
  timelines(query: TimelineQuery): Promise<ReadonlyMap<number, Timeline>>;
  /** Recomputes up to `limit` hours that ended and whose results changed, then days. @returns whether there may be more */
  compact(nowMs: number, limit: number): Promise<boolean>;
  /** Deletes rollups of hours and days, and gaps of the schedule, from before, at most `limit` of each, in short transactions. @returns whether there may be more */
  pruneRollups(olderThanMs: number, limit: number): Promise<boolean>;
}
