/* Paths of charts in a plot of a fixed size, which is stretched to that of the page. */

export const plotSize = { width: 1000, height: 200 };

type Values = readonly (number | null)[];

/** Values at the bottom and at the top of a plot. */
export interface Scale {
  readonly bottom: number;
  readonly top: number;
}

/** The axis of time by the edges of buckets, and that of values. */
export interface Axes extends Scale {
  readonly edgesMs: readonly number[];
}

/** Evenly spread values from 0 on. */
export function pathOf(values: Values, top: number): string {
  return linePath({ edgesMs: Array.from({ length: values.length + 1 }, (_, index) => index), bottom: 0, top }, values);
}

/** From the middle of each bucket to that of the next one. A point that stands alone is a line of no length, which a round cap shows. */
export function linePath(axes: Axes, values: Values): string {
  return stretches(values)
    .map((stretch) => {
      const points = stretch.map((index) => pointAt(axes, middleOf(axes, index), values[index] ?? 0));
      return points.length === 1 ? `M${points[0]}h0` : `M${points.join("L")}`;
    })
    .join("");
}

/** The area between two lines. What stands alone is as wide as its bucket. */
export function bandPath(axes: Axes, low: Values, high: Values): string {
  return stretches(high)
    .map((stretch) => {
      const [first = 0] = stretch;
      if (stretch.length === 1) return stepArea(axes, stretch, low, high);
      const over = stretch.map((index) => pointAt(axes, middleOf(axes, index), high[index] ?? 0));
      const under = stretch.map((index) => pointAt(axes, middleOf(axes, index), low[index] ?? high[first] ?? 0)).reverse();
      return `M${[...over, ...under].join("L")}Z`;
    })
    .join("");
}

/** The area between two values of each bucket, as wide as the bucket. */
export function stepPath(axes: Axes, low: Values, high: Values): string {
  return stretches(high)
    .map((stretch) => stepArea(axes, stretch, low, high))
    .join("");
}

function stepArea(axes: Axes, stretch: readonly number[], low: Values, high: Values): string {
  const { edgesMs } = axes;
  const ends = (index: number, values: Values): readonly string[] =>
    [edgesMs[index] ?? 0, edgesMs[index + 1] ?? 0].map((ms) => pointAt(axes, ms, values[index] ?? 0));
  const over = stretch.flatMap((index) => ends(index, high));
  const under = stretch.flatMap((index) => ends(index, low)).reverse();
  return `M${[...over, ...under].join("L")}Z`;
}

/** Indexes of values that follow each other without a gap. */
function stretches(values: Values): readonly (readonly number[])[] {
  const all: number[][] = [];
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const last = all.at(-1);
    if (last?.at(-1) === index - 1) last.push(index);
    else all.push([index]);
  }
  return all;
}

function middleOf({ edgesMs }: Axes, index: number): number {
  return ((edgesMs[index] ?? 0) + (edgesMs[index + 1] ?? 0)) / 2;
}

function pointAt({ edgesMs, bottom, top }: Axes, ms: number, value: number): string {
  const [from, to] = [edgesMs[0] ?? 0, edgesMs.at(-1) ?? 1];
  const share = Math.min(1, Math.max(0, (value - bottom) / (top - bottom)));
  return `${short((plotSize.width * (ms - from)) / (to - from))} ${short(plotSize.height * (1 - share))}`;
}

function short(value: number): number {
  return Math.round(value * 10) / 10;
}
