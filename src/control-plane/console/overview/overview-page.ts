import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { strip, timeLine } from "../../pages/dashboards/charts.ts";
import type { ShownCheck } from "../../pages/dashboards/shown-checks.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel, type Tone } from "../../pages/public/state-label.ts";
import { countText, durationText, lengthText, percentText } from "../../pages/public/units.ts";
import { checkListStyle } from "../check-style.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { addressOf, type Filter, stateInList, type states } from "./filter.ts";

type State = (typeof states)[number];

export interface OverviewView {
  readonly filter: Filter;
  readonly counts: ReadonlyMap<State, number>;
  readonly rows: readonly ShownCheck[];
  readonly pages: number;
  readonly total: number;
  readonly choices: { readonly types: readonly string[]; readonly tags: readonly string[]; readonly groups: readonly string[] };
  readonly hasChecks: boolean;
  readonly nowMs: number;
}

export const tones: Readonly<Record<State, Tone>> = {
  failing: "bad",
  degraded: "warn",
  "no data": "none",
  passing: "ok",
  deactivated: "none",
};
export const stateTexts: Readonly<Record<State, string>> = {
  failing: "Failing",
  degraded: "Degraded",
  "no data": "No data",
  passing: "Passing",
  deactivated: "Off",
};

export function overviewPage(visit: Visit, view: OverviewView): FormAnswer {
  const { filter, rows, total, hasChecks } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<h1 class="hidden">Checks</h1>
${counters(view)}
${hasChecks ? filterForm(view, mayWrite) : firstSteps(mayWrite)}
${hasChecks && total === 0 && html`<p class="box">No check is like that. <a href="/checks">Show all of them</a></p>`}
${rows.length > 0 && html`<ol class="checks">${rows.map((check) => checkRow(check, filter, view.nowMs))}</ol>`}
${pageLinks(view)}`;
  return consolePage(visit, { title: "Checks", style: checkListStyle, body });
}

function counters({ counts, filter }: OverviewView): Html {
  const links = [...counts]
    .filter(([state, count]) => count > 0 || (state !== "deactivated" && state !== "degraded"))
    .map(([state, count]) => {
      const isChosen = filter.state === state;
      const text = html`<strong>${count.toLocaleString("en-US")}</strong> ${stateLabel(tones[state], stateTexts[state])}`;
      return html`<li><a href="${addressOf(filter, { state: isChosen ? null : state })}" class="${count > 0 ? tones[state] : "none"}"${isChosen && html` aria-current="true"`}>${text}</a></li>`;
    });
  return html`<nav aria-label="States"><ul class="counters">${links}</ul></nav>`;
}

function filterForm({ filter, choices }: OverviewView, mayWrite: boolean): Html {
  const select = (name: "type" | "tag" | "group", label: string, options: readonly string[]): Html =>
    options.length === 0
      ? html``
      : html`<label><span class="hidden">${label}</span><select name="${name}"><option value="">${label}: all</option>${options.map(
          (value) => html`<option value="${value}"${value === filter[name] && html` selected`}>${value}</option>`,
        )}</select></label>`;
  return html`<form class="filter" method="get" action="/checks" role="search">
${filter.state !== null && html`<input type="hidden" name="state" value="${filter.state}">`}
<label class="search"><span class="hidden">Words of the name</span><input type="search" name="q" value="${filter.words}" placeholder="Search checks" maxlength="200"></label>
${select("type", "Type", choices.types)}${select("group", "Group", choices.groups)}${select("tag", "Tag", choices.tags)}
<button class="quiet">Show</button>${mayWrite && html`<a class="new" href="/checks/new">New check</a>`}</form>`;
}

function checkRow(check: ShownCheck, filter: Filter, nowMs: number): Html {
  const state = stateInList(check, nowMs);
  const { name, type, tags, groupName, muted, hours, availability, lastRunMs } = check;
  const ago = lastRunMs === null ? "never ran" : nowMs - lastRunMs < 60_000 ? "just now" : `${lengthText(nowMs - lastRunMs)} ago`;
  return html`<li class="${tones[state]}">
<div class="which"><a href="/checks/${check.uuid}">${name}</a>
<p>${stateLabel(tones[state], stateTexts[state])}<span>${type}</span>${groupName !== null && html`<a href="${addressOf(filter, { group: groupName })}">${groupName}</a>`}${muted && html`<span>muted</span>`}${tags.map(
    (tag) => html`<a class="chip" href="${addressOf(filter, { tag })}">${tag}</a>`,
  )}</p></div>
<div class="runs">${strip(hours)}</div>
<dl><div><dt>Up</dt><dd>${availability === null ? "–" : percentText(availability)}</dd></div>
<div><dt>p50</dt><dd>${time(check.p50)}</dd></div><div><dt>p95</dt><dd>${time(check.p95)}</dd></div></dl>
<div class="line">${timeLine(hours, ["p50"], "spark")}</div>
<p class="last">${ago}</p></li>`;
}

function time(ms: number | null): string {
  return ms === null ? "–" : durationText(ms);
}

function pageLinks({ filter, pages, total }: OverviewView): Html {
  if (pages === 1) return html``;
  const { page } = filter;
  return html`<nav class="pages" aria-label="Pages of checks">${page > 1 && html`<a href="${addressOf(filter, { page: page - 1 })}" rel="prev">Previous</a>`}
<span>Page ${page} of ${pages}, ${countText(total, "check")}</span>${page < pages && html`<a href="${addressOf(filter, { page: page + 1 })}" rel="next">Next</a>`}</nav>`;
}

function firstSteps(mayWrite: boolean): Html {
  return html`<div class="box"><h2>No checks yet</h2>
<p>${mayWrite && html`<a href="/checks/new">Create the first one</a>, make it over the <a href="/docs">REST API</a>, or`} bring what you have: <code>outpost import</code> takes OpenAPI documents, curl commands and
configurations of blackbox_exporter and Gatus.</p></div>`;
}
