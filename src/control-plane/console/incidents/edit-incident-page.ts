import type { OutputOf } from "#contract/operation.ts";
import type { getStatusPageIncidentUpdate } from "#contract/status-pages/incidents.ts";
import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { incidentTexts as texts } from "../../texts/incidents.ts";
import { html } from "../../view/html.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { checkbox, choices, textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { type IncidentRead, openStatusOptions, severityOptions } from "./incident-words.ts";

interface EditIncidentView {
  readonly incident: IncidentRead;
  readonly services: readonly StatusPageService[];
  readonly draft: { readonly name: string; readonly severity: string; readonly chosen: readonly string[] };
  readonly problems?: FormProblems;
  readonly status?: number;
}

export function editIncidentPage(visit: Visit, { incident, services, draft, problems = {}, status = 200 }: EditIncidentView): FormAnswer {
  const { id, name } = incident;
  const title = texts.changeOne(name);
  const boxes = services.map((one) => checkbox({ name: "services", value: one.id, label: one.name, isOn: draft.chosen.includes(one.id) }));
  const content = html`${field({ name: "name", label: texts.name, value: draft.name, autocomplete: "off", maxLength: 255, problems })}
${select({ name: "severity", label: texts.severity, value: draft.severity, options: severityOptions })}
${choices(texts.services, boxes, problems["services"])}
<div class="send"><button>${actionTexts.save}</button><a href="/incidents/${id}">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/incidents">${texts.title}</a> / <a href="/incidents/${id}">${name}</a></p>
<h1>${title}</h1>
${problemBox(problems[""])}
${postForm(`/incidents/${id}/edit`, visit.csrf, content, "form")}`;
  return { ...consolePage(visit, { title, style: tellStyle, body }), status };
}

interface EditUpdateView {
  readonly incident: IncidentRead;
  readonly update: OutputOf<typeof getStatusPageIncidentUpdate>;
  readonly description: string;
  readonly status: string;
  readonly problems?: FormProblems;
  readonly httpStatus?: number;
}

export function editUpdatePage(visit: Visit, view: EditUpdateView): FormAnswer {
  const { incident, update, description, status, problems = {}, httpStatus = 200 } = view;
  const path = `/incidents/${incident.id}/updates/${update.id}`;
  const statuses = [...openStatusOptions, ["RESOLVED", texts.statuses.RESOLVED] as const];
  const content = html`${textArea({ name: "description", label: texts.text, value: description, rows: 5, maxLength: 10_000, isProse: true, problems })}
${select({ name: "status", label: texts.status, value: status, options: statuses })}
<div class="send"><button>${actionTexts.save}</button><a href="/incidents/${incident.id}">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/incidents">${texts.title}</a> / <a href="/incidents/${incident.id}">${incident.name}</a></p>
<h1>${texts.changeUpdate}</h1>
${update.notifySubscribers && html`<p class="lead">${texts.wasSent}</p>`}
${problemBox(problems[""])}
${postForm(path, visit.csrf, content, "form")}
<div class="more">${confirmedAction(visit.csrf, `${path}/delete`, texts.deleteUpdate, actionTexts.delete, texts.theUpdate)}</div>`;
  return { ...consolePage(visit, { title: texts.changeUpdate, style: tellStyle, body }), status: httpStatus };
}
