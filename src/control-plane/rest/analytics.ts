import {
  type AnalyticsRow,
  type AnalyticsSeries,
  type CheckAnalyticsPath,
  checkAnalytics,
  listAnalyticsMetrics,
} from "#contract/analytics.ts";
import { type AnalyticsMetric, analyticsPathOf, analyticsPaths, metricsOf } from "#contract/analytics-metrics.ts";
import type { InputOf } from "#contract/operation.ts";
import { type Buckets, bucketEdges, bucketsOf, requestedWindow, type TimeWindow } from "#domain/time-range.ts";
import { columnsOf, metricValue, pageColumnsOf, sumsOnlyOf } from "../figures/analytics-columns.ts";
import { type Handler, handler } from "../http/handler.ts";
import { accountTimeZone } from "../kinds/account-time-zone.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { AnalyticsStore, RunFigures, AnalyticsRow as StoredRow } from "../storage/analytics-store.ts";
import type { AccountRow, CheckRow, CheckStore } from "../storage/storage.ts";

export interface AnalyticsDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly analytics: Pick<AnalyticsStore, "analyze" | "analyzePages">;
  readonly nowMs: () => number;
}

export function analyticsHandlers(deps: AnalyticsDeps): readonly Handler[] {
  return [
    // Keys of a literal table are exactly its names.
    ...(Object.keys(checkAnalytics) as CheckAnalyticsPath[]).map((path) =>
      handler(checkAnalytics[path], async ({ params, query }, { caller }) => analyzeCheck(deps, caller.account, path, { params, query })),
    ),
    handler(listAnalyticsMetrics, async ({ query: { checkType } }) => {
      const path = analyticsPathOf(checkType);
      return (path === undefined ? [] : metricsOf(path)).map(({ name, unit, label, type, aggregation, base }) => {
        const aggregated = base === undefined || name.endsWith(`_${aggregation}`);
        return { name, unit, label, type, aggregated };
      });
    }),
  ];
}

/** A check of the path's type. @throws {AppError} not_found naming what the path is for */
export async function checkOfPath(
  { checks }: Pick<AnalyticsDeps, "checks">,
  accountId: number,
  path: keyof typeof analyticsPaths,
  id: string,
): Promise<CheckRow> {
  const check = await checks.byUuid(accountId, id.toLowerCase());
  const { checkType, title } = analyticsPaths[path];
  if (check?.type !== checkType) throw notFound(title.replace(/^an? /, ""), id);
  return check;
}

type Input = Pick<InputOf<(typeof checkAnalytics)[CheckAnalyticsPath]>, "params" | "query">;

async function analyzeCheck(deps: AnalyticsDeps, account: AccountRow, path: CheckAnalyticsPath, { params, query }: Input) {
  const { aggregationInterval, limit, page } = query;
  const check = await checkOfPath(deps, account.id, path, params.id);
  const timeZone = accountTimeZone(account);
  const window = requestedWindow({ fromMs: query.from, toMs: query.to, range: query.quickRange }, deps.nowMs(), timeZone);
  const buckets = aggregationInterval === undefined ? wholeOf(window) : bucketsOf(window, aggregationInterval, timeZone);
  const first = (page - 1) * limit;
  const edgesMs = bucketEdges(buckets, window, first, limit);
  const slice = { window, buckets, first, edgesMs, hasTime: aggregationInterval !== undefined };
  const metrics = chosenMetrics(path, query.metrics);
  return {
    ...checkFields(check),
    from: instant(window.fromMs),
    to: instant(window.toMs),
    series: await seriesOf(deps, check, query, metrics, slice),
    pagination: { page, limit, total: buckets.count },
    metadata: metadataOf(metrics),
  };
}

function wholeOf({ fromMs, toMs }: TimeWindow): Buckets {
  return { count: 1, startMs: (index) => (index === 0 ? fromMs : toMs) };
}

/** The metrics that were named, each once. */
export function chosenMetrics(path: keyof typeof analyticsPaths, names: readonly string[]): readonly AnalyticsMetric[] {
  return metricsOf(path).filter(({ name }) => names.includes(name));
}

/** Unit, label and aggregation of each metric, by its name. */
export function metadataOf(metrics: readonly AnalyticsMetric[]) {
  return Object.fromEntries(
    metrics.map(({ name, unit, label, aggregation }) => [name, { unit, label, ...(aggregation !== undefined && { aggregation }) }]),
  );
}

/** What every envelope tells of its check. */
export function checkFields({ uuid, type, definition: { name, activated, muted, frequency, tags } }: CheckRow) {
  return { checkId: uuid, name, checkType: type, activated, muted, frequency, tags: [...tags] };
}

/** The buckets of one page. */
interface Slice {
  readonly window: TimeWindow;
  readonly buckets: Buckets;
  readonly first: number;
  readonly edgesMs: readonly number[];
  readonly hasTime: boolean;
}

const storedGrouping = { runLocation: "location", statusCode: "statusCode" } as const;

async function seriesOf(
  { analytics }: AnalyticsDeps,
  check: CheckRow,
  query: Input["query"],
  metrics: readonly AnalyticsMetric[],
  slice: Slice,
): Promise<AnalyticsSeries[]> {
  const { groupBy } = query;
  const rows = slice.edgesMs.length < 2 ? [] : await rowsOf(analytics, check, query, metrics, slice);
  const groups = Map.groupBy(rows, ({ group }) => group);
  for (const group of await groupsElsewhere(analytics, check, query, slice)) groups.getOrInsert(group, []);
  const dataOf = (ofGroup: readonly (RunFigures & { readonly bucket: number })[]): AnalyticsRow[] => {
    const byBucket = new Map(ofGroup.map((row) => [row.bucket, row]));
    return slice.edgesMs.slice(1).map((_end, index) => ({
      ...(slice.hasTime && { time: instant(slice.buckets.startMs(slice.first + index)) }),
      ...Object.fromEntries(metrics.map((metric) => [metric.name, metricValue(check.type, metric, byBucket.get(index))])),
    }));
  };
  if (groupBy === undefined) return [{ data: dataOf(rows) }];
  return [...groups].toSorted(byGroup).map(([group, ofGroup]) => ({ [groupBy]: group, data: dataOf(ofGroup) }));
}

/** Each group of the window has its series on every page, like what is not grouped: which there are is read of the whole, without a figure. */
async function groupsElsewhere(
  analytics: AnalyticsDeps["analytics"],
  check: CheckRow,
  query: Input["query"],
  { window: { fromMs, toMs }, buckets, edgesMs }: Slice,
): Promise<readonly Group[]> {
  if (query.groupBy === undefined || edgesMs.length > buckets.count) return [];
  return (await rowsOf(analytics, check, query, [], { edgesMs: [fromMs, toMs] })).map(({ group }) => group);
}

/** From results and their rollups; what only pages tell, from those. */
async function rowsOf(
  analytics: AnalyticsDeps["analytics"],
  check: CheckRow,
  { groupBy, filterByStatus = [] }: Input["query"],
  metrics: readonly AnalyticsMetric[],
  { edgesMs }: Pick<Slice, "edgesMs">,
): Promise<readonly StoredRow[]> {
  const [only, ...others] = new Set(filterByStatus);
  const asked = { checkId: check.id, edgesMs, outcome: others.length > 0 ? null : (only ?? null) };
  const ofPages = pageColumnsOf(check.type, metrics);
  if (groupBy === "pageIndex") return analytics.analyzePages({ ...asked, groupBy: "page", metrics: ofPages });
  const stored = columnsOf(check.type, metrics);
  const ofPagesAlone = ofPages.filter((column) => !stored.some((one) => one === column));
  const [rows, pages] = await Promise.all([
    analytics.analyze({
      ...asked,
      groupBy: groupBy === undefined ? null : storedGrouping[groupBy],
      metrics: stored,
      sumsOnly: sumsOnlyOf(check.type, metrics),
    }),
    ofPagesAlone.length === 0 || groupBy === "statusCode"
      ? []
      : analytics.analyzePages({ ...asked, groupBy: groupBy === undefined ? null : "location", metrics: ofPagesAlone }),
  ]);
  const beside = new Map(pages.map((row) => [`${row.bucket} ${row.group}`, row.metrics]));
  return rows.map((row) => ({ ...row, metrics: new Map([...row.metrics, ...(beside.get(`${row.bucket} ${row.group}`) ?? [])]) }));
}

type Group = string | number | null;

/** Codes of locations by their letters, status codes by their value, none last. */
function byGroup([a]: readonly [Group, unknown], [b]: readonly [Group, unknown]): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;
}
