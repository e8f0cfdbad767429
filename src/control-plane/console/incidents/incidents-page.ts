import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { incidentTexts as texts } from "../../texts/incidents.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { lengthText, timeElement } from "../../view/units.ts";
import { doneBox } from "../done-box.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { beganAt, type IncidentRead, incidentState } from "./incident-words.ts";

interface IncidentsView {
  readonly open: readonly IncidentRead[];
  /** Of this page. */
  readonly past: readonly IncidentRead[];
  /** Of all past ones. */
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly done: string | null;
}

export function incidentsPage(visit: Visit, view: IncidentsView): FormAnswer {
  const { open, past, done } = view;
  const body = html`<div class="head"><h1>${texts.title}</h1>${roleAllows(visit.role, "write") && html`<a class="button strong" href="/incidents/new">${texts.openOne}</a>`}</div>
<p class="lead">${texts.lead}</p>
${doneBox(texts.done, done)}
<section><h2>${texts.openHeading}</h2>${open.length === 0 ? html`<p class="box">${texts.noneOpen}</p>` : list(open)}</section>
${past.length > 0 && html`<section><h2>${texts.past}</h2>${list(past)}</section>`}
${pageLinks({ ...view, path: "/incidents", query: {}, counted: texts.counted })}`;
  return consolePage(visit, { title: texts.title, style: tellStyle, body });
}

function list(incidents: readonly IncidentRead[]): Html {
  return html`<ul class="events">${incidents.map(row)}</ul>`;
}

function row(incident: IncidentRead): Html {
  const { id, name, severity, services, incidentUpdates, duration } = incident;
  const { tone, text } = incidentState(incident);
  const latest = incidentUpdates[0];
  return html`<li class="${tone}"><div class="what">${stateLabel(tone, text)}<p>${timeElement(beganAt(incident))}</p></div>
<div class="which"><a class="name" href="/incidents/${id}">${name}</a>
<p class="about"><span>${texts.severities[severity]}</span>${duration !== null && html`<span>${texts.wentOn(lengthText(duration))}</span>`}<span>${texts.updateCount(incidentUpdates.length)}</span>${services.map((service) => html`<span class="chip">${service.name}</span>`)}</p></div>
<div class="sent">${latest !== undefined && html`<p class="answer">${latest.description.slice(0, 200)}${latest.description.length > 200 && "…"}</p>`}</div></li>`;
}
