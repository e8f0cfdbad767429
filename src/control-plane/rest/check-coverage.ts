import { type CheckCoverage, getCoverageOfCheck } from "#contract/check-coverage.ts";
import { slotsIn } from "#domain/schedule-gaps.ts";
import { requestedWindow, type TimeWindow } from "#domain/time-range.ts";
import { type Handler, handler } from "../http/handler.ts";
import { accountTimeZone } from "../kinds/account-time-zone.ts";
import { instant } from "../kinds/instants.ts";
import type { AnalyticsStore } from "../storage/analytics-store.ts";
import type { CheckRow, CheckStore, GapStore, ResultStore } from "../storage/storage.ts";
import { findCheck } from "./find-check.ts";

export interface CheckCoverageDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly analytics: Pick<AnalyticsStore, "analyze">;
  readonly results: Pick<ResultStore, "countMissed">;
  readonly gaps: Pick<GapStore, "ofCheck">;
  readonly nowMs: () => number;
}

export function checkCoverageHandlers(deps: CheckCoverageDeps): readonly Handler[] {
  return [
    handler(getCoverageOfCheck, async ({ params: { id }, query }, { caller: { account } }) => {
      const check = await findCheck(deps.checks, account.id, id);
      const asked = { fromMs: query.from, toMs: query.to, range: query.quickRange };
      return coverageOf(deps, check, requestedWindow(asked, deps.nowMs(), accountTimeZone(account)));
    }),
  ];
}

type Counts = Record<"run" | "missed" | "unknown", number>;

async function coverageOf({ analytics, results, gaps }: CheckCoverageDeps, check: CheckRow, window: TimeWindow): Promise<CheckCoverage> {
  const { fromMs, toMs } = window;
  const of = { checkId: check.id, edgesMs: [fromMs, toMs], groupBy: "location", outcome: null, metrics: [] } as const;
  const [ran, missed, passed] = await Promise.all([
    analytics.analyze(of),
    results.countMissed(check.id, fromMs, toMs),
    gaps.ofCheck(check.id, fromMs, toMs),
  ]);
  const places = new Map<string, Counts>();
  const whole: Counts = { run: 0, missed: 0, unknown: 0 };
  const add = (what: keyof Counts, count: number, place: string | null): void => {
    whole[what] += count;
    if (place === null) return;
    const here = places.get(place) ?? { run: 0, missed: 0, unknown: 0 };
    places.set(place, { ...here, [what]: here[what] + count });
  };
  for (const { group, runs } of ran) add("run", runs, String(group));
  for (const { locationCode, runs } of missed) add("missed", runs, locationCode);
  for (const gap of passed) {
    const each = gap.runParallel || gap.locationCodes.length === 1 ? gap.locationCodes : [null];
    for (const place of each) add("unknown", slotsIn(gap, fromMs, toMs), place);
  }
  const locations = [...places].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([location, counts]) => ({ location, ...withDue(counts) }));
  return { checkId: check.uuid, from: instant(fromMs), to: instant(toMs), ...withDue(whole), locations };
}

function withDue(counts: Counts): Counts & { readonly due: number } {
  return { due: counts.run + counts.missed + counts.unknown, ...counts };
}
