import type { MaintenanceVisibility } from "#contract/maintenance-windows.ts";
import type { MaintenanceStatus } from "#contract/maintenances.ts";
import { lastStarted, type MaintenancePlan, occurrence } from "./maintenance.ts";
import { changeOf, type MaintenanceRecord, planOfWindow, type WindowRecord } from "./maintenance-effects.ts";
import { type StatusRules, statusOf, type UpdateRecord } from "./maintenance-updates.ts";

/*
 * What those who follow status pages are told of maintenance: that it comes, begins and is over, and updates that ask for it. All of it follows
 * from the times of an occurrence as they are now, so one that is moved is told of at its new times, and one that is called off not at all.
 */

/** A window as it is stored, as far as people are concerned. */
export interface AnnouncedWindow extends WindowRecord {
  readonly name: string;
  readonly description: string | null;
  readonly statusPageVisibility: MaintenanceVisibility;
}

export interface MaintenanceNews {
  /** Which occurrence, as `MaintenanceRecord` names it. */
  readonly plan: number;
  readonly index: number;
  readonly kind: "REMINDER" | "START" | "END" | "UPDATE";
  /** Of an UPDATE. */
  readonly updateId: string | null;
  /** When it is to be told. */
  readonly atMs: number;
  readonly startsAtMs: number;
}

/** What there is to say of it. */
export interface MaintenanceTelling {
  readonly status: MaintenanceStatus;
  readonly description: string;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** The same, with what people know it by. */
export interface ToldMaintenance extends MaintenanceTelling {
  readonly name: string;
  /** Names. */
  readonly services: readonly string[];
}

/** An occurrence as it stands. */
interface Progress {
  readonly plan: number;
  readonly index: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly updates: readonly UpdateRecord[];
}

const minuteMs = 60_000;
/** An occurrence is so much longer or shorter than the first one where a change of DST is in it; no zone ever changed by more. */
const dstMs = 24 * 3_600_000;

/**
 * What is to be told after the first time until the second, which is now. Late, as after a restart, only what is still true is told: no beginning
 * of what is over, and of several reminders the last.
 */
export function maintenanceNews(
  window: AnnouncedWindow,
  changed: readonly MaintenanceRecord[],
  afterMs: number,
  untilMs: number,
): readonly MaintenanceNews[] {
  if (!tells(window, changed)) return [];
  const plan = planOfWindow(window);
  const own = changed.flatMap((record) => progressOf(window, plan, record) ?? []);
  const changedIndexes = new Set(changed.filter((record) => record.plan === window.plan).map(({ index }) => index));
  const indexes = [...plannedIndexes(window, plan, afterMs, untilMs)].filter((index) => !changedIndexes.has(index));
  const planned = indexes.flatMap((index) => plannedAt(window, plan, index) ?? []);
  const all = [...own, ...planned].flatMap((one) => {
    const due = momentsOf(window, one).filter(({ atMs }) => atMs > afterMs && atMs <= untilMs);
    return withoutEarlierReminders(due.filter((news) => tellingIn(window, one, news, untilMs) !== undefined));
  });
  return all.toSorted((a, b) => a.atMs - b.atMs);
}

/** What is to be said of it at this time; undefined where it is true no more. */
export function maintenanceTelling(
  window: AnnouncedWindow,
  changed: readonly MaintenanceRecord[],
  news: MaintenanceNews,
  nowMs: number,
): MaintenanceTelling | undefined {
  const plan = planOfWindow(window);
  const record = changed.find((one) => one.plan === news.plan && one.index === news.index);
  const planned = news.plan === window.plan ? plannedAt(window, plan, news.index) : undefined;
  const progress = record === undefined ? planned : progressOf(window, plan, record);
  return progress && tellingIn(window, progress, news, nowMs);
}

/** Whether a page that shows services is to show a window: one that it names; where it names none, one that affects a service of the page. */
export function isShownOn(
  pageId: string,
  hasService: (serviceId: string) => boolean,
  { enabled, statusPageIds, serviceIds, affectAllServices }: MaintenanceVisibility,
): boolean {
  if (!enabled) return false;
  if (statusPageIds.length > 0) return statusPageIds.some((id) => id.toLowerCase() === pageId);
  return affectAllServices || serviceIds.length === 0 || serviceIds.some((id) => hasService(id.toLowerCase()));
}

/** Most windows tell nothing, and are looked at every few seconds. */
function tells({ statusPageVisibility }: AnnouncedWindow, changed: readonly MaintenanceRecord[]): boolean {
  const { enabled, notifyOnStart, notifyOnEnd, reminderMinutesBefore } = statusPageVisibility;
  const isTold = changed.some(({ updates }) => updates.some(({ notifySubscribers }) => notifySubscribers));
  return enabled && (notifyOnStart || notifyOnEnd || reminderMinutesBefore.length > 0 || isTold);
}

/** Of all occurrences that may have something to be told in this time. */
function plannedIndexes({ statusPageVisibility }: AnnouncedWindow, plan: MaintenancePlan, afterMs: number, untilMs: number) {
  const { notifyOnStart, notifyOnEnd, reminderMinutesBefore } = statusPageVisibility;
  const lengthMs = plan.endsAtMs - plan.startsAtMs;
  const ranges = [
    ...reminderMinutesBefore.map((minutes) => [afterMs + minutes * minuteMs, untilMs + minutes * minuteMs] as const),
    ...(notifyOnStart ? [[afterMs, untilMs] as const] : []),
    ...(notifyOnEnd ? [[afterMs - lengthMs - dstMs, untilMs - lengthMs + dstMs] as const] : []),
  ];
  return new Set(ranges.flatMap(([from, to]) => startedBetween(plan, from, to)));
}

function startedBetween(plan: MaintenancePlan, afterMs: number, untilMs: number): readonly number[] {
  const first = lastStarted(plan, afterMs) + 1;
  return Array.from({ length: Math.max(0, lastStarted(plan, untilMs) + 1 - first) }, (_, place) => first + place);
}

function plannedAt(window: AnnouncedWindow, plan: MaintenancePlan, index: number): Progress | undefined {
  const one = occurrence(plan, index);
  return one && { ...one, plan: window.plan, updates: [] };
}

function progressOf(window: AnnouncedWindow, plan: MaintenancePlan, record: MaintenanceRecord): Progress | undefined {
  const times = record.isDeleted ? undefined : changeOf(window, plan, record);
  if (times === undefined) return undefined;
  const { startsAtMs, endsAtMs } = times;
  return { startsAtMs, endsAtMs, plan: record.plan, index: record.index, updates: record.updates };
}

function momentsOf({ statusPageVisibility }: AnnouncedWindow, one: Progress): readonly MaintenanceNews[] {
  const { notifyOnStart, notifyOnEnd, reminderMinutesBefore } = statusPageVisibility;
  const { plan, index, startsAtMs, updates } = one;
  const news = (kind: MaintenanceNews["kind"], atMs: number, updateId: string | null = null): MaintenanceNews => {
    return { plan, index, kind, updateId, atMs, startsAtMs };
  };
  const [began, ended] = [beganAtMs(statusPageVisibility, one), endedAtMs(statusPageVisibility, one)];
  return [
    ...reminderMinutesBefore.map((minutes) => news("REMINDER", startsAtMs - minutes * minuteMs)),
    ...(notifyOnStart && began !== null ? [news("START", began)] : []),
    ...(notifyOnEnd && ended !== null ? [news("END", ended)] : []),
    ...updates.filter((update) => update.notifySubscribers).map((update) => news("UPDATE", update.createdAtMs, update.id)),
  ];
}

/** Null where nothing began it yet, or an update that began it tells of it. */
function beganAtMs({ autoStart }: MaintenanceVisibility, { startsAtMs, updates }: Progress): number | null {
  const begun = updates.find(({ status, previousStatus }) => previousStatus === "SCHEDULED" && isGoingOn(status));
  if (begun?.notifySubscribers === true) return null;
  return autoStart ? startsAtMs : (begun?.createdAtMs ?? null);
}

/** Null where nothing ended it yet, or an update that ended it tells of it. */
function endedAtMs({ autoEnd }: MaintenanceVisibility, { endsAtMs, updates }: Progress): number | null {
  const ended = updates.find(({ status, previousStatus }) => previousStatus !== "COMPLETED" && status === "COMPLETED");
  if (ended !== undefined) return ended.notifySubscribers ? null : ended.createdAtMs;
  return autoEnd ? endsAtMs : null;
}

function isGoingOn(status: MaintenanceStatus): boolean {
  return status === "IN_PROGRESS" || status === "VERIFYING";
}

function tellingIn(window: AnnouncedWindow, one: Progress, news: MaintenanceNews, nowMs: number): MaintenanceTelling | undefined {
  const { startsAtMs, endsAtMs, updates } = one;
  const { timezone, description, statusPageVisibility } = window;
  const rules: StatusRules = { timezone, autoStart: statusPageVisibility.autoStart, autoEnd: statusPageVisibility.autoEnd };
  const update = updates.find(({ id }) => id === news.updateId);
  if (news.kind === "UPDATE") return update && { status: update.status, description: update.description, startsAtMs, endsAtMs };
  const status = statusOf({ startsAt: instant(startsAtMs), endsAt: instant(endsAtMs), updates }, rules, nowMs);
  const isTrue = {
    REMINDER: status === "SCHEDULED" && nowMs < startsAtMs && startsAtMs === news.startsAtMs,
    START: isGoingOn(status),
    END: status === "COMPLETED",
  }[news.kind];
  return isTrue ? { status, description: description ?? "", startsAtMs, endsAtMs } : undefined;
}

function withoutEarlierReminders(news: readonly MaintenanceNews[]): readonly MaintenanceNews[] {
  const last = news.filter(({ kind }) => kind === "REMINDER").toSorted((a, b) => b.atMs - a.atMs)[0];
  return news.filter((one) => one.kind !== "REMINDER" || one === last);
}

function instant(ms: number): string {
  return new Date(ms).toISOString();
}
