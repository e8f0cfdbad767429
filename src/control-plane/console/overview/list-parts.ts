import type { CheckNotice } from "#domain/check-notices.ts";
import { strip, timeLine } from "../../pages/dashboards/charts.ts";
import type { ShownCheck } from "../../pages/dashboards/shown-checks.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { liveTexts } from "../../texts/live.ts";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { durationText, lengthText, percentText } from "../../view/units.ts";
import { noticeLabels } from "../check/notice-labels.ts";
import { causeLine, standingLabel } from "../check/standing.ts";
import { bulkTick } from "./bulk-bar.ts";
import { addressOf, type Filter, stateInList, type states } from "./filter.ts";
import type { Listing } from "./listing.ts";
import { type Member, rowActs } from "./row-acts.ts";
import { shownVersion } from "./row-version.ts";

/* The parts of the list that change while it is looked at: the page has them, and `live/overview-live.ts` sends them anew. */

type State = (typeof states)[number];

export const stateInListTones: Readonly<Record<State, Tone>> = {
  failing: "bad",
  degraded: "warn",
  "no data": "none",
  passing: "ok",
  deactivated: "none",
};

export function counters({ counts, filter }: Pick<Listing, "counts" | "filter">): Html {
  const links = [...counts]
    .filter(([state, count]) => count > 0 || (state !== "deactivated" && state !== "degraded"))
    .map(([state, count]) => {
      const isChosen = filter.state === state;
      const text = html`<strong>${count.toLocaleString("en-US")}</strong> ${stateLabel(stateInListTones[state], texts.states[state])}`;
      return html`<li><a href="${addressOf(filter, { state: isChosen ? null : state })}" class="${count > 0 ? stateInListTones[state] : "none"}"${isChosen && html` aria-current="true"`}>${text}</a></li>`;
    });
  return html`<nav aria-label="${texts.statesLabel}"><ul class="counters">${links}</ul></nav>`;
}

/** Where a row stands, where that is not the list of all checks. */
export interface RowPlace {
  /** The id of the form that takes the checks that are ticked. */
  readonly form: string;
  /** What else stands beside its menu. */
  readonly more: (check: IndexedCheck) => Html | false;
}

/** @param member what he may do stands in the row */
export function checkRow(check: ShownCheck, filter: Filter, nowMs: number, member: Member, place?: RowPlace): Html {
  const state = stateInList(check, nowMs);
  const { uuid, name, type, tags, groupName, hours, availability, lastRunMs } = check;
  return html`<li class="${stateInListTones[state]}" data-id="${uuid}" data-version="${shownVersion(check, check.notices)}">
<div class="which"><a href="/checks/${uuid}">${name}</a>
<p>${state === "deactivated" ? stateLabel("none", texts.states[state]) : standingLabel(state, check.trouble)}<span>${checkTypeTexts[type].name}</span>${groupName !== null && html`<a href="${addressOf(filter, { group: groupName })}">${groupName}</a>`}${noticeLabels(noticesBeside(state, check.notices), nowMs)}${tags.map(
    (tag) => html`<a class="chip" href="${addressOf(filter, { tag })}">${tag}</a>`,
  )}</p>${state !== "deactivated" && causeLine({ checkUuid: uuid, nowMs }, state, check.trouble)}</div>
<div class="runs">${strip(hours)}</div>
<dl><div><dt>${texts.up}</dt><dd>${availability === null ? texts.none : percentText(availability)}</dd></div>
<div><dt>${texts.p50}</dt><dd>${time(check.p50)}</dd></div><div><dt>${texts.p95}</dt><dd>${time(check.p95)}</dd></div></dl>
<div class="line">${timeLine(hours, ["p50"], "spark")}</div>
<p class="last">${lastRun(lastRunMs, nowMs)}</p><div class="pick">${bulkTick(member, uuid, name, place?.form)}${place?.more(check)}${rowActs(member, check, nowMs)}</div></li>`;
}

/** `Paused` says it already, but not that the group does. */
function noticesBeside(state: State, notices: readonly CheckNotice[]): readonly CheckNotice[] {
  return notices.filter((notice) => state !== "deactivated" || notice.kind !== "paused" || notice.by === "group");
}

/** A script lets it tick. */
function lastRun(atMs: number | null, nowMs: number): Html | string {
  if (atMs === null) return texts.neverRan;
  const ago = nowMs - atMs < 60_000 ? liveTexts.justNow : liveTexts.ago(lengthText(nowMs - atMs));
  return html`<time datetime="${new Date(atMs).toISOString()}" data-shows="ago">${ago}</time>`;
}

function time(ms: number | null): string {
  return ms === null ? texts.none : durationText(ms);
}

export function pageLinks({ filter, pages, total }: Pick<Listing, "filter" | "pages" | "total">): Html {
  if (pages === 1) return html``;
  const { page } = filter;
  return html`<nav class="pages" aria-label="${texts.pages}">${page > 1 && html`<a href="${addressOf(filter, { page: page - 1 })}" rel="prev">${texts.previous}</a>`}
<span>${texts.pageOf(page, pages, total)}</span>${page < pages && html`<a href="${addressOf(filter, { page: page + 1 })}" rel="next">${texts.next}</a>`}</nav>`;
}
