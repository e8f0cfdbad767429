import { type Html, html } from "../../pages/html.ts";
import { clockText, dateText, durationText, percentText } from "../../pages/public/units.ts";
import { table } from "../table.ts";
import { lineChart, stackChart, valueText } from "./chart.ts";
import type { CheckView } from "./check-view.ts";
import type { Figures, PlaceLines } from "./figures.ts";
import { alertMarks, errorMarks, incidentMarks, lanes } from "./lanes.ts";
import { ticksOf } from "./range.ts";
import { placeSection, rangeSection } from "./range-section.ts";

/** What was measured over a time, as figures, charts and tables. */
export function figureSection(view: CheckView): Html {
  const { figures } = view;
  if (figures === null) return html``;
  const { whole, places } = figures;
  const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<section class="measured"><h2>Over time</h2>${rangeSection(view)}
<dl class="figures">${figure("Availability", percent(whole.availability))}${figure("p50", time(whole.p50))}${figure("p95", time(whole.p95))}${figure("p99", time(whole.p99))}</dl>
${placeSection(view)}
${charts(view, figures)}
${places.length > 0 && html`<details><summary>As a table, by location</summary>${table(["Location", "Availability", "p50", "p95", "p99"], places.map(placeRow), "numbers")}</details>`}
${overTime(figures)}</section>`;
}

function charts(view: CheckView, figures: Figures): Html {
  const { range } = view;
  const { edgesMs, lines, phases, measures } = figures;
  if (lines.length === 0) return html`<p class="box">Nothing was measured in this time.</p>`;
  const ticks = ticksOf(range);
  const shared = { edgesMs, ticks: ticks.map((tick, index) => (index === ticks.length - 1 ? `${tick} UTC` : tick)) };
  const drawn = lines.map((line, colour) => ({ ...line, colour }));
  const other = measures.other;
  const step = other === null ? 4 : 5;
  const long = `${stepText(edgesMs)}; the tables below have the figures`;
  return html`<div class="overtime" data-charts data-edges="[${edgesMs.join(",")}]">
${lineChart({
  ...shared,
  title: "Response time",
  cells: { first: 1, step },
  reading: "p50 as a line; bands up to p95 and p99",
  label: `Response time by location ${long}`,
  unit: "ms",
  lines: drawn.map(({ name, colour, p50, p95, p99 }) => ({ name, colour, columns: [p50, p95, p99] })),
})}
${happened(view)}
${lineChart({
  ...shared,
  title: "Availability",
  cells: { first: 0, step },
  reading: "runs without failure",
  label: `Availability by location ${long}`,
  unit: "%",
  isShare: true,
  lines: drawn.map(({ name, colour, availability }) => ({ name, colour, columns: [availability] })),
})}
${stackChart({ ...shared, title: "Phases", cells: { first: lines.length * step, step: 1 }, reading: "of a run, on average", label: `Phases of a run on average ${long}`, layers: phases })}
${figures.hasMorePhases && html`<p class="soft">Phases are drawn of shorter times, and of longer ones by the day.</p>`}
${
  other !== null &&
  lineChart({
    ...shared,
    title: other.title,
    cells: { first: 4, step },
    reading: "",
    label: `${other.title} by location ${long}`,
    unit: other.unit,
    lines: drawn.map((line) => ({ name: line.name, colour: line.colour, columns: [line.other] })),
  })
}</div>`;
}

function happened({ errors, alertsThen, incidents, range, nowMs }: CheckView): Html {
  const all = [
    { name: "Errors", noun: "error", marks: errorMarks(errors) },
    { name: "Alerts", noun: "alert", marks: alertMarks(alertsThen) },
    { name: "Incidents", noun: "incident", marks: incidentMarks(incidents, nowMs) },
  ];
  return lanes(all, range);
}

/** How long each point stands for: `each 10 minutes`. */
function stepText(edgesMs: readonly number[]): string {
  const minutes = Math.round(Math.max(...edgesMs.slice(1).map((ms, index) => ms - (edgesMs[index] ?? 0))) / 60_000);
  if (minutes % 1_440 === 0) return minutes === 1_440 ? "each day" : `each ${minutes / 1_440} days`;
  if (minutes % 60 === 0) return minutes === 60 ? "each hour" : `each ${minutes / 60} hours`;
  return minutes === 1 ? "each minute" : `each ${minutes} minutes`;
}

function placeRow({ name, availability, p50, p95, p99 }: Figures["places"][number]): Html {
  return html`<tr><th scope="row">${name}</th><td>${percent(availability)}</td><td>${time(p50)}</td><td>${time(p95)}</td><td>${time(p99)}</td></tr>`;
}

/** What the charts draw, in numbers: a row for each point of time at which something was measured. */
function overTime({ edgesMs, lines, phases, measures }: Figures): Html {
  const { other } = measures;
  const measured = edgesMs.slice(0, -1).flatMap((_, index) => (lines.some((line) => isMeasured(line, index)) ? [index] : []));
  if (measured.length === 0) return html``;
  const names = ["Availability", "p50", "p95", "p99", ...(other === null ? [] : [other.title])];
  const groups = lines.map(({ name }) => html`<th scope="colgroup" colspan="${names.length}">${name}</th>`);
  const ofPhases = phases.length > 0 && html`<th scope="colgroup" colspan="${phases.length}">Phases, on average</th>`;
  const cells = (line: PlaceLines, index: number): Html =>
    html`<td>${percent(line.availability[index])}</td><td>${time(line.p50[index])}</td><td>${time(line.p95[index])}</td><td>${time(line.p99[index])}</td>${other !== null && html`<td>${valueText(line.other[index] ?? null, other.unit)}</td>`}`;
  const rows = measured.map(
    (index) =>
      html`<tr data-bucket="${index}"><th scope="row">${momentOf(edgesMs[index] ?? 0)}</th>${lines.map((line) => cells(line, index))}${phases.map(({ values }) => html`<td>${time(values[index])}</td>`)}</tr>`,
  );
  const heads = [...lines.flatMap(() => names), ...phases.map(({ name }) => name)].map((name) => html`<th scope="col">${name}</th>`);
  return html`<details><summary>As a table, over time</summary><div class="wide tall" tabindex="0" role="region" aria-label="Figures over time"><table class="numbers over"><thead><tr><td></td>${groups}${ofPhases}</tr><tr><th scope="col">From</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function isMeasured({ availability, p50, other }: PlaceLines, index: number): boolean {
  return [availability, p50, other].some((values) => (values[index] ?? null) !== null);
}

function momentOf(ms: number): Html {
  return html`<time datetime="${new Date(ms).toISOString()}">${dateText(ms)}, ${clockText(ms)} UTC</time>`;
}

function percent(value: number | null | undefined): string {
  return typeof value === "number" ? percentText(value) : "–";
}

function time(ms: number | null | undefined): string {
  return typeof ms === "number" ? durationText(ms) : "–";
}
