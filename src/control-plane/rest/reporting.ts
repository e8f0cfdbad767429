import type { QuickRange } from "#contract/analytics-window.ts";
import type { InputOf } from "#contract/operation.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { getReport, type Report, type ReportFigures, type ReportRange } from "#contract/reporting.ts";
import { AppError } from "#domain/app-error.ts";
import { aggregate, availability } from "#domain/statistics/aggregate.ts";
import { bucketEdges, calendarBuckets, requestedWindow, type TimeWindow, timeZoneNamed } from "#domain/time-range.ts";
import { type CheckFigureDeps, durationColumns, durationOf, figuresOf } from "../figures/check-figures.ts";
import { type Handler, handler } from "../http/handler.ts";
import { accountTimeZone } from "../kinds/account-time-zone.ts";
import { instant } from "../kinds/instants.ts";
import type { RunFigures } from "../storage/analytics-store.ts";
import type { AccountRow, CheckIndexStore, IndexedCheck } from "../storage/storage.ts";

export interface ReportingDeps extends CheckFigureDeps {
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly nowMs: () => number;
}

type Query = InputOf<typeof getReport>["query"];

/** Each costs as much as a report of its own. */
const maxBuckets = 100;

export function reportingHandlers(deps: ReportingDeps): readonly Handler[] {
  return [
    handler(getReport, async ({ query }, { caller: { account } }) => {
      const timeZone = timeZoneOf(query, account);
      const window = requestedWindow({ fromMs: query.from, toMs: query.to, range: rangeOf(query.quickRange) }, deps.nowMs(), timeZone);
      const buckets = query.granularity === undefined ? [] : bucketsOf(window, query.granularity, timeZone);
      const checks = (await deps.checkIndex.ofAccount(account.id)).filter((check) => isWanted(check, query));
      const overall = await reportsOf(deps, checks, window);
      const ofBuckets: { readonly window: TimeWindow; readonly figures: ReadonlyMap<number, ReportFigures> }[] = [];
      for (const bucket of buckets) ofBuckets.push({ window: bucket, figures: await reportsOf(deps, checks, bucket) });
      return checks.map((check): Report => {
        const total = overall.get(check.id);
        return {
          name: check.name,
          checkId: check.uuid,
          checkType: check.type,
          deactivated: !check.activated,
          tags: [...check.tags],
          ...(total !== undefined && { aggregate: total }),
          ...(query.granularity !== undefined && {
            aggregates: ofBuckets.flatMap(({ window: { fromMs, toMs }, figures }) => {
              const part = figures.get(check.id);
              return part === undefined ? [] : { ...part, from: instant(fromMs), to: instant(toMs) };
            }),
          }),
        };
      });
    }),
  ];
}

function rangeOf(range: ReportRange): QuickRange {
  return range === "last24Hrs" ? "last24Hours" : range;
}

function timeZoneOf({ timezone }: Query, account: AccountRow): string {
  if (timezone === undefined) return accountTimeZone(account);
  const name = timeZoneNamed(timezone);
  if (name === null)
    throw new AppError("invalid_input", `"timezone" must be the name of an IANA time zone, received ${JSON.stringify(timezone)}`);
  return name;
}

function bucketsOf(window: TimeWindow, granularity: NonNullable<Query["granularity"]>, timeZone: string): readonly TimeWindow[] {
  const buckets = calendarBuckets(window, granularity, timeZone);
  if (buckets.count > maxBuckets)
    throw new AppError(
      "invalid_input",
      `"granularity" must cut the window into at most ${maxBuckets} parts, ${granularity} makes ${buckets.count}`,
    );
  const edges = bucketEdges(buckets, window, 0, buckets.count);
  return edges.slice(1).map((toMs, index) => ({ fromMs: edges[index] ?? toMs, toMs }));
}

function isWanted({ tags, activated }: IndexedCheck, { filterByTags = [], deactivated }: Query): boolean {
  return (deactivated === null || deactivated !== activated) && filterByTags.every((tag) => tags.includes(tag));
}

/** By check, of those that have results in the window. */
async function reportsOf(
  deps: ReportingDeps,
  checks: readonly IndexedCheck[],
  window: TimeWindow,
): Promise<ReadonlyMap<number, ReportFigures>> {
  const figures = await figuresOf(deps, checks, window, durationColumns);
  const reports = checks.flatMap(({ id, type }): readonly (readonly [number, ReportFigures])[] => {
    const one = figures.get(id);
    return one === undefined || one.runs === 0 ? [] : [[id, reportOf(type, one)]];
  });
  return new Map(reports);
}

/** The contract has no null here: 0 where nothing was measured. */
function reportOf(type: CheckTypeName, figures: RunFigures): ReportFigures {
  const times = durationOf(type, figures);
  const time = (by: "avg" | "p95" | "p99"): number => aggregate(times, by) ?? 0;
  return { successRatio: availability(figures) ?? 0, avg: time("avg"), p95: time("p95"), p99: time("p99") };
}
