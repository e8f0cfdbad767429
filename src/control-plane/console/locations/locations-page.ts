import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { locationTexts as texts } from "../../texts/locations.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { numberText } from "../../view/units.ts";
import { checkListStyle } from "../check-style.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { agoText, waitText } from "./lengths.ts";
import { type ListedLocation, missedText } from "./location-reading.ts";
import { locationListStyle } from "./location-style.ts";

export interface LocationsView {
  readonly locations: readonly ListedLocation[];
  /** What was done before this page. */
  readonly isRemoved?: boolean;
  /** What was typed, and what is wrong with it. */
  readonly typed?: { readonly name: string; readonly slugName: string };
  readonly problems?: FormProblems;
  readonly status?: number;
}

export function locationsPage(visit: Visit, view: LocationsView): FormAnswer {
  const { locations, isRemoved = false, problems = {}, status = 200 } = view;
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${problemBox(problems[""])}
${isRemoved && html`<p class="box good" role="status">${texts.removed}</p>`}
${locations.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ol class="places">${locations.map(locationRow)}</ol>`}
${roleAllows(visit.role, "write") && html`<section><h2>${texts.addHeading}</h2>${createForm(visit, view)}</section>`}`;
  return { ...consolePage(visit, { title: texts.title, style: checkListStyle + locationListStyle, body }), status };
}

function locationRow({ location, state, agents, queue, missed, lastSeenAtMs, nowMs }: ListedLocation): Html {
  const connected = agents.filter((agent) => agent.state === "connected");
  const versions = [...new Set(connected.map(({ version }) => version))].slice(0, 3);
  const running =
    versions.length > 0 ? texts.versions(versions) : lastSeenAtMs === null ? "" : texts.lastSeen(agoText(lastSeenAtMs, nowMs));
  const oldest = queue.oldestWaitMs === null ? texts.unknown : waitText(queue.oldestWaitMs);
  return html`<li class="${state.tone}"><div class="which"><a href="/locations/${location.id}">${location.name}</a><p>${location.slugName}</p></div>
<div class="how">${stateLabel(state.tone, state.text)}<p>${running}</p></div>
<dl><div><dt>${texts.waiting}</dt><dd>${numberText(queue.queued)}</dd></div><div><dt>${texts.oldestWaits}</dt><dd>${oldest}</dd></div><div><dt>${texts.running}</dt><dd>${numberText(queue.leased)}</dd></div>
<div><dt>${texts.missed}</dt><dd${missed > 0 && html` class="bad-figure"`}>${missedText(missed)}</dd></div></dl></li>`;
}

function createForm(visit: Visit, { typed = { name: "", slugName: "" }, problems = {} }: LocationsView): Html {
  const content = html`${field({ name: "name", label: texts.name, hint: texts.nameHint, value: typed.name, autocomplete: "off", problems })}
${field({ name: "slugName", label: texts.shortName, hint: texts.shortNameHint, value: typed.slugName, autocomplete: "off", problems })}
<button>${actionTexts.add}</button>`;
  return postForm("/locations", visit.csrf, content, "create");
}
