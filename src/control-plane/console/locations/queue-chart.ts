import { locationTexts as texts } from "../../texts/locations.ts";
import { type Html, html } from "../../view/html.ts";
import { clockText } from "../../view/units.ts";
import { pathOf, plotSize } from "../check/plot-paths.ts";

/** One of the samples that are taken each minute. */
export interface QueueSample {
  readonly atMs: number;
  readonly queueSize: number;
  readonly oldestMs: number;
}

/** The largest of a stretch of time; null where there was no sample. */
export interface QueueBucket {
  readonly fromMs: number;
  readonly queueSize: number | null;
  readonly oldestMs: number | null;
}

/** Peaks, so that a short jam is seen however long the day. */
export function queueBuckets(samples: readonly QueueSample[], fromMs: number, toMs: number, count: number): readonly QueueBucket[] {
  const stepMs = (toMs - fromMs) / count;
  const inBucket = Map.groupBy(samples, ({ atMs }) => Math.floor((atMs - fromMs) / stepMs));
  return Array.from({ length: count }, (_, index) => {
    const there = inBucket.get(index) ?? [];
    const peak = (of: (sample: QueueSample) => number): number | null => (there.length === 0 ? null : Math.max(...there.map(of)));
    return { fromMs: fromMs + index * stepMs, queueSize: peak((one) => one.queueSize), oldestMs: peak((one) => one.oldestMs) };
  });
}

export interface PeakChart {
  readonly title: string;
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly textOf: (value: number) => string;
  readonly ticks: readonly string[];
  /** Where the axis may end, ascending; past the last one it is doubled. */
  readonly tops: readonly number[];
}

export function peakChart({ title, label, values, textOf, ticks, tops }: PeakChart): Html {
  const top = topOf(Math.max(0, ...values.map((value) => value ?? 0)), tops);
  const grid = [0, 0.5, 1].map((share) => {
    const y = plotSize.height * share;
    return html`<line x1="0" x2="${plotSize.width}" y1="${y}" y2="${y}" vector-effect="non-scaling-stroke"/>`;
  });
  return html`<figure><figcaption>${title}</figcaption><div class="plot"><div class="y" aria-hidden="true"><span>${textOf(top)}</span><span>${textOf(top / 2)}</span><span>0</span></div>
<svg viewBox="0 0 ${plotSize.width} ${plotSize.height}" preserveAspectRatio="none" role="img" aria-label="${label}">${grid}<path class="s0" d="${pathOf(values, top)}" vector-effect="non-scaling-stroke"/></svg>
<div class="x" aria-hidden="true">${ticks.map((tick) => html`<span>${tick}</span>`)}</div></div></figure>`;
}

/** Times of a day, evenly spread. */
export function dayTicks(fromMs: number, toMs: number): readonly string[] {
  return [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const clock = clockText(fromMs + (toMs - fromMs) * share);
    return share === 1 ? texts.clock(clock) : clock;
  });
}

export const countTops: readonly number[] = [10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000];
const minuteMs = 60_000;
export const waitTops: readonly number[] = [10_000, 30_000, ...[1, 2, 4, 6, 10, 20, 60].map((minutes) => minutes * minuteMs)];

/** Whole seconds, or minutes. */
export function axisText(ms: number): string {
  return ms < minuteMs ? `${ms / 1_000} s` : `${ms / minuteMs} min`;
}

function topOf(value: number, tops: readonly number[]): number {
  let top = tops.find((one) => one >= value) ?? tops.at(-1) ?? 1;
  while (top < value) top *= 2;
  return top;
}
