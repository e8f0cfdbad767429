import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { checkPageStyle } from "../check-style.ts";
import { editableTypes } from "../edit/fields.ts";
import { postForm } from "../form-view.ts";
import { liveBar, liveStyle } from "../live/live-bar.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import type { CheckView } from "./check-view.ts";
import { figureSection } from "./figure-section.ts";
import { runPlace, runStyle } from "./run-box.ts";
import { runSection, standingLabel } from "./run-section.ts";
import { type CheckRead, subjectOf } from "./subject.ts";
import { alertSection, errorSection } from "./told-sections.ts";

export function checkPage(visit: Visit, view: CheckView): FormAnswer {
  const { check, results, run } = view;
  const isLatest = !visit.request.query.has("after");
  const body = html`<p class="crumbs"><a href="/checks">Checks</a></p>
<div class="head"><h1>${check.name}</h1><span id="state">${standingLabel(results)}</span>${!check.activated && html`<span class="soft">deactivated</span>`}${check.muted && html`<span class="soft">muted</span>`}</div>
${about(check)}
<div class="does">${mayRun(visit, check) && postForm(`/checks/${check.id}/run`, visit.csrf, html`<button class="quiet">Run now</button>`, "run-now")}${mayChange(visit, check) && html`<a href="/checks/${check.id}/edit">Change</a>`}<a href="/checks/${check.id}/code">As YAML and curl</a>${isLatest && liveBar(`/live/checks/${check.id}`)}</div>
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
