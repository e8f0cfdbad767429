import { dayOfHour, hourMs, hoursOfDay } from "./periods.ts";

/** What is known of a check's rollups. */
export interface RollupState {
  /** Hours whose rollups are out of date. */
  readonly dirtyHours: ReadonlySet<number>;
  /** Days whose rollups are out of date, not counting their dirty hours. */
  readonly dirtyDays: ReadonlySet<number>;
  /** Of hours before this one results are no longer kept, so that only their rollups tell. */
  readonly rollupsOnlyBefore: number;
}

/** Days or hours of one bucket, from the first up to but without the second. */
export interface PeriodRange {
  readonly bucket: number;
  readonly from: number;
  readonly to: number;
}

/** Where the figures come from: each instant of the window from exactly one of the three. */
export interface ReadingPlan {
  readonly days: readonly PeriodRange[];
  readonly hours: readonly PeriodRange[];
  /** Of any buckets: a result's own start tells which. */
  readonly raw: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/**
 * Whole days and hours from rollups that are up to date, all else from results. Where results are no longer kept, an hour counts for the
 * bucket in which it begins.
 *
 * @param edgesMs ascending; the buckets are [edge i, edge i + 1)
 */
export function planReading(edgesMs: readonly number[], state: RollupState): ReadingPlan {
  const planner = new Planner(state);
  for (let bucket = 0; bucket + 1 < edgesMs.length; bucket += 1) planner.add(bucket, edgesMs[bucket] ?? 0, edgesMs[bucket + 1] ?? 0);
  return planner;
}

class Planner implements ReadingPlan {
  readonly days: PeriodRange[] = [];
  readonly hours: PeriodRange[] = [];
  readonly raw: { fromMs: number; toMs: number }[] = [];
  readonly #state: RollupState;
  readonly #staleDays: ReadonlySet<number>;

  constructor(state: RollupState) {
    this.#state = state;
    this.#staleDays = new Set([...state.dirtyDays, ...[...state.dirtyHours].filter((hour) => this.#hasResults(hour)).map(dayOfHour)]);
  }

  add(bucket: number, fromMs: number, toMs: number): void {
    const first = Math.ceil(fromMs / hourMs);
    const lastHour = Math.floor(toMs / hourMs);
    const end = this.#hasResults(lastHour) ? lastHour : Math.ceil(toMs / hourMs);
    if (this.#hasResults(Math.floor(fromMs / hourMs))) this.#addRaw(fromMs, Math.min(first * hourMs, toMs));
    for (let hour = first; hour < end; ) hour = this.#addPeriod(bucket, hour, end);
    if (this.#hasResults(lastHour)) this.#addRaw(Math.max(lastHour * hourMs, fromMs, first * hourMs), toMs);
  }

  /** @returns the hour after it */
  #addPeriod(bucket: number, hour: number, end: number): number {
    const day = dayOfHour(hour);
    if (hour % hoursOfDay === 0 && hour + hoursOfDay <= end && !this.#staleDays.has(day)) {
      extend(this.days, bucket, day);
      return hour + hoursOfDay;
    }
    if (this.#hasResults(hour) && this.#state.dirtyHours.has(hour)) this.#addRaw(hour * hourMs, (hour + 1) * hourMs);
    else extend(this.hours, bucket, hour);
    return hour + 1;
  }

  #addRaw(fromMs: number, toMs: number): void {
    if (fromMs >= toMs) return;
    const last = this.raw.at(-1);
    if (last?.toMs === fromMs) last.toMs = toMs;
    else this.raw.push({ fromMs, toMs });
  }

  #hasResults(hour: number): boolean {
    return hour >= this.#state.rollupsOnlyBefore;
  }
}

function extend(ranges: PeriodRange[], bucket: number, period: number): void {
  const last = ranges.at(-1);
  if (last?.bucket === bucket && last.to === period) ranges[ranges.length - 1] = { ...last, to: period + 1 };
  else ranges.push({ bucket, from: period, to: period + 1 });
}
