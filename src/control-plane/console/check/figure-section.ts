import type { CheckCoverage } from "#contract/check-coverage.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { gapTexts } from "../../texts/gaps.ts";
import { type Html, html } from "../../view/html.ts";
import { durationText, numberText, percentText, timeElement } from "../../view/units.ts";
import { table } from "../table.ts";
import { type Limit, lineChart, stackChart, valueText } from "./chart.ts";
import { type Figures, type PlaceLines, placesAtMost } from "./figures.ts";
import { alertMarks, changeMarks, errorMarks, failedMarks, gapMarks, incidentMarks, lanes, maintenanceMarks } from "./lanes.ts";
import type { Measured } from "./measured.ts";
import { pingPart } from "./ping-section.ts";
import { linePath, plotSize } from "./plot-paths.ts";
import { daysBefore, ticksOf } from "./range.ts";
import { placeSection, rangeSection } from "./range-section.ts";

const texts = checkPageTexts.figures;
const chartTexts = checkPageTexts.charts;
const laneTexts = checkPageTexts.lanes;
const percentiles = ["p50", "p95", "p99"] as const;
const measuredNames = [texts.availability, ...Object.values(texts.percentiles)];

/** What was measured over a time, as figures, charts and tables. */
export function figureSection(view: Measured): Html {
  if (view.figures === null && view.pings === null) return html``;
  return html`<section class="measured"><h2>${texts.title}</h2>${rangeSection(view)}
${measuredPart(view)}</section>`;
}

/** What of it changes with new results. A script says since when it has that. */
export function measuredPart(view: Measured): Html {
  const { figures, before, range, pings, nowMs } = view;
  if (pings !== null) return pingPart(view, pings);
  if (figures === null) return html``;
  const { whole, places } = figures;
  const figure = (name: string, key: keyof typeof whole): Html => {
    const text = key === "availability" ? percent : time;
    const then = before !== null && html` <span class="soft">${texts.before(text(before.whole[key]), daysBefore(range))}</span>`;
    return html`<div><dt>${name}</dt><dd>${text(whole[key])}${then}</dd></div>`;
  };
  return html`<div id="measured" data-at="${nowMs}">
<dl class="figures">${figure(texts.availability, "availability")}${percentiles.map((key) => figure(texts.percentiles[key], key))}</dl>
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
  const colours = coloursOf(figures);
  const drawn = lines.map((line, index) => ({ ...line, colour: colours[index] ?? index }));
  const step = measuredNames.length + measures.others.length;
  const each = stepText(edgesMs);
  const past = (name: string, key: "p50" | "availability") => pastLines(view, lines, name, key);
  return html`<div class="overtime" data-charts data-edges="[${edgesMs.join(",")}]" data-columns="${JSON.stringify(Object.values(texts.percentiles))}" data-shades="${JSON.stringify(shades.map(({ fromMs, toMs, text }) => [fromMs, toMs, text]))}">
${lineChart({
  ...shared,
  title: chartTexts.responseTime,
  cells: { first: 1, step },
  reading: chartTexts.responseTimeReading,
  label: chartTexts.responseTimeLabel(each),
  unit: "ms",
  limits: limitsOf(view.check),
  past: past(chartTexts.before(daysBefore(range)), "p50"),
  lines: drawn.map(({ name, colour, p50, p95, p99 }) => ({ name, colour, columns: [p50, p95, p99] })),
})}
${eachPlace(edgesMs, drawn)}
${happened(view)}
${lineChart({
  ...shared,
  title: chartTexts.availability,
  cells: { first: 0, step },
  reading: chartTexts.availabilityReading,
  label: chartTexts.availabilityLabel(each),
  unit: "%",
  isShare: true,
  past: past(chartTexts.availabilityBefore(daysBefore(range)), "availability"),
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

/** Of the locations that are shown now, in their order. */
function pastLines({ before }: Measured, lines: Figures["lines"], name: string, key: "p50" | "availability") {
  if (before === null) return null;
  const byCode = new Map(before.lines.map((line) => [line.code, line[key]]));
  return { name, lines: lines.map((line) => byCode.get(line.code) ?? []) };
}

/** From which response time on a run is degraded or failed, where the check says so. */
function limitsOf(check: Measured["check"]): readonly Limit[] {
  const { degradedResponseTime: degraded, maxResponseTime: failing } = check as { readonly [name: string]: unknown };
  const limit = (value: unknown, tone: Limit["tone"], text: (time: string) => string): readonly Limit[] =>
    typeof value === "number" ? [{ value, tone, text: text(durationText(value)) }] : [];
  const { limits } = chartTexts;
  return [...limit(degraded, "warn", limits.degraded), ...limit(failing, "bad", limits.failing)];
}

/** A location keeps its colour whichever others are shown; only of more than there are colours two may be alike, and then one of them moves on. */
function coloursOf({ places, lines }: Figures): readonly number[] {
  const taken = new Set<number>();
  return lines.map(({ code }) => {
    const own =
      Math.max(
        0,
        places.findIndex((place) => place.code === code),
      ) % placesAtMost;
    const colour = taken.has(own)
      ? (Array.from({ length: placesAtMost }, (_, index) => index).find((index) => !taken.has(index)) ?? own)
      : own;
    taken.add(colour);
    return colour;
  });
}

/** One small picture for each location, so that lines that cross can be told apart. */
function eachPlace(edgesMs: Figures["edgesMs"], lines: readonly (PlaceLines & { readonly colour: number })[]): Html | false {
  const top = Math.max(...lines.flatMap(({ p50 }) => p50.filter((value) => value !== null)));
  if (lines.length < 2 || !(top > 0)) return false;
  const one = ({ name, p50, colour }: (typeof lines)[number]): Html =>
    html`<li><span>${name}</span><svg viewBox="0 0 ${plotSize.width} ${plotSize.height}" preserveAspectRatio="none" role="img" aria-label="${chartTexts.eachLabel(name)}"><path class="s${colour}" d="${linePath({ edgesMs, bottom: 0, top }, p50)}" vector-effect="non-scaling-stroke"/></svg></li>`;
  return html`<details><summary>${chartTexts.each}</summary><ul class="multiples">${lines.map(one)}</ul></details>`;
}

function happened({ check, maintenance, gaps, changes, failures, errors, alertsThen, incidents, range, nowMs }: Measured): Html {
  const all = [
    { name: laneTexts.maintenance, label: laneTexts.maintenanceLabel, marks: maintenanceMarks(maintenance) },
    { name: gapTexts.lane, label: gapTexts.label, marks: gapMarks(gaps) },
    { name: laneTexts.changes, label: laneTexts.changesLabel, marks: changeMarks(changes) },
    { name: laneTexts.failed, label: laneTexts.failedLabel, marks: failedMarks(check.id, failures) },
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
