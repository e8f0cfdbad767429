import type { CheckCoverage } from "#contract/check-coverage.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { gapTexts } from "../../texts/gaps.ts";
import { type Html, html } from "../../view/html.ts";
import { durationText, numberText, percentText, timeElement } from "../../view/units.ts";
import { table } from "../table.ts";
import { lineChart, stackChart, valueText } from "./chart.ts";
import type { Figures, PlaceLines } from "./figures.ts";
import { alertMarks, errorMarks, gapMarks, incidentMarks, lanes, maintenanceMarks } from "./lanes.ts";
import type { Measured } from "./measured.ts";
import { pingPart } from "./ping-section.ts";
import { ticksOf } from "./range.ts";
import { placeSection, rangeSection } from "./range-section.ts";

const texts = checkPageTexts.figures;
const chartTexts = checkPageTexts.charts;
const laneTexts = checkPageTexts.lanes;
const measuredNames = [texts.availability, ...Object.values(texts.percentiles)];

/** What was measured over a time, as figures, charts and tables. */
export function figureSection(view: Measured): Html {
  if (view.figures === null && view.pings === null) return html``;
  return html`<section class="measured"><h2>${texts.title}</h2>${rangeSection(view)}
${measuredPart(view)}</section>`;
}

/** What of it changes with new results. A script says since when it has that. */
export function measuredPart(view: Measured): Html {
  const { figures, pings, nowMs } = view;
  if (pings !== null) return pingPart(view, pings);
  if (figures === null) return html``;
  const { whole, places } = figures;
  const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<div id="measured" data-at="${nowMs}">
<dl class="figures">${figure(texts.availability, percent(whole.availability))}${figure(texts.percentiles.p50, time(whole.p50))}${figure(texts.percentiles.p95, time(whole.p95))}${figure(texts.percentiles.p99, time(whole.p99))}</dl>
${placeSection(view)}
${charts(view, figures)}
${places.length > 0 && html`<details><summary>${texts.byPlace}</summary>${table([texts.location, ...measuredNames], places.map(placeRow), "numbers")}</details>`}
${overTime(figures)}
${coveragePart(view)}</div>`;
}

/** What was due of the range, and what became of it. */
function coveragePart({ coverage }: Measured): Html {
  if (coverage === null || coverage.due === 0) return html``;
  const { columns, whole, share } = texts.coverage;
  const row = (name: string, { due, run, missed, unknown }: Omit<CheckCoverage["locations"][number], "location">): Html =>
    html`<tr><th scope="row">${name}</th>${[due, run, missed, unknown].map((count) => html`<td>${numberText(count)}</td>`)}</tr>`;
  const rows = [...coverage.locations.map((place) => row(place.location, place)), row(whole, coverage)];
  return html`<details><summary>${share(percentText((100 * coverage.run) / coverage.due))}</summary>${table(columns, rows, "numbers")}</details>`;
}

function charts(view: Measured, figures: Figures): Html {
  const { range } = view;
  const { edgesMs, lines, phases, measures } = figures;
  if (lines.length === 0) return html`<p class="box">${texts.nothing}</p>${happened(view)}`;
  const ticks = ticksOf(range);
  const shades = maintenanceMarks(view.maintenance);
  const shared = { edgesMs, shades, ticks: ticks.map((tick, index) => (index === ticks.length - 1 ? chartTexts.utc(tick) : tick)) };
  const drawn = lines.map((line, colour) => ({ ...line, colour }));
  const step = measuredNames.length + measures.others.length;
  const each = stepText(edgesMs);
  return html`<div class="overtime" data-charts data-edges="[${edgesMs.join(",")}]" data-columns="${JSON.stringify(Object.values(texts.percentiles))}" data-shades="${JSON.stringify(shades.map(({ fromMs, toMs, text }) => [fromMs, toMs, text]))}">
${lineChart({
  ...shared,
  title: chartTexts.responseTime,
  cells: { first: 1, step },
  reading: chartTexts.responseTimeReading,
  label: chartTexts.responseTimeLabel(each),
  unit: "ms",
  lines: drawn.map(({ name, colour, p50, p95, p99 }) => ({ name, colour, columns: [p50, p95, p99] })),
})}
${happened(view)}
${lineChart({
  ...shared,
  title: chartTexts.availability,
  cells: { first: 0, step },
  reading: chartTexts.availabilityReading,
  label: chartTexts.availabilityLabel(each),
  unit: "%",
  isShare: true,
  lines: drawn.map(({ name, colour, availability }) => ({ name, colour, columns: [availability] })),
})}
${stackChart({ ...shared, title: chartTexts.phases, cells: { first: lines.length * step, step: 1 }, reading: chartTexts.phasesReading, label: chartTexts.phasesLabel(each), layers: phases })}
${figures.hasMorePhases && html`<p class="soft">${chartTexts.noPhases}</p>`}
${measures.others.map((other, at) =>
  lineChart({
    ...shared,
    title: other.title,
    cells: { first: measuredNames.length + at, step },
    reading: "",
    label: other.label(each),
    unit: other.unit,
    lines: drawn.map(({ name, colour, others }) => ({ name, colour, columns: [others[at] ?? []] })),
  }),
)}</div>`;
}

function happened({ maintenance, gaps, errors, alertsThen, incidents, range, nowMs }: Measured): Html {
  const all = [
    { name: laneTexts.maintenance, label: laneTexts.maintenanceLabel, marks: maintenanceMarks(maintenance) },
    { name: gapTexts.lane, label: gapTexts.label, marks: gapMarks(gaps) },
    { name: laneTexts.errors, label: laneTexts.errorsLabel, marks: errorMarks(errors) },
    { name: laneTexts.alerts, label: laneTexts.alertsLabel, marks: alertMarks(alertsThen) },
    { name: laneTexts.incidents, label: laneTexts.incidentsLabel, marks: incidentMarks(incidents, nowMs) },
  ];
  return lanes(all, range);
}

/** How long each point stands for: `each 10 minutes`. */
function stepText(edgesMs: readonly number[]): string {
  const minutes = Math.round(Math.max(...edgesMs.slice(1).map((ms, index) => ms - (edgesMs[index] ?? 0))) / 60_000);
  if (minutes % 1_440 === 0) return chartTexts.eachDays(minutes / 1_440);
  if (minutes % 60 === 0) return chartTexts.eachHours(minutes / 60);
  return chartTexts.eachMinutes(minutes);
}

function placeRow({ name, availability, p50, p95, p99 }: Figures["places"][number]): Html {
  return html`<tr><th scope="row">${name}</th><td>${percent(availability)}</td><td>${time(p50)}</td><td>${time(p95)}</td><td>${time(p99)}</td></tr>`;
}

/** What the charts draw, in numbers: a row for each point of time at which something was measured. */
function overTime({ edgesMs, lines, phases, measures }: Figures): Html {
  const measured = edgesMs.slice(0, -1).flatMap((_, index) => (lines.some((line) => isMeasured(line, index)) ? [index] : []));
  if (measured.length === 0) return html``;
  const names = [...measuredNames, ...measures.others.map(({ title }) => title)];
  const groups = lines.map(({ name }) => html`<th scope="colgroup" colspan="${names.length}">${name}</th>`);
  const ofPhases = phases.length > 0 && html`<th scope="colgroup" colspan="${phases.length}">${texts.phasesOf}</th>`;
  const cells = (line: PlaceLines, index: number): Html =>
    html`<td>${percent(line.availability[index])}</td><td>${time(line.p50[index])}</td><td>${time(line.p95[index])}</td><td>${time(line.p99[index])}</td>${measures.others.map(({ unit }, at) => html`<td>${valueText(line.others[at]?.[index] ?? null, unit)}</td>`)}`;
  const rows = measured.map(
    (index) =>
      html`<tr data-bucket="${index}"><th scope="row">${timeElement(edgesMs[index] ?? 0)}</th>${lines.map((line) => cells(line, index))}${phases.map(({ values }) => html`<td>${time(values[index])}</td>`)}</tr>`,
  );
  const heads = [...lines.flatMap(() => names), ...phases.map(({ name }) => name)].map((name) => html`<th scope="col">${name}</th>`);
  return html`<details><summary>${texts.overTime}</summary><div class="wide tall" tabindex="0" role="region" aria-label="${texts.tableLabel}"><table class="numbers over"><thead><tr><td></td>${groups}${ofPhases}</tr><tr><th scope="col">${texts.from}</th>${heads}</tr></thead><tbody>${rows}</tbody></table></div></details>`;
}

function isMeasured({ availability, p50, others }: PlaceLines, index: number): boolean {
  return [availability, p50, ...others].some((values) => (values[index] ?? null) !== null);
}

function percent(value: number | null | undefined): string {
  return typeof value === "number" ? percentText(value) : texts.none;
}

function time(ms: number | null | undefined): string {
  return typeof ms === "number" ? durationText(ms) : texts.none;
}
