import { checkPageTexts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import { durationText, percentText } from "../../view/units.ts";
import { type Mark, whenText } from "./lanes.ts";
import { type Axes, bandPath, linePath, plotSize, type Scale, stepPath } from "./plot-paths.ts";

const texts = checkPageTexts.figures;

type Values = readonly (number | null)[];
export type ChartUnit = "ms" | "%" | "days" | "hops" | "score";

/** A line, with bands above it where it has more than one column. */
export interface ChartLine {
  readonly name: string;
  /** Its place among all that can be drawn, which gives its colour. */
  readonly colour: number;
  /** Ascending, each at least as high as the one before. */
  readonly columns: readonly [Values, ...Values[]];
}

interface ChartBase {
  readonly title: string;
  /** What its lines and areas are. */
  readonly reading: string;
  readonly label: string;
  readonly edgesMs: readonly number[];
  /** Which cells of a row of the table over time its first line has, and how many cells on the next line has its own. */
  readonly cells: { readonly first: number; readonly step: number };
  /** Times that are shaded, as maintenance is. */
  readonly shades?: readonly Mark[];
  /** Texts below the chart, evenly spread; in UTC. */
  readonly ticks: readonly string[];
}

export interface LineChart extends ChartBase {
  readonly unit: ChartUnit;
  /** What is looked at near its best value: availability. */
  readonly isShare?: boolean;
  /** Values that mean something of themselves. Those beyond the scale are told, not drawn. */
  readonly limits?: readonly Limit[];
  /** What the lines had at an earlier time, in their order, dashed; and what that time is called. */
  readonly past?: { readonly name: string; readonly lines: readonly Values[] } | null;
  readonly lines: readonly ChartLine[];
}

export interface Limit {
  readonly value: number;
  readonly tone: "warn" | "bad";
  readonly text: string;
}

export interface StackChart extends ChartBase {
  /** Milliseconds, the first at the bottom. */
  readonly layers: readonly { readonly name: string; readonly values: Values }[];
}

/** Lines over time. Empty where nothing was measured. */
export function lineChart(chart: LineChart): Html {
  const { lines, unit, edgesMs, isShare = false, limits = [], past = null } = chart;
  const scale = scaleOf(lines, isShare);
  if (scale === null) return html``;
  const axes: Axes = { edgesMs, ...scale };
  const bands = lines.flatMap(({ colour, columns }) =>
    columns
      .slice(1)
      .map((column, index) => html`<path class="band b${index} s${colour}" d="${bandPath(axes, columns[index] ?? column, column)}"/>`),
  );
  const paths = lines.map(
    ({ colour, columns: [first] }) => html`<path class="s${colour}" d="${linePath(axes, first)}" vector-effect="non-scaling-stroke"/>`,
  );
  const pasts = lines.map(
    ({ colour }, index) =>
      html`<path class="past s${colour}" d="${linePath(axes, past?.lines[index] ?? [])}" vector-effect="non-scaling-stroke"/>`,
  );
  const legend = lines.map(({ name, colour }) => html`<li data-colour="s${colour}">${lineMark(colour)}<span>${name}</span></li>`);
  const series = lines.map(({ columns }) => columns);
  const drawn = html`${bands}${limits.map((limit) => limitLine(limit, scale))}${past !== null && pasts}${paths}`;
  return frame(chart, { kind: "lines", unit, series, scale, drawn, names: namesOf(lines), legend, guides: { limits, past } });
}

/** Areas one on top of the other. Empty where nothing was measured. */
export function stackChart(chart: StackChart): Html {
  const { layers, edgesMs } = chart;
  const tops = topsOf(layers.map(({ values }) => values));
  const most = Math.max(...known(tops.at(-1) ?? []), 0);
  if (most === 0) return html``;
  const scale = { bottom: 0, top: niceTop(most) };
  const axes: Axes = { edgesMs, ...scale };
  const zero = (tops[0] ?? []).map(() => 0);
  const areas = tops.map((top, index) => html`<path class="p${index}" d="${stepPath(axes, tops[index - 1] ?? zero, top)}"/>`);
  const legend = layers.map(({ name }, index) => html`<li data-colour="p${index}">${areaMark(index)}<span>${name}</span></li>`);
  return frame(chart, {
    kind: "stack",
    unit: "ms",
    series: layers.map(({ values }) => [values]),
    scale,
    drawn: html`${areas}`,
    names: namesOf(layers),
    legend,
  });
}

function namesOf(drawn: readonly { readonly name: string }[]): readonly string[] {
  return drawn.map(({ name }) => name);
}

interface Drawn {
  readonly kind: "lines" | "stack";
  readonly unit: ChartUnit;
  readonly series: readonly (readonly Values[])[];
  readonly scale: Scale;
  readonly drawn: Html;
  readonly names: readonly string[];
  readonly legend: readonly Html[];
  readonly guides?: Pick<LineChart, "limits" | "past">;
}

/** `data-series` is what the module `charts` draws the same from. */
function frame(
  { title, reading, label, ticks, cells, edgesMs, shades = [] }: ChartBase,
  { kind, unit, series, scale, drawn, names, legend, guides = {} }: Drawn,
): Html {
  const { bottom, top } = scale;
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = plotSize.height * share;
    return html`<line x1="0" x2="${plotSize.width}" y1="${y}" y2="${y}" vector-effect="non-scaling-stroke"/>`;
  });
  const texts = [top, (top + bottom) / 2, bottom].map((value) => html`<span>${valueText(value, unit)}</span>`);
  const { limits = [], past = null } = guides;
  const drawnLimits = limits.filter(({ value }) => value > bottom && value < top);
  const notes = [
    ...limits.map(({ tone, text }) => html`<span>${guideMark(tone)}${text}</span>`),
    past !== null && html`<span>${guideMark("past")}${past.name}</span>`,
  ];
  return html`<figure class="chart" data-limits="${JSON.stringify(drawnLimits.map(({ value, tone }) => [value, tone]))}" data-past="${JSON.stringify(past?.lines.map((values) => values.map(rounded)) ?? [])}" data-shows="${JSON.stringify([title, ...names])}" data-spoken="${checkPageTexts.charts.withKeys(label)}" data-kind="${kind}" data-unit="${unit}" data-bottom="${bottom}" data-top="${top}" data-cell="${cells.first}" data-step="${cells.step}" data-series="${JSON.stringify(series.map((columns) => columns.map((values) => values.map(rounded))))}">
<figcaption>${title} <span class="soft">${reading}</span></figcaption>
<div class="plot"><div class="y" aria-hidden="true">${texts}</div>
<svg viewBox="0 0 ${plotSize.width} ${plotSize.height}" preserveAspectRatio="none" role="img" aria-label="${label}">${shades.map((mark) => shade(mark, edgesMs))}${grid}${drawn}</svg>
<div class="x" aria-hidden="true">${ticks.map((tick) => html`<span>${tick}</span>`)}</div></div>
<ul class="legend">${legend}</ul>${notes.some((note) => note !== false) && html`<p class="guides">${notes}</p>`}</figure>`;
}

function limitLine({ value, tone }: Limit, { bottom, top }: Scale): Html | false {
  const y = (plotSize.height * (1 - (value - bottom) / (top - bottom))).toFixed(1);
  return (
    value > bottom &&
    value < top &&
    html`<line class="limit ${tone}" x1="0" x2="${plotSize.width}" y1="${y}" y2="${y}" vector-effect="non-scaling-stroke"/>`
  );
}

function guideMark(tone: Limit["tone"] | "past"): Html {
  return html`<svg viewBox="0 0 18 6" aria-hidden="true"><path class="${tone}" d="M1 3h16"/></svg>`;
}

function shade({ fromMs, toMs, tone, text }: Mark, edgesMs: readonly number[]): Html | false {
  const [first, last] = [edgesMs[0] ?? 0, edgesMs.at(-1) ?? 1];
  const xOf = (ms: number): number => (plotSize.width * (Math.min(last, Math.max(first, ms)) - first)) / (last - first);
  const [from, to] = [xOf(fromMs), xOf(toMs)];
  return (
    to > from &&
    html`<rect class="${tone}" x="${from.toFixed(1)}" y="0" width="${(to - from).toFixed(1)}" height="${plotSize.height}"><title>${whenText(fromMs, toMs, text)}</title></rect>`
  );
}

/** A value with its unit. */
export function valueText(value: number | null, unit: ChartUnit): string {
  if (value === null) return texts.none;
  if (unit === "ms") return durationText(value);
  if (unit === "%") return percentText(value);
  if (unit === "score") return value.toFixed(3);
  return unit === "days" ? texts.days(Math.round(value)) : texts.hops(Math.round(value));
}

export function lineMark(colour: number): Html {
  return html`<svg viewBox="0 0 18 6" aria-hidden="true"><path class="s${colour}" d="M1 3h16"/></svg>`;
}

function areaMark(index: number): Html {
  return html`<svg class="area" viewBox="0 0 10 10" aria-hidden="true"><rect class="p${index}" width="10" height="10" rx="2"/></svg>`;
}

/** Shares are looked at near 100 %, all else from 0 on. A few very long runs do not press all others to the ground: they are cut off at the top. */
function scaleOf(lines: readonly ChartLine[], isShare: boolean): Scale | null {
  const most = (column: (columns: ChartLine["columns"]) => Values): number =>
    Math.max(...lines.flatMap((line) => known(column(line.columns))));
  const first = lines.flatMap(({ columns }) => known(columns[0]));
  if (first.length === 0) return null;
  if (isShare) return { bottom: floors.find((floor) => floor < Math.min(...first)) ?? 0, top: 100 };
  const usual = most((columns) => columns[1] ?? columns[0]);
  return {
    bottom: 0,
    top: niceTop(
      Math.min(
        most((columns) => columns.at(-1) ?? columns[0]),
        2.5 * usual,
      ),
    ),
  };
}

const floors: readonly number[] = [99, 95, 90, 50];

/** Each on top of those before it. */
function topsOf(layers: readonly Values[]): readonly Values[] {
  let below: Values = layers[0]?.map(() => 0) ?? [];
  return layers.map((values) => {
    below = values.map((value, index) => (value === null ? null : value + (below[index] ?? 0)));
    return below;
  });
}

/** The next of these steps with zeros, so that half of it reads well. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.1)));
  return ([1, 2, 3, 4, 5, 6, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}

function known(values: Values): readonly number[] {
  return values.filter((value) => value !== null);
}

/** More is not seen in a chart. */
function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toPrecision(4));
}
