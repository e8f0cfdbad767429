import type { CheckState } from "#domain/check-state.ts";
import type { DashboardSettings } from "../../kinds/dashboard.ts";
import { checkStateTexts } from "../../texts/check-states.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { durationText, percentText, timeElement } from "../../view/units.ts";
import { hourText, strip, timeLine } from "./charts.ts";
import type { ShownCheck, ShownHour } from "./shown-checks.ts";

export const stateTones: Readonly<Record<CheckState, Tone>> = { failing: "bad", degraded: "warn", passing: "ok", "no data": "none" };

/** One check: how it stands, its last 24 hours, and how long it took. */
export function checkCard(check: ShownCheck, settings: DashboardSettings, base: string): Html {
  const { showGroupNames, hideTags, showCheckRunLinks } = settings;
  const { name, state, groupName, tags, hours } = check;
  return html`<li class="card check ${stateTones[state]}">
<div class="head"><div class="name">${showGroupNames && groupName && html`<p class="group">${groupName}</p>`}<h3>${name}</h3></div>${stateLabel(stateTones[state], stateText(check))}</div>
${publicNotices(check)}
${!hideTags && tags.length > 0 && html`<div class="tags">${tags.map((tag) => html`<span class="chip">${tag}</span>`)}</div>`}
<div>${strip(hours)}<div class="axis" aria-hidden="true"><span>${texts.dayAgo}</span><span>${texts.now}</span></div></div>
${figures(check, settings)}
<div class="more">${details(check, settings)}${showCheckRunLinks && html`<a href="${base}/checks/${check.uuid}">${texts.latestRuns}<span class="hidden"> – ${name}</span></a>`}</div>
</li>`;
}

/** How many of its locations, and not which: names of locations are the account's own. */
function stateText({ state, trouble }: ShownCheck): string {
  const count = (trouble?.places ?? []).filter(({ standing }) => standing === state).length;
  return trouble === null || trouble.of < 2 || count === 0
    ? texts.states[state]
    : checkStateTexts.atSome(texts.states[state], count, trouble.of);
}

/** What explains a check without results; names of windows and locations are the account's own, and so is who is alerted. */
function publicNotices({ notices }: ShownCheck): Html | false {
  const said = notices.flatMap((notice) => {
    if (notice.kind === "maintenance") return checkStateTexts.notices.inMaintenance(timeElement(notice.window.endsAtMs));
    return notice.kind === "first-run" ? checkStateTexts.notices.firstRunAt(timeElement(notice.atMs)) : [];
  });
  return said.length > 0 && html`<p class="soft">${said.slice(0, 1)}</p>`;
}

function figures({ availability, p50, p95, p99, hours }: ShownCheck, { showP95, showP99, expandChecks }: DashboardSettings): Html {
  const figure = (name: string, value: string, meaning?: string) =>
    html`<div><dt${meaning && html` title="${meaning}"`}>${name}</dt><dd>${value}</dd></div>`;
  return html`<div class="fit"><div class="measured"><dl class="figures">
${figure(texts.availability, availability === null ? texts.unmeasured : percentText(availability))}
${figure(texts.p50, timeText(p50), texts.percentiles.p50)}
${showP95 && figure(texts.p95, timeText(p95), texts.percentiles.p95)}
${showP99 && figure(texts.p99, timeText(p99), texts.percentiles.p99)}</dl>${!expandChecks && timeLine(hours, ["p50"], "spark")}</div></div>`;
}

function details({ name, hours, p50, lastRunMs }: ShownCheck, { expandChecks, showP95 }: DashboardSettings): Html {
  const last = lastRunMs === null ? html`${texts.neverRan}` : texts.lastRun(timeElement(lastRunMs));
  const lines = showP95 ? (["p50", "p95"] as const) : (["p50"] as const);
  const top = Math.max(0, ...hours.flatMap((hour) => lines.map((line) => hour[line] ?? 0)));
  const legend = html`<p class="legend">${lines.map((line) => html`<span>${legendMark(line)} ${texts[line]}</span>`)}<span>↑ ${durationText(top)}</span></p>`;
  return html`<details${expandChecks && html` open`}><summary>${texts.details}</summary>
${p50 !== null && html`${timeLine(hours, lines, "chart")}${legend}`}
<p class="soft">${last}</p>
<details><summary>${texts.table}</summary>${table(hours, name, showP95)}</details></details>`;
}

function legendMark(line: "p50" | "p95"): Html {
  return html`<svg class="mark" width="18" height="6" aria-hidden="true"><path class="${line}" d="M1 3h16"/></svg>`;
}

function table(hours: readonly ShownHour[], name: string, showP95: boolean): Html {
  const row = (hour: ShownHour) =>
    html`<tr><td>${hourText(hour)}</td><td>${hour.runs}</td><td>${hour.failed}</td><td>${hour.degraded}</td><td>${timeText(hour.p50)}</td>${showP95 && html`<td>${timeText(hour.p95)}</td>`}</tr>`;
  return html`<div class="wide" tabindex="0" role="region" aria-label="${texts.detailsOf(name)}"><table class="numbers"><thead><tr><th scope="col">${texts.hour}</th><th scope="col">${texts.runs}</th><th scope="col">${texts.failed}</th><th scope="col">${texts.degraded}</th><th scope="col">${texts.p50}</th>${showP95 && html`<th scope="col">${texts.p95}</th>`}</tr></thead>
<tbody>${hours.toReversed().map(row)}</tbody></table></div>`;
}

function timeText(ms: number | null): string {
  return ms === null ? texts.unmeasured : durationText(ms);
}
