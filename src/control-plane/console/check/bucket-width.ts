import type { TimeWindow } from "#domain/time-range.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Minutes that divide the hour, hours that divide the day, days. */
const widths: readonly number[] = [1, 2, 5, 10, 15, 30, 60, 120, 240, 360, 720, 1_440, 2_880, 5_760];
const bucketsAtMost = 170;
/** Percentiles of fewer runs than these are hardly more than their values. */
const runsOfBucket = 4;
/** What is narrower than an hour is counted from results one by one: so many take a moment. */
const resultsAtMost = 6_000;
/** What is narrower than a day is brought together from the hours of each location: 3,000 take 25 ms on either engine; with the metrics of phases a page takes twice as long. */
const hoursAtMost = 4_400;
const hoursWithPhases = 1_500;

export interface Pace {
  /** Minutes between runs; 0: several in a minute. */
  readonly frequency: number;
  readonly places: number;
}

/** How many minutes one point of a chart stands for: as few as can be drawn and quickly counted, and enough for some runs. */
export function bucketMinutes(window: TimeWindow, { frequency, places }: Pace): number {
  const minutes = (window.toMs - window.fromMs) / minuteMs;
  const results = (minutes / Math.max(frequency, 1 / 6)) * Math.max(1, places);
  const least = Math.max(Math.min(frequency, minutes / 24), Math.min(runsOfBucket * frequency, minutes / 48));
  const isQuick = (width: number): boolean => (width < 60 ? results <= resultsAtMost : hoursRead(window, places, width) <= hoursAtMost);
  return widths.find((width) => width >= least && minutes / width <= bucketsAtMost && isQuick(width)) ?? widths.at(-1) ?? 1_440;
}

/** Whether phases are quickly told as well. */
export function tellsPhases(window: TimeWindow, places: number, width: number): boolean {
  return width < 60 || hoursRead(window, places, width) <= hoursWithPhases;
}

function hoursRead({ fromMs, toMs }: TimeWindow, places: number, width: number): number {
  return width >= 1_440 ? 0 : ((toMs - fromMs) / hourMs) * Math.max(1, places);
}
