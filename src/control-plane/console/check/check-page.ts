import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { chartStyle } from "../chart-style.ts";
import { checkPageStyle } from "../check-style.ts";
import { editableTypes } from "../edit/fields.ts";
import { postForm } from "../form-view.ts";
import { outcomeOf } from "../result/outcome.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { badgeSection } from "./badge-section.ts";
import type { CheckView } from "./check-view.ts";
import { figureSection } from "./figure-section.ts";
import { placesOf } from "./figures.ts";
import { runSection } from "./run-section.ts";
import { type CheckRead, subjectOf } from "./subject.ts";
import { alertSection, errorSection, incidentSection } from "./told-sections.ts";

export function checkPage(visit: Visit, view: CheckView): FormAnswer {
  const { check, results, publicUrl } = view;
  const newest = results.find(({ resultType }) => resultType === "FINAL");
  const { tone, text } = newest === undefined ? ({ tone: "none", text: "no data" } as const) : outcomeOf(newest);
  const isStarted = visit.request.query.has("started");
  const body = html`<p class="crumbs"><a href="/checks">Checks</a></p>
<div class="head"><h1>${check.name}</h1>${stateLabel(tone, text)}${!check.activated && html`<span class="soft">deactivated</span>`}${check.muted && html`<span class="soft">muted</span>`}</div>
${about(check)}
${isStarted && html`<p class="box good" role="status">The run is started. <a href="/checks/${check.id}">Look again</a> in a moment.</p>`}
<div class="does">${mayRun(visit, check) && postForm(`/checks/${check.id}/run`, visit.csrf, html`<button class="quiet">Run now</button>`)}${mayChange(visit, check) && html`<a href="/checks/${check.id}/edit">Change</a>`}<a href="/checks/${check.id}/code">As YAML and curl</a></div>
${figureSection(view)}
${errorSection(view)}
${alertSection(view)}
${incidentSection(view)}
${runSection(view)}
${badgeSection(check, publicUrl)}`;
  const isRefused = Object.keys(view.asked.problems).length > 0;
  const answer = consolePage(visit, { title: check.name, style: checkPageStyle + chartStyle, modules: ["charts"], body });
  return isRefused ? { ...answer, status: 400 } : answer;
}

function about(check: CheckRead): Html {
  return html`<p class="about"><span>${check.checkType}</span><span class="address">${subjectOf(check)}</span>${placesOf(check).map((place) => html`<span>${place}</span>`)}${check.tags.map(
    (tag) => html`<a class="chip" href="/checks?tag=${encodeURIComponent(tag)}">${tag}</a>`,
  )}</p>`;
}

function mayRun({ role }: Visit, { checkType }: CheckRead): boolean {
  return roleAllows(role, "run") && checkType !== "HEARTBEAT";
}

function mayChange({ role }: Visit, { checkType }: CheckRead): boolean {
  return roleAllows(role, "write") && editableTypes.some((type) => type === checkType);
}
