import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { lengthText, timeElement } from "../../pages/public/units.ts";
import { asksAgain } from "../asks-again.ts";
import { checkbox, textArea } from "../form-inputs.ts";
import { type FormProblems, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type IncidentRead, openStatusOptions, severityText, standingOf, statusText } from "./incident-words.ts";

interface IncidentView {
  readonly incident: IncidentRead;
  readonly done?: string | null;
  /** What was typed of a new update, and what is wrong with it. */
  readonly description?: string;
  readonly status?: string;
  readonly notifySubscribers?: boolean;
  readonly problems?: FormProblems;
  readonly httpStatus?: number;
}

const doneTexts: Readonly<Record<string, string>> = {
  opened: "The incident is open; every status page that has one of its services shows it.",
  updated: "The update is told.",
  resolved: "The incident is resolved.",
  changed: "The incident is changed.",
  corrected: "The update is changed.",
  withdrawn: "The update is deleted.",
};

/** One incident with all that was told of it. */
export function incidentPage(visit: Visit, view: IncidentView): FormAnswer {
  const { incident, done = null, problems = {}, httpStatus = 200 } = view;
  const { id, name, severity, services, incidentUpdates, duration } = incident;
  const { tone, text } = standingOf(incident);
  const doneText = done !== null && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<p class="crumbs"><a href="/incidents">Incidents</a></p>
<div class="head"><h1>${name}</h1>${stateLabel(tone, text)}${mayWrite && html`<a class="button" href="/incidents/${id}/edit">Change<span class="hidden"> ${name}</span></a>`}</div>
<p class="about"><span>${severityText(severity)}</span>${duration !== null && html`<span>went on for ${lengthText(duration)}</span>`}${services.map((service) => html`<span class="chip">${service.name}</span>`)}</p>
${problemBox(problems[""])}
${doneText !== undefined && html`<p class="box good" role="status">${doneText}</p>`}
${mayWrite && updateForm(visit, view)}
<section><h2>Updates</h2>${incidentUpdates.length === 0 ? html`<p class="box">Nothing was told yet.</p>` : html`<ol class="updates">${incidentUpdates.map((one) => update(one, mayWrite ? `/incidents/${id}/updates/${one.id}` : null))}</ol>`}</section>
${mayWrite && html`<div class="more">${asksAgain(visit.csrf, `/incidents/${id}/delete`, `Delete ${name} with its updates? To say that it is over, resolve it.`, "Delete", name)}</div>`}`;
  return { ...consolePage(visit, { title: name, style: tellStyle, body }), status: httpStatus };
}

/** @param address of the form that changes it; null: the reader may not */
function update(
  { description, status, publicIncidentUpdateDate, created_at: createdAt, notifySubscribers }: IncidentRead["incidentUpdates"][number],
  address: string | null,
): Html {
  const at = timeElement(Date.parse(publicIncidentUpdateDate ?? createdAt));
  return html`<li><p class="about"><strong>${status !== undefined && statusText(status)}</strong><span>${at}</span>${notifySubscribers && html`<span>sent to subscribers</span>`}${address !== null && html`<a href="${address}">Change<span class="hidden"> this update</span></a>`}</p>
<p class="prose">${description}</p></li>`;
}

function updateForm(visit: Visit, { incident, description = "", status, notifySubscribers = false, problems = {} }: IncidentView): Html {
  const { id, lastUpdateStatus } = incident;
  const isOver = lastUpdateStatus === "RESOLVED";
  const content = html`${textArea({ name: "description", label: "What people should know", value: description, rows: 3, maxLength: 10_000, isProse: true, problems })}
${checkbox({ name: "notifySubscribers", label: "Send it to subscribers", isOn: notifySubscribers })}
${select({ name: "status", label: "Status", value: status ?? (isOver ? "MONITORING" : lastUpdateStatus), options: openStatusOptions })}
<div class="send"><button>${isOver ? "Open it again" : "Add the update"}</button>${!isOver && html`<button class="quiet" name="resolve" value="on">Resolve the incident</button>`}</div>`;
  const form = postForm(`/incidents/${id}/updates`, visit.csrf, content, "form");
  if (isOver && description === "") return html`<details class="again"><summary>It is back</summary>${form}</details>`;
  return html`<section><h2>New update</h2>${form}</section>`;
}
