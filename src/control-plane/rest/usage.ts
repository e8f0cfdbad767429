import { isPinged } from "#contract/checks/traits.ts";
import type { InputOf } from "#contract/operation.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { getUsageSeries, getUsageSummary, getUsageTerms, type UsageMetrics, type UsageProjection, type UsageRow } from "#contract/usage.ts";
import { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { bucketEdges, calendarBuckets, type TimeWindow } from "#domain/time-range.ts";
import { type Handler, handler } from "../http/handler.ts";
import { notFound } from "../kinds/not-found.ts";
import type { AnalyticsStore, RunFigures } from "../storage/analytics-store.ts";
import type { AccountRow, CheckIndexStore } from "../storage/storage.ts";

export interface UsageDeps {
  readonly analytics: Pick<AnalyticsStore, "summarize">;
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly nowMs: () => number;
}

type Asked = Pick<InputOf<typeof getUsageSeries>["query"], "usageTermsId" | "from" | "to" | "accountIds" | "checkTypes">;
type Figures = Pick<RunFigures, "runs" | "passed" | "degraded" | "retries">;

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
const longestDays = 800;
/** Each costs as much as a report over all checks. */
const bucketsOfAnswer = 100;
const noEnd = "9999-12-31";

/** How much ran, as the public command line asks for it. */
export function usageHandlers(deps: UsageDeps): readonly Handler[] {
  return [
    handler(getUsageTerms, async ({ query }, { caller: { account } }) => {
      refuseOthers(query, account);
      const start = dayOf(account.createdAtMs);
      return {
        id: account.uuid,
        name: account.name,
        accounts: [{ id: account.uuid, name: account.name }],
        contractStartDate: start,
        contractEndDate: noEnd,
        usageStartDate: start,
        creditBudget: null,
        standardCreditsPerUnit: null,
        premiumCreditsPerUnit: null,
      };
    }),
    handler(getUsageSummary, async ({ query }, { caller: { account } }) => summary(deps, account, query)),
    handler(getUsageSeries, async ({ query }, { caller: { account } }) => series(deps, account, query)),
  ];
}

async function summary(deps: UsageDeps, account: AccountRow, asked: Asked) {
  const window = windowOf(asked, account, deps.nowMs());
  const typeOf = await checksOf(deps, account, asked);
  const nowMs = deps.nowMs();
  const during = async (part: TimeWindow): Promise<UsageMetrics> => metricsOf(summed(await figuresByType(deps, typeOf, part)));
  const last = (days: number): Promise<UsageMetrics> => during({ fromMs: nowMs - days * dayMs, toMs: nowMs });
  const sinceStart = windowOf({}, account, nowMs);
  return {
    usageTermsId: account.uuid,
    period: { from: dayOf(window.fromMs), to: dayOf(window.toMs - dayMs) },
    totals: await during(window),
    projections: {
      weeksSinceStart: Math.floor((nowMs - account.createdAtMs) / weekMs),
      weeksRemaining: Math.floor((Date.parse(noEnd) - nowMs) / weekMs),
      remainingCredits: null,
      windows: {
        sinceStart: projected(await during(sinceStart)),
        last30Days: projected(await last(30)),
        last7Days: projected(await last(7)),
        last1Day: projected(await last(1)),
      },
    },
  };
}

async function series(deps: UsageDeps, account: AccountRow, query: InputOf<typeof getUsageSeries>["query"]) {
  const { interval, groupBy, limit } = query;
  const window = windowOf(query, account, deps.nowMs());
  const parts = partsOf(window, interval);
  const typeOf = await checksOf(deps, account, query);
  const data: UsageRow[] = [];
  let [part, row] = placeIn(query.nextId);
  for (const until = part + bucketsOfAnswer; part < Math.min(parts.length, until) && data.length < limit; ) {
    const found = rowsOf(await figuresByType(deps, typeOf, parts[part] ?? window), parts[part] ?? window, account, groupBy).slice(row);
    const taken = found.slice(0, limit - data.length);
    data.push(...taken);
    [part, row] = taken.length < found.length ? [part, row + taken.length] : [part + 1, 0];
  }
  return {
    usageTermsId: account.uuid,
    period: { from: dayOf(window.fromMs), to: dayOf(window.toMs - dayMs), interval, groupBy },
    data,
    length: data.length,
    nextId: part < parts.length ? `${part}.${row}` : null,
    warnings: [],
  };
}

function rowsOf(
  byType: ReadonlyMap<CheckTypeName, Figures>,
  { fromMs, toMs }: TimeWindow,
  { uuid }: AccountRow,
  groupBy: InputOf<typeof getUsageSeries>["query"]["groupBy"],
): readonly UsageRow[] {
  const period = { periodStart: dayOf(fromMs), periodEnd: dayOf(toMs - dayMs) };
  const ofAccount = groupBy === "checkType" ? {} : { accountId: uuid };
  if (groupBy === "account") return byType.size === 0 ? [] : [{ ...period, ...ofAccount, ...metricsOf(summed(byType)) }];
  return [...byType]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([checkType, figures]) => ({ ...period, ...ofAccount, checkType, ...metricsOf(figures) }));
}

/** @throws {AppError} not_found for what is not the account of the key */
function refuseOthers({ usageTermsId, accountIds = [] }: Pick<Asked, "usageTermsId" | "accountIds">, { uuid }: AccountRow): void {
  const other = [usageTermsId ?? uuid, ...accountIds].find((id) => id.toLowerCase() !== uuid);
  if (other !== undefined) throw notFound("account", other);
}

/** Whole days of UTC. @throws {AppError} not_found, invalid_input */
function windowOf(asked: Asked, account: AccountRow, nowMs: number): TimeWindow {
  refuseOthers(asked, account);
  const toMs = (asked.to === undefined ? startOfDay(nowMs) : Date.parse(asked.to)) + dayMs;
  const earliestMs = toMs - longestDays * dayMs;
  const fromMs =
    asked.from === undefined ? Math.max(Math.min(startOfDay(account.createdAtMs), toMs - dayMs), earliestMs) : Date.parse(asked.from);
  if (fromMs >= toMs) throw invalidInput([{ path: "from", message: `must not be after "to"; received ${asked.from ?? ""}` }]);
  if (fromMs < earliestMs)
    throw invalidInput([{ path: "from", message: `must be at most ${longestDays} days before "to"; received ${asked.from ?? ""}` }]);
  return { fromMs, toMs };
}

function partsOf(window: TimeWindow, interval: "total" | "day" | "week" | "month"): readonly TimeWindow[] {
  if (interval === "total") return [window];
  const buckets = calendarBuckets(window, interval, "UTC");
  const edges = bucketEdges(buckets, window, 0, buckets.count);
  return edges.slice(1).map((toMs, index) => ({ fromMs: edges[index] ?? toMs, toMs }));
}

/** `part.row`. @throws {AppError} invalid_input */
function placeIn(nextId: string | undefined): [part: number, row: number] {
  if (nextId === undefined) return [0, 0];
  const [, part, row] = /^(\d{1,6})\.(\d{1,3})$/.exec(nextId) ?? [];
  if (part === undefined || row === undefined) throw new AppError("invalid_input", "nextId is not one that this service gave out");
  return [Number(part), Number(row)];
}

/** Checks that run, by their numbers. */
async function checksOf({ checkIndex }: UsageDeps, { id }: AccountRow, { checkTypes }: Asked): Promise<ReadonlyMap<number, CheckTypeName>> {
  const all = (await checkIndex.ofAccount(id)).filter(({ type }) => !isPinged(type));
  return new Map(all.filter(({ type }) => checkTypes === undefined || checkTypes.includes(type)).map((check) => [check.id, check.type]));
}

async function figuresByType(
  { analytics }: UsageDeps,
  typeOf: ReadonlyMap<number, CheckTypeName>,
  window: TimeWindow,
): Promise<ReadonlyMap<CheckTypeName, Figures>> {
  const byType = new Map<CheckTypeName, Figures>();
  const found =
    typeOf.size === 0 ? new Map<number, RunFigures>() : await analytics.summarize({ checkIds: [...typeOf.keys()], ...window, metrics: [] });
  for (const [id, figures] of found) {
    const type = typeOf.get(id);
    if (type !== undefined && figures.runs + figures.retries > 0) byType.set(type, added(byType.get(type), figures));
  }
  return byType;
}

const nothing: Figures = { runs: 0, passed: 0, degraded: 0, retries: 0 };

function added(a: Figures = nothing, b: Figures): Figures {
  return { runs: a.runs + b.runs, passed: a.passed + b.passed, degraded: a.degraded + b.degraded, retries: a.retries + b.retries };
}

function summed(byType: ReadonlyMap<CheckTypeName, Figures>): Figures {
  return [...byType.values()].reduce<Figures>((sum, one) => added(sum, one), nothing);
}

function metricsOf({ runs, passed, degraded, retries }: Figures): UsageMetrics {
  const measures = {
    totalRuns: runs + retries,
    finalRuns: runs,
    retryRuns: retries,
    cancelledRuns: 0,
    multiStepRequests: 0,
    playwrightBillableDurationMs: 0,
    degradedRuns: degraded,
    failedRuns: runs - passed,
    errorRuns: 0,
    abortedRuns: 0,
    overMaxResponseTimeRuns: 0,
    standardBillableUnits: 0,
    premiumBillableUnits: 0,
  };
  return { credits: { used: null, percentOfBudget: null }, meters: [{ meterType: "CHECK_RUN", measures }] };
}

function projected(usage: UsageMetrics): UsageProjection {
  return {
    usage,
    projectedAnnualPercentOfBudget: null,
    projectedCreditsAtContractEnd: null,
    projectedPercentAtContractEnd: null,
    projectedWeeksUntilExhausted: null,
  };
}

function startOfDay(ms: number): number {
  return Math.floor(ms / dayMs) * dayMs;
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
