import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { incidentTexts as texts } from "../../texts/incidents.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { lengthText, timeElement } from "../../view/units.ts";
import { type CauseRead, causePart } from "../causes/cause-part.ts";
import { causeStyle } from "../causes/cause-style.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { textArea } from "../form-inputs.ts";
import { type FormProblems, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { beganAt, type IncidentRead, incidentState, openStatusOptions } from "./incident-words.ts";
import { notifyBox } from "./notify-box.ts";

interface IncidentView {
  readonly incident: IncidentRead;
  /** Why the check fails that it was opened for; null: none is known. */
  readonly cause: CauseRead | null;
  readonly done?: string | null;
  /** What was typed of a new update, and what is wrong with it. */
  readonly description?: string;
  readonly status?: string;
  readonly notifySubscribers?: boolean;
  readonly canSendMail: boolean;
  readonly problems?: FormProblems;
  readonly httpStatus?: number;
}

/** One incident with all that was told of it. */
export function incidentPage(visit: Visit, view: IncidentView): FormAnswer {
  const { incident, cause, done = null, problems = {}, httpStatus = 200 } = view;
  const { id, name, severity, services, incidentUpdates, duration } = incident;
  const { tone, text } = incidentState(incident);
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<p class="crumbs"><a href="/incidents">${texts.title}</a></p>
<div class="head"><h1>${name}</h1>${stateLabel(tone, text)}${mayWrite && html`<a class="button" href="/incidents/${id}/edit">${actionTexts.change}<span class="hidden"> ${name}</span></a>`}</div>
<p class="about"><span>${texts.severities[severity]}</span><span>${(duration === null ? texts.since : texts.began)(timeElement(beganAt(incident)))}</span>${duration !== null && html`<span>${texts.wentOn(lengthText(duration))}</span>`}${services.map((service) => html`<span class="chip">${service.name}</span>`)}</p>
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${causePart(visit, cause, `/incidents/${id}`)}
${mayWrite && updateForm(visit, view)}
<section><h2>${texts.updates}</h2>${incidentUpdates.length === 0 ? html`<p class="box">${texts.noUpdates}</p>` : html`<ol class="updates">${incidentUpdates.map((one) => update(one, mayWrite ? `/incidents/${id}/updates/${one.id}` : null))}</ol>`}</section>
${mayWrite && html`<div class="more">${confirmedAction(visit.csrf, `/incidents/${id}/delete`, texts.delete(name), actionTexts.delete, name)}</div>`}`;
  return { ...consolePage(visit, { title: name, style: tellStyle + causeStyle, body }), status: httpStatus };
}

/** @param address of the form that changes it; null: the reader may not */
function update(
  { description, status, publicIncidentUpdateDate, created_at: createdAt, notifySubscribers }: IncidentRead["incidentUpdates"][number],
  address: string | null,
): Html {
  const at = timeElement(Date.parse(publicIncidentUpdateDate ?? createdAt));
  return html`<li><p class="about"><strong>${status !== undefined && texts.statuses[status]}</strong><span>${at}</span>${notifySubscribers && html`<span>${texts.sent}</span>`}${address !== null && html`<a href="${address}">${actionTexts.change}<span class="hidden"> ${texts.thisUpdate}</span></a>`}</p>
<p class="prose">${description}</p></li>`;
}

function updateForm(visit: Visit, view: IncidentView): Html {
  const { incident, description = "", status, notifySubscribers = false, canSendMail, problems = {} } = view;
  const { id, lastUpdateStatus } = incident;
  const isOver = lastUpdateStatus === "RESOLVED";
  const content = html`${textArea({ name: "description", label: texts.text, value: description, rows: 3, maxLength: 10_000, isProse: true, problems })}
${notifyBox(notifySubscribers, canSendMail)}
${select({ name: "status", label: texts.status, value: status ?? (isOver ? "MONITORING" : lastUpdateStatus), options: openStatusOptions })}
<div class="send"><button>${isOver ? texts.openAgain : texts.addUpdate}</button>${!isOver && html`<button class="quiet" name="resolve" value="on">${texts.resolve}</button>`}</div>`;
  const form = postForm(`/incidents/${id}/updates`, visit.csrf, content, "form");
  if (isOver && description === "") return html`<details class="again"><summary>${texts.isBack}</summary>${form}</details>`;
  return html`<section><h2>${texts.newUpdate}</h2>${form}</section>`;
}
