import type uPlot from "uplot";
import { tickText } from "./time-axis.ts";

type Values = readonly (number | null)[];

export interface ChartData {
  readonly kind: "lines" | "stack";
  /** Where buckets begin, and where the last one ends; milliseconds. */
  readonly edges: readonly number[];
  /** Of each line its value and those of the bands above it; of a stack the height of each layer. */
  readonly series: readonly (readonly Values[])[];
  readonly bottom: number;
  readonly top: number;
  /** Times that are shaded, and why. */
  readonly shades: readonly (readonly [fromMs: number, toMs: number, why: string])[];
  /** Values that mean something, within the scale. */
  readonly limits: readonly (readonly [value: number, tone: string])[];
  /** What the lines had at an earlier time, in their order. */
  readonly past: readonly Values[];
  readonly label: string;
  /** Of the values of a line that has several. */
  readonly columnNames: readonly string[];
  /** From the top to the bottom. */
  readonly axisTexts: readonly string[];
  readonly axisWidth: number;
  readonly cells: { readonly first: number; readonly step: number };
  readonly colourOf: (index: number) => string;
  /** How a line is dashed, as colours alone do not tell everybody which is which; pixels, none for a solid one. */
  readonly dashOf: (index: number) => readonly number[];
  readonly inkOf: (what: "text" | "line" | "warn" | "bad") => string;
}

export interface Heard {
  readonly onCursor: (index: number | null | undefined) => void;
  readonly onRange: (fromMs: number, toMs: number) => void;
}

/** Shorter drags are clicks. Pixels. */
const leastDrag = 6;
const bandAlphas = [0.2, 0.09];

/** The middle of each bucket, and the values; layers of a stack as they are drawn, the highest first, each down to the ground. */
export function uplotData({ kind, edges, series }: ChartData): uPlot.AlignedData {
  const middles = edges.slice(1).map((end, index) => (end + (edges[index] ?? end)) / 2);
  const columns = kind === "lines" ? series.flat() : topsOf(series.map(([values = []]) => values)).reverse();
  return [middles, ...columns.map((values) => [...values])];
}

/** @param now what is drawn: its values, edges and scale may be other ones later, its lines stay */
export function plotOptions(now: () => ChartData, size: { readonly width: number; readonly height: number }, heard: Heard): uPlot.Options {
  const data = now();
  const { kind } = data;
  return {
    ...size,
    ms: 1,
    legend: { show: false },
    padding: [8, 0, 0, 0],
    scales: {
      x: { time: true, range: () => [now().edges[0] ?? 0, now().edges.at(-1) ?? 1] },
      y: { range: () => [now().bottom, now().top] },
    },
    series: [{}, ...(kind === "lines" ? lineSeries(data) : stackSeries(data, now))],
    bands: kind === "lines" ? bandsOf(data) : [],
    axes: axesOf(data, now),
    cursor: {
      y: false,
      points: { show: kind === "lines", size: 7 },
      drag: { x: true, y: false, setScale: false, dist: leastDrag },
      // Cursors go together; a range is dragged in one of them.
      sync: { key: "time", setSeries: false, filters: { pub: (type) => type === "mousemove" || type === "mouseleave" } },
    },
    hooks: {
      drawClear: [(plot) => drawShades(plot, now())],
      draw: [(plot) => drawGuides(plot, now())],
      setCursor: [({ cursor }) => heard.onCursor(cursor.left === undefined || cursor.left < 0 ? null : cursor.idx)],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width >= leastDrag) heard.onRange(plot.posToVal(left, "x"), plot.posToVal(left + width, "x"));
        },
      ],
    },
  };
}

/** Below all lines. */
function drawShades(plot: uPlot, { shades, edges, inkOf }: ChartData): void {
  const [first, last] = [edges[0] ?? 0, edges.at(-1) ?? 1];
  const xOf = (ms: number): number => plot.valToPos(Math.min(last, Math.max(first, ms)), "x", true);
  plot.ctx.save();
  plot.ctx.fillStyle = withAlpha(inkOf("text"), 0.22);
  for (const [fromMs, toMs] of shades) {
    const from = xOf(fromMs);
    plot.ctx.fillRect(from, plot.bbox.top, xOf(toMs) - from, plot.bbox.height);
  }
  plot.ctx.restore();
}

/** Limits, and the lines of an earlier time: dashed, beside what is read value by value. */
function drawGuides(plot: uPlot, { limits, past, edges, bottom, top, colourOf, inkOf }: ChartData): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([5, 4].map((length) => length * devicePixelRatio));
  for (const [value, tone] of limits) {
    ctx.strokeStyle = inkOf(tone === "bad" ? "bad" : "warn");
    const y = plot.valToPos(value, "y", true);
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
  }
  ctx.setLineDash([1, 3].map((length) => length * devicePixelRatio));
  ctx.lineWidth = 1.5 * devicePixelRatio;
  for (const [line, values] of past.entries()) {
    ctx.strokeStyle = colourOf(line);
    ctx.beginPath();
    for (const [index, value] of values.entries()) {
      if (value === null) continue;
      const middle = ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
      const [x, y] = [plot.valToPos(middle, "x", true), plot.valToPos(Math.min(top, Math.max(bottom, value)), "y", true)];
      if ((values[index - 1] ?? null) === null) ctx.moveTo(x, y);
      else ctx.lineTo(x, y);
    }
    ctx.stroke();
  }
  ctx.restore();
}

function lineSeries({ series, colourOf, dashOf }: ChartData): uPlot.Series[] {
  return series.flatMap((columns, line) =>
    columns.map((_, column): uPlot.Series => {
      if (column > 0) return { width: 0, points: { show: false } };
      const stroke = (): string => colourOf(line);
      return {
        stroke,
        width: 1.75,
        dash: [...dashOf(line)],
        points: { show: true, size: 4, fill: stroke, stroke, filter: (plot, index) => alone(plot.data[index]) },
      };
    }),
  );
}

/** What no line leads to would not be seen. */
function alone(values: uPlot.AlignedData[number] | undefined): number[] {
  const isEmpty = (index: number): boolean => (values?.[index] ?? null) === null;
  return [...(values ?? []).keys()].filter((index) => !isEmpty(index) && isEmpty(index - 1) && isEmpty(index + 1));
}

function bandsOf({ series, colourOf }: ChartData): uPlot.Band[] {
  return series.flatMap((columns, line) =>
    columns.slice(1).map((_, column): uPlot.Band => {
      const low = 1 + line * columns.length + column;
      return { series: [low + 1, low], fill: () => withAlpha(colourOf(line), bandAlphas[column] ?? 0.1) };
    }),
  );
}

function withAlpha(colour: string, alpha: number): string {
  return colour.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`);
}

function stackSeries({ series, colourOf }: ChartData, now: () => ChartData): uPlot.Series[] {
  return series
    .map((_, layer): uPlot.Series => ({ fill: () => colourOf(layer), width: 0, points: { show: false }, paths: columnPaths(now) }))
    .reverse();
}

/** A column from the ground for each bucket, as wide as the bucket. */
function columnPaths(now: () => ChartData): uPlot.Series.PathBuilder {
  return (plot, index) => {
    const { edges } = now();
    const fill = new Path2D();
    const ground = plot.valToPos(0, "y", true);
    for (const [bucket, value] of (plot.data[index] ?? []).entries()) {
      if (value === null || value === undefined) continue;
      const left = Math.round(plot.valToPos(edges[bucket] ?? 0, "x", true));
      const right = Math.round(plot.valToPos(edges[bucket + 1] ?? 0, "x", true));
      const y = plot.valToPos(value, "y", true);
      fill.rect(left, y, right - left, ground - y);
    }
    return { stroke: null, fill, clip: null, band: null, gaps: [], flags: 1 };
  };
}

function axesOf({ axisWidth, inkOf }: ChartData, now: () => ChartData): uPlot.Axis[] {
  const text = (): string => inkOf("text");
  const grid = { stroke: (): string => inkOf("line"), width: 1 };
  const font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const quarters = ({ bottom, top }: ChartData): number[] => [0, 0.25, 0.5, 0.75, 1].map((share) => bottom + share * (top - bottom));
  const textsOf = ({ axisTexts }: ChartData): string[] =>
    [...axisTexts].reverse().flatMap((one, index) => (index === 0 ? [one] : ["", one]));
  return [
    {
      stroke: text,
      font,
      size: 28,
      gap: 6,
      space: 70,
      grid: { show: false },
      ticks: { show: false },
      values: (_, splits) => splits.map(tickText),
    },
    {
      stroke: text,
      font,
      // Values may get longer while the page is open.
      size: (plot, values) => Math.max(axisWidth, widestOf(plot, font, values ?? []) + axisGap),
      gap: axisGap,
      grid,
      ticks: { show: false },
      splits: () => quarters(now()),
      values: () => textsOf(now()),
    },
  ];
}

const axisGap = 10;

function widestOf({ ctx }: uPlot, font: string, texts: readonly string[]): number {
  ctx.font = font;
  return Math.ceil(Math.max(0, ...texts.map((text) => ctx.measureText(text).width)));
}

/** Each on top of those before it. */
function topsOf(layers: readonly Values[]): Values[] {
  let below: Values = layers[0]?.map(() => 0) ?? [];
  return layers.map((values) => {
    below = values.map((value, index) => (value === null ? null : value + (below[index] ?? 0)));
    return below;
  });
}
