import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { countText, lengthText, timeElement } from "../../pages/public/units.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type IncidentRead, severityText, standingOf } from "./incident-words.ts";

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
  const body = html`<div class="head"><h1>Incidents</h1>${roleAllows(visit.role, "write") && html`<a class="button strong" href="/incidents/new">Open an incident</a>`}</div>
<p class="lead">What status pages tell of their services. Checks open incidents by themselves where they are set to.</p>
${done === "deleted" && html`<p class="box good" role="status">The incident is deleted; no status page shows it any more.</p>`}
<section><h2>Open</h2>${open.length === 0 ? html`<p class="box">There is no open incident.</p>` : list(open)}</section>
${past.length > 0 && html`<section><h2>Past</h2>${list(past)}</section>`}
${pageLinks({ ...view, path: "/incidents", query: {}, noun: "past incident" })}`;
  return consolePage(visit, { title: "Incidents", style: tellStyle, body });
}

function list(incidents: readonly IncidentRead[]): Html {
  return html`<ul class="events">${incidents.map(row)}</ul>`;
}

function row(incident: IncidentRead): Html {
  const { id, name, severity, services, incidentUpdates, duration, created_at: createdAt } = incident;
  const { tone, text } = standingOf(incident);
  const first = incidentUpdates.at(-1);
  const latest = incidentUpdates[0];
  const began = Date.parse(first?.publicIncidentUpdateDate ?? createdAt);
  return html`<li class="${tone}"><div class="what">${stateLabel(tone, text)}<p>${timeElement(began)}</p></div>
<div class="which"><a class="name" href="/incidents/${id}">${name}</a>
<p class="about"><span>${severityText(severity)}</span>${duration !== null && html`<span>went on for ${lengthText(duration)}</span>`}<span>${countText(incidentUpdates.length, "update")}</span>${services.map((service) => html`<span class="chip">${service.name}</span>`)}</p></div>
<div class="sent">${latest !== undefined && html`<p class="answer">${latest.description.slice(0, 200)}${latest.description.length > 200 && "…"}</p>`}</div></li>`;
}
