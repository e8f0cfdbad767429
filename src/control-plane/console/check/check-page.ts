import { isPinged } from "#contract/checks/traits.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { checkPageTexts as texts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import { causePart } from "../causes/cause-part.ts";
import { causeStyle } from "../causes/cause-style.ts";
import { chartStyle } from "../chart-style.ts";
import { checkPageStyle } from "../check-style.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { subjectOf } from "../check-types/subject-of.ts";
import { doneBox } from "../done-box.ts";
import { postForm } from "../form-view.ts";
import { liveBar, liveStyle } from "../live/live-bar.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { badgeSection } from "./badge-section.ts";
import { switchButtons } from "./check-switches.ts";
import type { CheckView } from "./check-view.ts";
import { figureSection } from "./figure-section.ts";
import { placesOf } from "./figures.ts";
import { noticeLabels, plannedLabel } from "./notice-labels.ts";
import { pingLabel } from "./ping-section.ts";
import { addressOf } from "./range-section.ts";
import { runPlace, runStyle } from "./run-box.ts";
import { runSection } from "./run-section.ts";
import { causeLine, standingLabel } from "./standing.ts";
import { suiteSection, suiteStyle } from "./suite-tests.ts";
import { toldPart } from "./told-sections.ts";

export function checkPage(visit: Visit, view: CheckView): FormAnswer {
  const { check, standing, pings, run, publicUrl } = view;
  const isLive = view.range.name !== null;
  const body = html`${doneBox(texts.switches.done, visit.request.query.get("done"))}<p class="crumbs"><a href="/checks">${texts.checks}</a></p>
<div class="head"><h1>${check.name}</h1><span id="state">${pings === null ? standingLabel(standing.state, standing.trouble) : pingLabel(pings)}</span>${noticeLabels(standing.notices, view.nowMs, "soft")}${plannedLabel(standing.planned)}</div>
${about(visit, check, standing)}
<div id="cause">${pings === null && check.activated && causeLine({ checkUuid: check.id, nowMs: view.nowMs, lastGoodMs: standing.lastGoodMs }, standing.state, standing.trouble)}</div>
<div class="does">${mayRun(visit, check) && postForm(`/checks/${check.id}/run`, visit.csrf, html`<button class="quiet">${texts.runNow}</button>`, "run-now")}${roleAllows(visit.role, "write") && html`<a href="/checks/${check.id}/edit">${texts.change}</a><a href="/checks/new?from=${check.id}">${texts.duplicate}</a>`}<a href="/checks/${check.id}/code">${texts.asCode}</a><a href="/alerts?check=${check.id}">${texts.viewAlerts}</a>${roleAllows(visit.role, "admin") && html`<a href="/audit?resource=${check.id}">${texts.viewChanges}</a>`}${switchButtons(visit, check, standing.mutedUntilMs)}${isLive && liveBar(liveAddress(visit, view))}</div>
${runPlace(run)}
${causePart(visit, view.cause, `/checks/${check.id}`)}
${figureSection(view)}
${toldPart(view)}
${suiteSection(check.id, view.suite)}
${pings === null && runSection(view)}
${badgeSection(check, publicUrl)}`;
  const isRefused = Object.keys(view.asked.problems).length > 0;
  const style = checkPageStyle + chartStyle + liveStyle + runStyle + causeStyle + (view.suite === null ? "" : suiteStyle);
  const answer = consolePage(visit, { title: check.name, style, modules: isLive ? ["check"] : ["charts"], isPacked: pings === null, body });
  return isRefused ? { ...answer, status: 400 } : answer;
}

/** What the page hears is said by its own address. */
function liveAddress({ request }: Visit, view: CheckView): string {
  const after = request.query.get("after");
  return `/live${addressOf(view, after === null ? {} : { after })}`;
}

function about({ placeName }: Visit, check: CheckRead, { group }: CheckView["standing"]): Html {
  const subject = subjectOf(check);
  return html`<p class="about"><span>${checkTypeTexts[check.checkType].name}</span>${subject !== "" && html`<span class="address">${subject}</span>`}${group !== null && html`<a href="/groups/${group.id}">${group.name}</a>`}${placesOf(check).map((place) => html`<span>${placeName(place)}</span>`)}${check.tags.map(
    (tag) => html`<a class="chip" href="/checks?tag=${encodeURIComponent(tag)}">${tag}</a>`,
  )}</p>`;
}

function mayRun({ role }: Visit, { checkType }: CheckRead): boolean {
  return roleAllows(role, "run") && !isPinged(checkType);
}
