import { isPinged, traitsOf } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { type CheckNotice, checkNotices } from "#domain/check-notices.ts";
import { type CheckState, checkStates, stateOf } from "#domain/check-state.ts";
import { type Gap, type GapReason, slotsIn } from "#domain/schedule-gaps.ts";
import { aggregate, availability } from "#domain/statistics/aggregate.ts";
import { type CheckFigureDeps, heartbeatFigures, shownTimeColumns, shownTimeOf } from "../../figures/check-figures.ts";
import type { DashboardSettings } from "../../kinds/dashboard.ts";
import type { AnalyticsStore, RunFigures, Timeline } from "../../storage/analytics-store.ts";
import type {
  CheckSituation,
  CheckSituationStore,
  CheckTrouble,
  CheckTroubleStore,
  GapStore,
  IndexedCheck,
} from "../../storage/storage.ts";

export interface NoticeDeps {
  readonly checkSituations: Pick<CheckSituationStore, "ofChecks">;
  /** A location that was not heard of for this long has no connected agent. */
  readonly agentGoneMs: number;
}

export interface TimelineDeps extends Pick<CheckFigureDeps, "heartbeats">, NoticeDeps {
  readonly analytics: Pick<AnalyticsStore, "timelines">;
  readonly gaps: Pick<GapStore, "ofChecks">;
  readonly checkTroubles: CheckTroubleStore;
}

/** One hour, or what has passed of it. */
export interface ShownHour {
  readonly fromMs: number;
  readonly runs: number;
  readonly failed: number;
  /** Of those that passed. */
  readonly degraded: number;
  /** Slots that never became a run, and why most of them; null where all did. */
  readonly unknown: { readonly slots: number; readonly reason: GapReason } | null;
  /** Milliseconds; null where nothing was measured. */
  readonly p50: number | null;
  readonly p95: number | null;
}

export interface ShownCheck extends IndexedCheck {
  readonly state: CheckState;
  /** Where it does not pass; null where it does. */
  readonly trouble: CheckTrouble | null;
  /** Why it does not run or sends no alerts, and when its first run comes. */
  readonly notices: readonly CheckNotice[];
  readonly lastRunMs: number | null;
  /** Percent; null without runs. */
  readonly availability: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  /** The oldest first. */
  readonly hours: readonly ShownHour[];
}

const hourMs = 3_600_000;
const hours = 24;

/** Checks of a dashboard in its order. What is deactivated is nobody's business. */
export function selectChecks(all: readonly IndexedCheck[], settings: DashboardSettings, nowMs: number): readonly IndexedCheck[] {
  const { tags, useTagsAndOperator, sortByStatus } = settings;
  const isWanted = (check: IndexedCheck): boolean =>
    tags.length === 0 ||
    (useTagsAndOperator ? tags.every((tag) => check.tags.includes(tag)) : tags.some((tag) => check.tags.includes(tag)));
  const rank = (check: IndexedCheck): number => (sortByStatus ? checkStates.indexOf(stateOf(check, nowMs)) : 0);
  return all
    .filter((check) => check.activated && isWanted(check))
    .map((check) => ({ check, rank: rank(check) }))
    .toSorted((a, b) => a.rank - b.rank || byName.compare(a.check.name, b.check.name) || a.check.id - b.check.id)
    .map(({ check }) => check);
}

const byName = new Intl.Collator("en", { numeric: true });

/** How the last 24 hours went, whole hours and what has passed of this one: one question for all checks that measure alike. */
export async function shownChecks(deps: TimelineDeps, checks: readonly IndexedCheck[], nowMs: number): Promise<readonly ShownCheck[]> {
  const firstMs = (Math.floor(nowMs / hourMs) - hours + 1) * hourMs;
  const edgesMs = [...Array.from({ length: hours }, (_, index) => firstMs + index * hourMs), Math.max(nowMs, firstMs + 1)];
  const parts = Map.groupBy(checks, ({ type }) => `${traitsOf(type).results} ${shownTimeColumns(type).join()}`);
  const found = await Promise.all(
    [...parts.values()].map((ofPart) => {
      const checkIds = ofPart.map(({ id }) => id);
      if (ofPart.some(({ type }) => isPinged(type))) return heartbeatTimelines(deps.heartbeats, checkIds, edgesMs);
      return deps.analytics.timelines({ checkIds, edgesMs, metrics: ofPart.slice(0, 1).flatMap(({ type }) => shownTimeColumns(type)) });
    }),
  );
  const timelines = new Map(found.flatMap((part) => [...part]));
  const ids = checks.map(({ id }) => id);
  const gaps = Map.groupBy(await deps.gaps.ofChecks(ids, firstMs, nowMs), ({ checkId }) => checkId);
  const bad = checks.filter(({ latest }) => latest !== null && latest.status !== "passing").map(({ id }) => id);
  const troubles = bad.length === 0 ? new Map<number, CheckTrouble>() : await deps.checkTroubles.ofChecks(bad, nowMs);
  const notices = await noticesOf(deps, checks, nowMs);
  return checks.map((check) => {
    const past = {
      timeline: timelines.get(check.id),
      gaps: gaps.get(check.id) ?? [],
      trouble: troubles.get(check.id) ?? null,
      notices: notices.get(check.id) ?? [],
    };
    return shownCheck(check, past, edgesMs, nowMs);
  });
}

/** What people should know of each, by its number: the same wherever it is shown. */
export async function noticesOf(
  { checkSituations, agentGoneMs }: NoticeDeps,
  checks: readonly IndexedCheck[],
  nowMs: number,
): Promise<ReadonlyMap<number, readonly CheckNotice[]>> {
  const situations = await checkSituations.ofChecks(checks, nowMs);
  return new Map(checks.map((check) => [check.id, noticesIn(check, situations.get(check.id), nowMs, agentGoneMs)]));
}

/** @param situation undefined: nothing is known, as of a check that was deleted meanwhile */
export function noticesIn(
  check: IndexedCheck,
  situation: CheckSituation | undefined,
  nowMs: number,
  agentGoneMs: number,
): readonly CheckNotice[] {
  const { nextDueMs = null, places = [], windows = [], codeProject = null } = situation ?? {};
  const around = isPinged(check.type) ? { nextDueMs: null, places: [], windows } : { nextDueMs, places, windows };
  return checkNotices({ ...check, ...around, codeProject, hasRun: check.latest !== null }, nowMs, agentGoneMs);
}

async function heartbeatTimelines(
  heartbeats: CheckFigureDeps["heartbeats"],
  checkIds: readonly number[],
  edgesMs: readonly number[],
): Promise<ReadonlyMap<number, Timeline>> {
  const windows = edgesMs.slice(1).map((toMs, index) => ({ fromMs: edgesMs[index] ?? toMs, toMs }));
  const whole = { fromMs: edgesMs[0] ?? 0, toMs: edgesMs.at(-1) ?? 0 };
  const [total, ...buckets] = await Promise.all([whole, ...windows].map((window) => heartbeatFigures(heartbeats, checkIds, window)));
  return new Map([...(total ?? [])].map(([id, figures]) => [id, { total: figures, buckets: buckets.map((one) => one.get(id) ?? null) }]));
}

interface Past {
  readonly timeline: Timeline | undefined;
  readonly gaps: readonly Gap[];
  readonly trouble: CheckTrouble | null;
  readonly notices: readonly CheckNotice[];
}

function shownCheck(
  check: IndexedCheck,
  { timeline, gaps, trouble, notices }: Past,
  edgesMs: readonly number[],
  nowMs: number,
): ShownCheck {
  const { type, latest } = check;
  const times = shownTimeOf(type, timeline?.total);
  return {
    ...check,
    state: stateOf(check, nowMs),
    trouble,
    notices,
    lastRunMs: latest?.startedAtMs ?? null,
    availability: timeline === undefined ? null : availability(timeline.total),
    p50: aggregate(times, "p50"),
    p95: aggregate(times, "p95"),
    p99: aggregate(times, "p99"),
    hours: edgesMs.slice(0, -1).map((fromMs, index) => ({
      ...shownHour(type, fromMs, timeline?.buckets[index] ?? null),
      unknown: unknownIn(gaps, fromMs, edgesMs[index + 1] ?? fromMs),
    })),
  };
}

function shownHour(type: CheckTypeName, fromMs: number, figures: RunFigures | null): Omit<ShownHour, "unknown"> {
  const times = shownTimeOf(type, figures ?? undefined);
  const [runs, passed] = [figures?.runs ?? 0, figures?.passed ?? 0];
  const degraded = figures?.degraded ?? 0;
  return { fromMs, runs, failed: runs - passed, degraded, p50: aggregate(times, "p50"), p95: aggregate(times, "p95") };
}

function unknownIn(gaps: readonly Gap[], fromMs: number, toMs: number): ShownHour["unknown"] {
  const here = gaps.map((gap) => ({ reason: gap.reason, slots: slotsIn(gap, fromMs, toMs) })).toSorted((a, b) => b.slots - a.slots);
  const slots = here.reduce((sum, gap) => sum + gap.slots, 0);
  return slots === 0 ? null : { slots, reason: here[0]?.reason ?? "control_plane_down" };
}
