import { BoundedCache } from "./bounded-cache.ts";
import type { MaintenanceSchedule } from "./maintenance.ts";
import {
  type MaintenancePlan,
  maintenanceSpans,
  type OccurrenceChange,
  occurrence,
  type PlannedWindow,
  planOf,
  type Span,
  timeOf,
} from "./maintenance.ts";
import { isToldOver, type UpdateRecord } from "./maintenance-updates.ts";

/*
 * What maintenance windows do to checks. Only their times count: `autoStart` and `autoEnd` are for status pages. A window that is told to be
 * over before its end is over.
 */

/** A window as it is stored, as far as checks are concerned. */
export interface WindowRecord extends MaintenanceSchedule {
  readonly tags: readonly string[];
  readonly pauseAllChecks: boolean;
  readonly silenceAlertsTags: readonly string[];
  readonly silenceAllAlerts: boolean;
  readonly statusPageVisibility: {
    readonly suppressAutoIncidents: boolean;
    readonly affectAllServices: boolean;
    readonly serviceIds: readonly string[];
  };
  /** Counts how often the times of its repetitions were changed; ids of maintenances name it. */
  readonly plan: number;
  readonly plannedAtMs: number;
}

/** Only of a maintenance that was changed or told about; the others follow from their window. */
export interface MaintenanceRecord {
  readonly plan: number;
  readonly index: number;
  /** By its plan, which may be gone. */
  readonly planned: MaintenanceTimes;
  /** Where they differ from the planned ones. */
  readonly moved: Partial<MaintenanceTimes>;
  /** The oldest first. */
  readonly updates: readonly UpdateRecord[];
  readonly isDeleted: boolean;
}

export interface MaintenanceTimes {
  readonly startsAt: string;
  readonly endsAt: string;
}

/** Times at which something holds for checks that carry a tag, or would open incidents of a service. */
export interface Effect {
  /** Null: whatever they carry. Of incidents, ids of services stand among them. */
  readonly tags: ReadonlySet<string> | null;
  readonly spans: readonly Span[];
}

export type EffectKind = "pauses" | "silences" | "suppressesIncidents";

/** Whether a window has such an effect at all, whatever its times. */
export function has(kind: EffectKind, window: WindowRecord): boolean {
  const tags = chosenTags(kind, window);
  return tags === null || tags.size > 0;
}

/** What a window does at some time from the first to the second. */
export function effectOf(
  kind: EffectKind,
  window: WindowRecord,
  changed: readonly MaintenanceRecord[],
  fromMs: number,
  toMs: number,
): Effect {
  return { tags: chosenTags(kind, window), spans: maintenanceSpans(plannedWindow(window, changed), fromMs, toMs) };
}

/** Until when an effect holds for a check that carries these tags; null: it does not hold then. */
export function heldUntilMs(effects: readonly Effect[], tags: readonly string[], atMs: number): number | null {
  const ends = chosenSpans(effects, tags)
    .filter(({ startsAtMs, endsAtMs }) => startsAtMs <= atMs && atMs < endsAtMs)
    .map(({ endsAtMs }) => endsAtMs);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** When effects hold for a check that carries these tags. */
export function chosenSpans(effects: readonly Effect[], tags: readonly string[]): readonly Span[] {
  return effects.filter((effect) => chooses(effect, tags)).flatMap((effect) => effect.spans);
}

function chooses({ tags: chosen }: Effect, tags: readonly string[]): boolean {
  return chosen === null || tags.some((tag) => chosen.has(tag));
}

function chosenTags(kind: EffectKind, window: WindowRecord): ReadonlySet<string> | null {
  if (kind === "pauses") return window.pauseAllChecks ? null : new Set(window.tags);
  if (kind === "silences") return window.silenceAllAlerts ? null : new Set(window.silenceAlertsTags);
  const { suppressAutoIncidents, affectAllServices, serviceIds } = window.statusPageVisibility;
  if (!suppressAutoIncidents) return new Set();
  // Whatever a window is about: its checks, and its services.
  const isAboutAll = affectAllServices || window.pauseAllChecks || window.silenceAllAlerts;
  return isAboutAll ? null : new Set([...window.tags, ...window.silenceAlertsTags, ...serviceIds.map((id) => id.toLowerCase())]);
}

/** By their schedules: the scheduler reads all windows of an account whenever a check is due, and they change seldom. */
const plans = new BoundedCache<MaintenancePlan>(2_000, (schedule) => planOf(JSON.parse(schedule) as MaintenanceSchedule)); // written below

/** The plan of a window that is stored. */
export function planOfWindow(window: WindowRecord): MaintenancePlan {
  const { startsAt, endsAt, repeatInterval, repeatUnit, repeatEndsAt, timezone } = window;
  const schedule: MaintenanceSchedule = { startsAt, endsAt, repeatInterval, repeatUnit, repeatEndsAt, timezone };
  return plans.get(JSON.stringify(schedule));
}

function plannedWindow(window: WindowRecord, changed: readonly MaintenanceRecord[]): PlannedWindow {
  const plan = planOfWindow(window);
  return { plan, changes: changed.flatMap((one) => changeOf(window, plan, one) ?? []) };
}

/** Undefined for one of an earlier plan that did not begin before its window was planned anew: it does not happen. */
export function changeOf(window: WindowRecord, plan: MaintenancePlan, one: MaintenanceRecord): OccurrenceChange | undefined {
  const isCurrent = one.plan === window.plan;
  const times = movedSpan(window, isCurrent ? occurrence(plan, one.index) : undefined, one);
  if (!isCurrent && times.startsAtMs > window.plannedAtMs) return undefined;
  return { index: isCurrent ? one.index : null, ...times, isOver: one.isDeleted || isToldOver(one) };
}

function movedSpan(window: WindowRecord, planned: Span | undefined, one: MaintenanceRecord): Span {
  // They were read before they were stored.
  const msOf = (time: string): number => timeOf(time, window.timezone) ?? Number.NaN;
  const { startsAtMs, endsAtMs } = planned ?? { startsAtMs: msOf(one.planned.startsAt), endsAtMs: msOf(one.planned.endsAt) };
  return {
    startsAtMs: one.moved.startsAt === undefined ? startsAtMs : msOf(one.moved.startsAt),
    endsAtMs: one.moved.endsAt === undefined ? endsAtMs : msOf(one.moved.endsAt),
  };
}
