import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { checkListStyle } from "../check-style.ts";
import { type FormProblems, field, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { type ListedLocation, missedText } from "./location-reading.ts";
import { locationListStyle } from "./location-style.ts";
import { agoText, waitText } from "./texts.ts";

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
  const body = html`<h1>Locations</h1>
<p class="lead">Your own places that checks run from, and the agents that run them there.</p>
${problemBox(problems[""])}
${isRemoved && html`<p class="box good" role="status">The location is removed; its keys are revoked.</p>`}
${locations.length === 0 ? html`<p class="box">No location yet. Make one, then start an agent there.</p>` : html`<ol class="places">${locations.map(locationRow)}</ol>`}
${roleAllows(visit.role, "write") && html`<section><h2>Add a location</h2>${createForm(visit, view)}</section>`}`;
  return { ...consolePage(visit, { title: "Locations", style: checkListStyle + locationListStyle, body }), status };
}

function locationRow({ location, state, agents, queue, missed, lastSeenAtMs, nowMs }: ListedLocation): Html {
  const connected = agents.filter((agent) => agent.state === "connected");
  const versions = [...new Set(connected.map(({ version }) => version))].slice(0, 3);
  const running =
    versions.length > 0 ? `Version ${versions.join(", ")}` : lastSeenAtMs === null ? "" : `Last seen ${agoText(lastSeenAtMs, nowMs)}`;
  const oldest = queue.oldestWaitMs === null ? "–" : waitText(queue.oldestWaitMs);
  return html`<li class="${state.tone}"><div class="which"><a href="/locations/${location.id}">${location.name}</a><p>${location.slugName}</p></div>
<div class="how">${stateLabel(state.tone, state.text)}<p>${running}</p></div>
<dl><div><dt>Waiting</dt><dd>${queue.queued.toLocaleString("en-US")}</dd></div><div><dt>Oldest waits</dt><dd>${oldest}</dd></div><div><dt>Running</dt><dd>${queue.leased.toLocaleString("en-US")}</dd></div>
<div><dt>Missed, 24 h</dt><dd${missed > 0 && html` class="bad-figure"`}>${missedText(missed)}</dd></div></dl></li>`;
}

function createForm(visit: Visit, { typed = { name: "", slugName: "" }, problems = {} }: LocationsView): Html {
  const content = html`${field({ name: "name", label: "Name", hint: "As people call it: Berlin office", value: typed.name, autocomplete: "off", problems })}
${field({ name: "slugName", label: "Short name", hint: "In checks and results, for good: berlin", value: typed.slugName, autocomplete: "off", problems })}
<button>Add</button>`;
  return postForm("/locations", visit.csrf, content, "create");
}
