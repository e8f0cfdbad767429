import type { CheckAlert } from "#contract/check-alerts.ts";
import type { ErrorGroup } from "#contract/error-groups.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { durationText, percentText, timeElement } from "../../pages/public/units.ts";
import { saidBy } from "../alerts/said-by.ts";
import { checkPageStyle } from "../check-style.ts";
import { editableTypes } from "../edit/fields.ts";
import { postForm } from "../form-view.ts";
import { liveBar, liveStyle } from "../live/live-bar.ts";
import { part } from "../result/facts.ts";
import { consolePage } from "../shell.ts";
import { table } from "../table.ts";
import type { Visit } from "../visit.ts";
import type { Figures } from "./figures.ts";
import { lineChart } from "./line-chart.ts";
import { type Range, ranges, ticksOf } from "./range.ts";
import { runPlace, runStyle, type StartedRun } from "./run-box.ts";
import { type RunRow, runRow, standingLabel } from "./run-rows.ts";
import { type CheckRead, subjectOf } from "./subject.ts";

export interface CheckView {
  readonly check: CheckRead;
  readonly range: Range;
  readonly figures: Figures | null;
  readonly results: readonly RunRow[];
  /** Where earlier ones begin; null: there are none. */
  readonly nextId: string | null;
  readonly alerts: readonly CheckAlert[];
  readonly errors: readonly ErrorGroup[];
  /** The run that somebody has just started. */
  readonly run: StartedRun | null;
  readonly nowMs: number;
}

export function checkPage(visit: Visit, view: CheckView): FormAnswer {
  const { check, results, run } = view;
  const isLatest = !visit.request.query.has("after");
  const body = html`<p class="crumbs"><a href="/checks">Checks</a></p>
<div class="head"><h1>${check.name}</h1><span id="state">${standingLabel(results)}</span>${!check.activated && html`<span class="soft">deactivated</span>`}${check.muted && html`<span class="soft">muted</span>`}</div>
${about(check)}
<div class="does">${mayRun(visit, check) && postForm(`/checks/${check.id}/run`, visit.csrf, html`<button class="quiet">Run now</button>`, "run-now")}${mayChange(visit, check) && html`<a href="/checks/${check.id}/edit">Change</a>`}${isLatest && liveBar(`/live/checks/${check.id}`)}</div>
${runPlace(run)}
${figureSection(view)}
${errorSection(view)}
${alertSection(view)}
${runSection(view)}`;
  return consolePage(visit, { title: check.name, style: checkPageStyle + liveStyle + runStyle, modules: isLatest ? ["check"] : [], body });
}

function about(check: CheckRead): Html {
  const { locations, privateLocations } = check as {
    readonly locations?: readonly string[] | null;
    readonly privateLocations?: readonly string[] | null;
  };
  const places = [...(locations ?? []), ...(privateLocations ?? [])];
  return html`<p class="about"><span>${check.checkType}</span><span class="address">${subjectOf(check)}</span>${places.map((place) => html`<span>${place}</span>`)}${check.tags.map(
    (tag) => html`<a class="chip" href="/checks?tag=${encodeURIComponent(tag)}">${tag}</a>`,
  )}</p>`;
}

function mayRun({ role }: Visit, { checkType }: CheckRead): boolean {
  return roleAllows(role, "run") && checkType !== "HEARTBEAT";
}

function mayChange({ role }: Visit, { checkType }: CheckRead): boolean {
  return roleAllows(role, "write") && editableTypes.some((type) => type === checkType);
}

function figureSection({ check, range, figures, nowMs }: CheckView): Html {
  if (figures === null) return html``;
  const { whole, places, lines } = figures;
  const figure = (name: string, value: string): Html => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const tabs = ranges.map(
    ({ name, label }) =>
      html`<li><a href="/checks/${check.id}?range=${name}"${name === range.name && html` aria-current="page"`}>${label}</a></li>`,
  );
  const label = `Response time by location, last ${range.label.toLowerCase()}; the table below has the figures`;
  const rows = places.map(
    ({ name, availability, p50, p95, p99 }) =>
      html`<tr><th scope="row">${name}</th><td>${percent(availability)}</td><td>${time(p50)}</td><td>${time(p95)}</td><td>${time(p99)}</td></tr>`,
  );
  return html`<section><h2>Response time</h2><nav aria-label="Range"><ul class="ranges">${tabs}</ul></nav>
<dl class="figures">${figure("Availability", percent(whole.availability))}${figure("p50", time(whole.p50))}${figure("p95", time(whole.p95))}${figure("p99", time(whole.p99))}</dl>
${lineChart({ label, lines, ticks: ticksOf(range, nowMs) })}
${rows.length > 0 && html`<details><summary>As a table, by location</summary>${table(["Location", "Availability", "p50", "p95", "p99"], rows, "numbers")}</details>`}</section>`;
}

function errorSection({ errors }: CheckView): Html {
  const open = errors.filter(({ archivedUntilNextEvent }) => !archivedUntilNextEvent);
  if (open.length === 0) return html``;
  const rows = open.map(
    ({ cleanedErrorMessage, firstSeen, lastSeen }) =>
      html`<tr><td class="free">${cleanedErrorMessage}</td><td>${timeElement(Date.parse(firstSeen))}</td><td>${timeElement(Date.parse(lastSeen))}</td></tr>`,
  );
  return part("Errors", table(["Error", "First seen", "Last seen"], rows));
}

function alertSection({ check, alerts }: CheckView): Html {
  if (alerts.length === 0) return html``;
  const rows = alerts.map((alert) => {
    const { tone, text } = saidBy(alert);
    const { created_at: at, runLocation, error } = alert;
    return html`<tr><td>${timeElement(Date.parse(at))}</td><td>${stateLabel(tone, text)}</td><td>${runLocation}</td><td class="free">${error}</td></tr>`;
  });
  return part(
    "Alerts",
    table(["Told at", "What", "Location", "Error"], rows),
    html`<p class="pages"><a href="/alerts?check=${check.id}">All alerts of this check</a></p>`,
  );
}

function runSection({ check, results, nextId, range }: CheckView): Html {
  if (results.length === 0) return html`<p class="box">It has not run yet.</p>`;
  const earlier = `/checks/${check.id}?range=${range.name}&after=${encodeURIComponent(nextId ?? "")}`;
  const rows = results.map((result) => runRow(check.id, result));
  return part(
    "Latest runs",
    html`<div id="runs">${table(["Started", "Outcome", "Location", "Took", "Error"], rows)}</div>`,
    nextId === null ? html`` : html`<p class="pages"><a href="${earlier}">Earlier runs</a></p>`,
  );
}

function percent(value: number | null): string {
  return value === null ? "–" : percentText(value);
}

function time(ms: number | null): string {
  return ms === null ? "–" : durationText(ms);
}
