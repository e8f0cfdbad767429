import { type InputProblem, invalidInput } from "./invalid-input.ts";
import { timeZoneNamed } from "./time-range.ts";

/*
 * When maintenance windows happen. Repetitions keep their local time: each is worked out from the first one's local date and time, so the 31st
 * comes back after a shorter month, which has its last day instead. A local time that is skipped (DST) happens as much later as was skipped,
 * one that comes twice happens the first time (RFC 5545 §3.3.5).
 */

/** A window's times as a user sent them: days (local midnight), local times, or instants with an offset. */
export interface MaintenanceSchedule {
  readonly startsAt: string;
  readonly endsAt: string;
  /** It repeats when it has both; every `repeatInterval` of them. */
  readonly repeatInterval: number | null;
  readonly repeatUnit: "DAY" | "WEEK" | "MONTH" | null;
  /** The last repetition starts by then, on a day: by its end. */
  readonly repeatEndsAt: string | null;
  /** IANA name; null is UTC. */
  readonly timezone: string | null;
}

export interface Occurrence {
  /** 0 is the window's own first time. */
  readonly index: number;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** A schedule, read once. */
export interface MaintenancePlan {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  readonly repeat: Repeat | null;
}

interface Repeat {
  readonly unit: "days" | "months";
  readonly every: number;
  /** No occurrence starts later. */
  readonly lastStartMs: number;
  readonly timezone: string;
  readonly startsAt: Temporal.PlainDateTime;
  /** Of the clock on the wall, milliseconds. */
  readonly lengthMs: number;
}

/**
 * Epoch milliseconds of a text that a user sent.
 *
 * @returns null when it names no time from 1970 on
 */
export function timeOf(text: string, timezone: string | null): number | null {
  try {
    const ms =
      /(Z|[+-]\d\d:\d\d)$/i.test(text) && text.includes("T") ? Date.parse(text) : localMs(Temporal.PlainDateTime.from(text), timezone);
    return ms >= 0 ? ms : null;
  } catch {
    return null; // the only way to ask
  }
}

/** @throws {AppError} invalid_input naming the fields that do not fit together */
export function planOf(schedule: MaintenanceSchedule): MaintenancePlan {
  const { repeatInterval, repeatUnit } = schedule;
  const timezone = zoneOf(schedule.timezone);
  const { startsAtMs, endsAtMs, lastStartMs } = timesOf(schedule, timezone);
  const problems = orderProblems(schedule, startsAtMs, endsAtMs, lastStartMs);
  if (problems.length > 0) throw invalidInput(problems);
  if (repeatInterval === null || repeatUnit === null) return { startsAtMs, endsAtMs, repeat: null };
  const startsAt = localTime(startsAtMs, timezone);
  const wallMs = Math.round(startsAt.until(localTime(endsAtMs, timezone)).total("milliseconds"));
  const repeat: Repeat = {
    unit: repeatUnit === "MONTH" ? "months" : "days",
    every: repeatUnit === "WEEK" ? repeatInterval * 7 : repeatInterval,
    lastStartMs,
    timezone,
    startsAt,
    // A few minutes on both sides of the end of DST end before they start, by the clock on the wall.
    lengthMs: wallMs > 0 ? wallMs : endsAtMs - startsAtMs,
  };
  return { startsAtMs, endsAtMs, repeat };
}

function zoneOf(name: string | null): string {
  const timezone = name === null ? "UTC" : timeZoneNamed(name);
  if (timezone !== null) return timezone;
  const message = `must be a time zone of the IANA database, like Europe/Berlin; received ${JSON.stringify(name)}`;
  throw invalidInput([{ path: "timezone", message }]);
}

function timesOf({ startsAt, endsAt, repeatEndsAt }: MaintenanceSchedule, timezone: string) {
  const startsAtMs = timeOf(startsAt, timezone);
  const endsAtMs = timeOf(endsAt, timezone);
  const lastStartMs = repeatEndsAt === null ? Number.POSITIVE_INFINITY : endOf(repeatEndsAt, timezone);
  if (startsAtMs !== null && endsAtMs !== null && lastStartMs !== null) return { startsAtMs, endsAtMs, lastStartMs };
  const times = Object.entries({ startsAt: startsAtMs, endsAt: endsAtMs, repeatEndsAt: lastStartMs });
  throw invalidInput(times.flatMap(([path, ms]) => (ms === null ? [{ path, message: "must be a time from 1970 on" }] : [])));
}

function orderProblems(
  { startsAt, endsAt, repeatInterval, repeatUnit, repeatEndsAt }: MaintenanceSchedule,
  startsAtMs: number,
  endsAtMs: number,
  lastStartMs: number,
): readonly InputProblem[] {
  const problems: InputProblem[] = [];
  // One that ends when it starts is kept, and never holds: clients write such.
  if (endsAtMs < startsAtMs) problems.push({ path: "endsAt", message: `must not be before startsAt (${startsAt}); received ${endsAt}` });
  if (lastStartMs < startsAtMs)
    problems.push({ path: "repeatEndsAt", message: `must not be before startsAt (${startsAt}); received ${repeatEndsAt}` });
  if (repeatInterval !== null && repeatUnit === null)
    problems.push({ path: "repeatUnit", message: `must be DAY, WEEK or MONTH with repeatInterval ${repeatInterval}; received nothing` });
  return problems;
}

/** Eighty thousand years; `Temporal` ends somewhere. */
const maxSteps = { days: 30_000_000, months: 1_000_000 };

/** The occurrence of this number; undefined when the window does not happen so often. */
export function occurrence({ startsAtMs, endsAtMs, repeat }: MaintenancePlan, index: number): Occurrence | undefined {
  if (index === 0) return { index, startsAtMs, endsAtMs };
  if (repeat === null || index < 0 || index * repeat.every > maxSteps[repeat.unit]) return undefined;
  const local = repeat.startsAt.add({ [repeat.unit]: index * repeat.every });
  const start = localMs(local, repeat.timezone);
  if (start > repeat.lastStartMs) return undefined;
  const end = localMs(local.add({ milliseconds: repeat.lengthMs }), repeat.timezone);
  return { index, startsAtMs: start, endsAtMs: end > start ? end : start + repeat.lengthMs };
}

/** The number of the last occurrence that started by then; -1 before the first. */
export function lastStarted(plan: MaintenancePlan, atMs: number): number {
  const { startsAtMs, repeat } = plan;
  if (startsAtMs > atMs) return -1;
  if (repeat === null) return 0;
  const by = Math.min(atMs, repeat.lastStartMs);
  const elapsed = repeat.startsAt.until(localTime(by, repeat.timezone), { largestUnit: repeat.unit });
  // One more than surely: a shorter month, or the hour that DST moves, may bring it forward.
  let index = Math.floor(elapsed[repeat.unit] / repeat.every) + 1;
  while (index > 0 && (occurrence(plan, index)?.startsAtMs ?? Number.POSITIVE_INFINITY) > by) index -= 1;
  return index;
}

/** An occurrence that a user changed or ended; it takes the planned one's place. */
export interface OccurrenceChange {
  /** Null for one of an earlier plan, which takes no place in this one. */
  readonly index: number | null;
  readonly startsAtMs: number;
  readonly endsAtMs: number;
  /** Completed, cancelled or deleted: it is not active whatever the time. */
  readonly isOver: boolean;
}

export interface PlannedWindow {
  readonly plan: MaintenancePlan;
  readonly changes: readonly OccurrenceChange[];
}

/** From its start on, and before its end. */
export interface Span {
  readonly startsAtMs: number;
  readonly endsAtMs: number;
}

/** When it is maintenance at some time from the first to the second, both included. */
export function maintenanceSpans({ plan, changes }: PlannedWindow, fromMs: number, toMs: number): readonly Span[] {
  const changed = new Set(changes.map(({ index }) => index));
  const planned = occurrencesAround(plan, fromMs, toMs).filter(({ index }) => !changed.has(index));
  const spans: readonly Span[] = [...changes.filter(({ isOver }) => !isOver), ...planned];
  return spans.filter(({ startsAtMs, endsAtMs }) => startsAtMs <= toMs && fromMs < endsAtMs && startsAtMs < endsAtMs);
}

interface Known {
  readonly fromMs: number;
  readonly toMs: number;
  readonly occurrences: readonly Occurrence[];
}

/** By plan, those around the time that was asked for last: the next one who asks mostly means the same minutes, and calendars are slow. */
const known = new WeakMap<MaintenancePlan, Known>();
const earlierMs = 15 * 60_000;
const laterMs = 60 * 60_000;

/** All that touch the time from the first to the second, and some more. */
function occurrencesAround(plan: MaintenancePlan, fromMs: number, toMs: number): readonly Occurrence[] {
  const before = known.get(plan);
  if (before !== undefined && before.fromMs <= fromMs && toMs <= before.toMs) return before.occurrences;
  const wider = { fromMs: fromMs - earlierMs, toMs: toMs + laterMs };
  // Of two that overlap the earlier may end later: the night of a change of DST is shorter or longer.
  const first = Math.max(0, lastStarted(plan, wider.fromMs) - 1);
  const last = lastStarted(plan, wider.toMs);
  const occurrences: Occurrence[] = [];
  for (let index = first; index <= last; index += 1) {
    const planned = occurrence(plan, index);
    if (planned !== undefined) occurrences.push(planned);
  }
  known.set(plan, { ...wider, occurrences });
  return occurrences;
}

/** A day ends before the next one begins. */
function endOf(text: string, timezone: string): number | null {
  if (text.includes("T")) return timeOf(text, timezone);
  const next = timeOf(Temporal.PlainDate.from(text).add({ days: 1 }).toString(), timezone);
  return next === null ? null : next - 1;
}

function localTime(ms: number, timezone: string): Temporal.PlainDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDateTime();
}

function localMs(local: Temporal.PlainDateTime, timezone: string | null): number {
  return local.toZonedDateTime(timezone ?? "UTC").epochMilliseconds;
}
