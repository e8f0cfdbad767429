import type { StatusPageService } from "#contract/status-pages/services.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { html } from "../../pages/html.ts";
import { checkbox, choices, textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { openStatusOptions, severityOptions } from "./incident-words.ts";

/** As the body of the operation names it. */
export const firstUpdate = "incidentUpdates[0].description";

interface NewIncidentView {
  readonly services: readonly StatusPageService[];
  /** What was typed; empty at first. */
  readonly form: URLSearchParams;
  readonly problems?: FormProblems;
  readonly status?: number;
}

export function newIncidentPage(visit: Visit, { services, form, problems = {}, status = 200 }: NewIncidentView): FormAnswer {
  const chosen = new Set(form.getAll("services"));
  const boxes = services.map(({ id, name }) => checkbox({ name: "services", value: id, label: name, isOn: chosen.has(id) }));
  const content = html`${field({ name: "name", label: "Name", value: form.get("name") ?? "", autocomplete: "off", maxLength: 255, isFirst: true, problems })}
<div class="pair">${select({ name: "severity", label: "Severity", value: form.get("severity") ?? "MAJOR", options: severityOptions })}
${select({ name: "status", label: "Status", value: form.get("status") ?? "INVESTIGATING", options: openStatusOptions })}</div>
${choices("Services that it strikes", boxes, problems["services"])}
${textArea({ name: firstUpdate, label: "What people should know", value: form.get(firstUpdate) ?? "", rows: 5, maxLength: 10_000, isProse: true, problems })}
${checkbox({ name: "notifySubscribers", label: "Send it to subscribers", isOn: form.has("notifySubscribers") })}
<div class="send"><button>Open the incident</button><a href="/incidents">Cancel</a></div>`;
  const body = html`<p class="crumbs"><a href="/incidents">Incidents</a></p>
<h1>Open an incident</h1>
<p class="lead">Every status page that has one of its services shows it, until an update says that it is resolved.</p>
${problemBox(problems[""])}
${
  services.length === 0
    ? html`<p class="box">An incident strikes services, and there is none yet. Make the first one <a href="/pages">among the pages</a>.</p>`
    : postForm("/incidents", visit.csrf, content, "form")
}`;
  return { ...consolePage(visit, { title: "Open an incident", style: tellStyle, body }), status };
}
