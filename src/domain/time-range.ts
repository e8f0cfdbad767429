import type { QuickRange } from "#contract/analytics-window.ts";
import { AppError } from "./app-error.ts";

/** [from, to), epoch milliseconds. */
export interface TimeWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The widest window that may be asked for: a little more than aggregates are kept. */
export const maxWindowDays = 800;

const dayMs = 86_400_000;

/** How people write a time zone, as the IANA database does; null when there is none of this name. Offsets (`+02:00`) are none. */
export function timeZoneNamed(name: string): string | null {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(name)) return null;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId;
  } catch {
    return null; // the only way to ask
  }
}

/** The last hours and days end now and are whole multiples of 24 hours; weeks and months begin and end at local midnight. */
export function quickWindow(range: QuickRange, nowMs: number, timeZone: string): TimeWindow {
  const today = dateAt(nowMs, timeZone);
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const first = today.with({ day: 1 });
  const midnight = (date: Temporal.PlainDate): number => startOfDay(date, timeZone);
  switch (range) {
    case "last24Hours":
      return { fromMs: nowMs - dayMs, toMs: nowMs };
    case "last7Days":
      return { fromMs: nowMs - 7 * dayMs, toMs: nowMs };
    case "last30Days":
      return { fromMs: nowMs - 30 * dayMs, toMs: nowMs };
    case "thisWeek":
      return { fromMs: midnight(monday), toMs: nowMs };
    case "thisMonth":
      return { fromMs: midnight(first), toMs: nowMs };
    case "lastWeek":
      return { fromMs: midnight(monday.subtract({ weeks: 1 })), toMs: midnight(monday) };
    case "lastMonth":
      return { fromMs: midnight(first.subtract({ months: 1 })), toMs: midnight(first) };
  }
}

/**
 * The window that was asked for. `from` and `to` win over the quick range. `from` alone ends now; `to` alone begins where the quick range
 * began at that instant.
 *
 * @throws {AppError} invalid_input
 */
export function requestedWindow(
  asked: { readonly fromMs?: number | undefined; readonly toMs?: number | undefined; readonly range: QuickRange },
  nowMs: number,
  timeZone: string,
): TimeWindow {
  const { range } = asked;
  if (asked.fromMs === undefined && asked.toMs === undefined) return quickWindow(range, nowMs, timeZone);
  const toMs = Math.floor(asked.toMs ?? nowMs);
  if (toMs - nowMs > maxWindowDays * dayMs) throw new AppError("invalid_input", `"to" must be at most ${maxWindowDays} days ahead`);
  const fromMs = Math.floor(asked.fromMs ?? quickWindow(range, toMs, timeZone).fromMs);
  if (fromMs >= toMs) {
    const end = asked.toMs === undefined ? "now" : '"to"';
    throw new AppError("invalid_input", `"from" must be before ${end}; both are unix timestamps, in seconds or milliseconds`);
  }
  if (toMs - fromMs > maxWindowDays * dayMs)
    throw new AppError("invalid_input", `"from" must be at most ${maxWindowDays} days before ${asked.toMs === undefined ? "now" : '"to"'}`);
  return { fromMs, toMs };
}

/** A window cut at regular places. */
export interface Buckets {
  /** How many have a part in the window. */
  readonly count: number;
  /** Where bucket `index` begins; the first may begin before the window does. Index `count` is where the last one ends. */
  readonly startMs: (index: number) => number;
}

/**
 * Buckets of so many minutes. Multiples of a day begin at local midnight, so that a day with a change of the clock has 23 or 25 hours,
 * and multiples of a week on a Monday; all others are counted from the epoch, so hours begin with the hour of UTC.
 */
export function bucketsOf({ fromMs, toMs }: TimeWindow, intervalMinutes: number, timeZone: string): Buckets {
  const days = intervalMinutes / 1440;
  return Number.isInteger(days) ? dayBuckets({ fromMs, toMs }, days, timeZone) : evenBuckets({ fromMs, toMs }, intervalMinutes * 60_000);
}

function evenBuckets({ fromMs, toMs }: TimeWindow, stepMs: number): Buckets {
  const first = Math.floor(fromMs / stepMs);
  return { count: Math.ceil(toMs / stepMs) - first, startMs: (index) => (first + index) * stepMs };
}

function dayBuckets({ fromMs, toMs }: TimeWindow, days: number, timeZone: string): Buckets {
  const anchor = Temporal.PlainDate.from("1970-01-05"); // a Monday
  const indexAt = (ms: number): number => Math.floor(anchor.until(dateAt(ms, timeZone), { largestUnit: "days" }).days / days);
  const first = indexAt(fromMs);
  return {
    count: indexAt(toMs - 1) - first + 1,
    startMs: (index) => startOfDay(anchor.add({ days: (first + index) * days }), timeZone),
  };
}

export type CalendarUnit = "day" | "week" | "month";

/** Days, weeks from Monday, or calendar months, from local midnight to local midnight. */
export function calendarBuckets({ fromMs, toMs }: TimeWindow, unit: CalendarUnit, timeZone: string): Buckets {
  if (unit !== "month") return dayBuckets({ fromMs, toMs }, unit === "day" ? 1 : 7, timeZone);
  const first = dateAt(fromMs, timeZone).with({ day: 1 });
  const last = dateAt(toMs - 1, timeZone).with({ day: 1 });
  return {
    count: first.until(last, { largestUnit: "months" }).months + 1,
    startMs: (index) => startOfDay(first.add({ months: index }), timeZone),
  };
}

/**
 * Edges of the buckets `first` to `first + count - 1`, as far as there are so many: bucket i is [edge i, edge i + 1). The outer edges are
 * cut to the window. Empty when none is left.
 */
export function bucketEdges(buckets: Buckets, { fromMs, toMs }: TimeWindow, first: number, count: number): readonly number[] {
  const end = Math.min(first + count, buckets.count);
  if (first >= end) return [];
  const cut = (ms: number): number => Math.min(Math.max(ms, fromMs), toMs);
  return Array.from({ length: end - first + 1 }, (_, index) => cut(buckets.startMs(first + index)));
}

/** A day of a time zone by its date, such as 2026-09-15. @returns null for what is none */
export function dayNamed(text: string, timeZone: string): TimeWindow | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  try {
    const day = Temporal.PlainDate.from(text);
    return { fromMs: startOfDay(day, timeZone), toMs: startOfDay(day.add({ days: 1 }), timeZone) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function dateAt(ms: number, timeZone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timeZone).toPlainDate();
}

/** Midnight, or the first instant after a gap in which the clock skipped it. */
function startOfDay(date: Temporal.PlainDate, timeZone: string): number {
  return date.toZonedDateTime(timeZone).epochMilliseconds;
}
