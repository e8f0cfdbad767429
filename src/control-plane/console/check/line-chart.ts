import { type Html, html } from "../../pages/html.ts";
import { durationText } from "../../pages/public/units.ts";

export interface ChartLine {
  readonly name: string;
  /** Milliseconds, one for each bucket; null where nothing was measured, which is a gap. */
  readonly p50: readonly (number | null)[];
  readonly p95: readonly (number | null)[];
}

export interface LineChart {
  readonly label: string;
  readonly lines: readonly ChartLine[];
  /** Texts below the chart, evenly spread. */
  readonly ticks: readonly string[];
}

export const plotSize = { width: 1000, height: 200 };
const colours = 6;

/** Medians as lines, p95 as dots of the same colour. Empty where nothing was measured. */
export function lineChart({ label, lines, ticks }: LineChart): Html {
  const values = lines.flatMap(({ p50, p95 }) => [...p50, ...p95]).filter((value) => value !== null);
  if (values.length === 0) return html``;
  const top = niceTop(Math.max(...values));
  const paths = lines.flatMap((line, index) =>
    (["p95", "p50"] as const).map(
      (kind) => html`<path class="s${index % colours} ${kind}" d="${pathOf(line[kind], top)}" vector-effect="non-scaling-stroke"/>`,
    ),
  );
  const grid = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const y = plotSize.height * share;
    return html`<line x1="0" x2="${plotSize.width}" y1="${y}" y2="${y}" vector-effect="non-scaling-stroke"/>`;
  });
  return html`<div class="plot"><div class="y" aria-hidden="true"><span>${durationText(top)}</span><span>${durationText(top / 2)}</span><span>0</span></div>
<svg viewBox="0 0 ${plotSize.width} ${plotSize.height}" preserveAspectRatio="none" role="img" aria-label="${label}">${grid}${paths}</svg>
<div class="x" aria-hidden="true">${ticks.map((tick) => html`<span>${tick}</span>`)}</div></div>
<p class="legend">${lines.map(({ name }, index) => html`<span>${mark(`s${index % colours}`)}${name}</span>`)}<span>line: p50, dots: p95</span></p>`;
}

function mark(className: string): Html {
  return html`<svg viewBox="0 0 18 6" aria-hidden="true"><path class="${className}" d="M1 3h16"/></svg>`;
}

/** The next of 1, 2, 2.5 and 5 with zeros, so that half of it reads well. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 2.5, 5, 10].find((step) => step * power >= value) ?? 10) * power;
}

/** A point that stands alone is a line of no length, which a round cap shows. */
export function pathOf(values: readonly (number | null)[], top: number): string {
  return values
    .map((value, index) => {
      if (value === null) return "";
      const x = ((index + 0.5) * plotSize.width) / values.length;
      const y = plotSize.height * (1 - value / top);
      const isFirst = (values[index - 1] ?? null) === null;
      return isFirst ? `M${x.toFixed(1)} ${y.toFixed(1)}h0` : `L${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join("");
}
