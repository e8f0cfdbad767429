import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { incidentTexts as texts } from "../../texts/incidents.ts";
import { html } from "../../view/html.ts";
import { checkbox, choices, textArea } from "../form-inputs.ts";
import { type FormProblems, field, hidden, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { openStatusOptions, severityOptions } from "./incident-words.ts";
import { notifyBox } from "./notify-box.ts";

/** As the body of the operation names it. */
export const firstUpdate = "incidentUpdates[0].description";

export interface NewIncidentView {
  readonly services: readonly StatusPageService[];
  readonly canSendMail: boolean;
  /** What was typed; empty at first. */
  readonly form: URLSearchParams;
  readonly problems?: FormProblems;
  readonly status?: number;
}

export function newIncidentPage(visit: Visit, { services, canSendMail, form, problems = {}, status = 200 }: NewIncidentView): FormAnswer {
  const chosen = new Set(form.getAll("services"));
  const boxes = services.map(({ id, name }) => checkbox({ name: "services", value: id, label: name, isOn: chosen.has(id) }));
  const content = html`${field({ name: "name", label: texts.name, value: form.get("name") ?? "", autocomplete: "off", maxLength: 255, isFirst: true, problems })}
<div class="pair">${select({ name: "severity", label: texts.severity, value: form.get("severity") ?? "MAJOR", options: severityOptions })}
${select({ name: "status", label: texts.status, value: form.get("status") ?? "INVESTIGATING", options: openStatusOptions })}</div>
${choices(texts.services, boxes, problems["services"])}
${textArea({ name: firstUpdate, label: texts.text, value: form.get(firstUpdate) ?? "", rows: 5, maxLength: 10_000, isProse: true, problems })}
${notifyBox(form.has("notifySubscribers"), canSendMail)}
${form.get("episode") !== null && hidden("episode", form.get("episode") ?? "")}<div class="send"><button>${texts.open}</button><a href="/incidents">${actionTexts.cancel}</a></div>`;
  const body = html`<p class="crumbs"><a href="/incidents">${texts.title}</a></p>
<h1>${texts.openOne}</h1>
<p class="lead">${texts.aboutOpening}</p>
${problemBox(problems[""])}
${
  services.length === 0
    ? html`<p class="box">${texts.noServices(html`<a href="/pages#services">${texts.amongPages}</a>`)}</p>`
    : postForm("/incidents", visit.csrf, content, "form")
}`;
  return { ...consolePage(visit, { title: texts.openOne, style: tellStyle, body }), status };
}
