import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import { type Maintenance, MaintenanceStatus, type MaintenanceUpdate } from "#contract/maintenances.ts";
import { roleAllows } from "#domain/key.ts";
import { isOver } from "#domain/maintenance-updates.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { occurrenceTexts as texts } from "../../texts/maintenance.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { checkbox, textArea } from "../form-inputs.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { crumbs, occurrenceState, occurrenceTimes, pathOf } from "./occurrences-page.ts";
import { localText } from "./window-form.ts";

interface OccurrenceView {
  readonly window: MaintenanceWindow;
  readonly occurrence: Maintenance;
  readonly done?: string | null;
  /** What was typed of other times, and of a new update. */
  readonly times?: { readonly startsAt: string; readonly endsAt: string };
  readonly update?: { readonly description: string; readonly status: string; readonly notifySubscribers: boolean };
  readonly problems?: FormProblems;
  readonly status?: number;
}

/** One occurrence with all that was told of it. */
export function occurrencePage(visit: Visit, view: OccurrenceView): FormAnswer {
  const { window, occurrence, done = null, problems = {}, status = 200 } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const { start, length } = occurrenceTimes(window, occurrence);
  const { updates } = occurrence;
  const body = html`${crumbs(visit, window, html`<a href="${pathOf(window)}">${texts.heading}</a>`)}
<div class="head"><h1>${start}</h1>${occurrenceState(occurrence)}</div>
<p class="about"><span>${window.name}</span><span>${length}</span></p>
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${mayWrite && updateForm(visit, view)}
<section><h2>${texts.updates}</h2>${updates.length === 0 ? html`<p class="box">${texts.noUpdates}</p>` : html`<ol class="updates">${updates.map((one) => told(one, mayWrite ? `${pathOf(window, occurrence)}/updates/${one.id}` : null))}</ol>`}</section>
${mayWrite && !isOver(updates[0]?.status ?? "SCHEDULED") && moveForm(visit, view)}
${mayWrite && html`<div class="more">${confirmedAction(visit.csrf, `${pathOf(window, occurrence)}/skip`, texts.skipQuestion, texts.skip, "")}</div>`}`;
  return { ...consolePage(visit, { title: texts.one(window.name), style: tellStyle, body }), status };
}

/** @param address of the form that changes it; null: the reader may not */
function told({ status, description, notifySubscribers, created_at: createdAt }: MaintenanceUpdate, address: string | null): Html {
  return html`<li><p class="about"><strong>${texts.statuses[status]}</strong><span>${timeElement(Date.parse(createdAt))}</span>${notifySubscribers && html`<span>${texts.sent}</span>`}${address !== null && html`<a href="${address}">${actionTexts.change}<span class="hidden"> ${texts.thisUpdate}</span></a>`}</p>
<p class="prose">${description}</p></li>`;
}

function updateForm(visit: Visit, { window, occurrence, update, problems = {} }: OccurrenceView): Html {
  const { description = "", status = occurrence.status, notifySubscribers = false } = update ?? {};
  const content = html`${textArea({ name: "description", label: texts.updateText, value: description, rows: 3, maxLength: 2_000, isProse: true, problems })}
${checkbox({ name: "notifySubscribers", label: texts.notify, isOn: notifySubscribers })}
${select({ name: "status", label: texts.status, value: status, options: nextStatuses(occurrence.status) })}
<div class="send"><button>${texts.addUpdate}</button></div>`;
  return html`<section><h2>${texts.newUpdate}</h2>${postForm(`${pathOf(window, occurrence)}/updates`, visit.csrf, content, "form")}</section>`;
}

/** What an update may say: nothing leads out of what is over, nor back before the start. */
function nextStatuses(status: MaintenanceStatus): readonly (readonly [string, string])[] {
  const all = MaintenanceStatus.options;
  const allowed = isOver(status) ? [status] : all.filter((one) => one !== "SCHEDULED" || status === "SCHEDULED");
  return allowed.map((one) => [one, texts.statuses[one]]);
}

/** Times are those of clocks in the window's zone. */
function moveForm(visit: Visit, { window, occurrence, times, problems = {} }: OccurrenceView): Html {
  const { timezone } = window;
  const hint = texts.inZone(timezone ?? "UTC");
  const input = (name: "startsAt" | "endsAt", label: string): Html =>
    field({
      name,
      label,
      hint,
      type: "datetime-local",
      autocomplete: "off",
      value: times?.[name] ?? localText(occurrence[name], timezone),
      problems,
    });
  const content = html`<div class="pair">${input("startsAt", texts.start)}${input("endsAt", texts.end)}</div>
<div class="send"><button class="quiet">${texts.move}</button></div>`;
  return html`<section><h2>${texts.moveTo}</h2>${postForm(`${pathOf(window, occurrence)}/move`, visit.csrf, content, "form")}</section>`;
}

interface EditTellingView {
  readonly window: MaintenanceWindow;
  readonly occurrence: Maintenance;
  readonly update: MaintenanceUpdate;
  readonly draft: { readonly description: string; readonly status: string };
  readonly problems?: FormProblems;
  readonly status?: number;
}

/** Correcting what was told. */
export function editTellingPage(
  visit: Visit,
  { window, occurrence, update, draft, problems = {}, status = 200 }: EditTellingView,
): FormAnswer {
  const back = pathOf(window, occurrence);
  const path = `${back}/updates/${update.id}`;
  const statuses = MaintenanceStatus.options.map((one) => [one, texts.statuses[one]] as const);
  const content = html`${textArea({ name: "description", label: texts.updateText, value: draft.description, rows: 5, maxLength: 2_000, isProse: true, problems })}
${select({ name: "status", label: texts.status, value: draft.status, options: statuses })}
<div class="send"><button>${actionTexts.save}</button><a href="${back}">${actionTexts.cancel}</a></div>`;
  const body = html`${crumbs(visit, window, html`<a href="${back}">${texts.heading}</a>`)}
<h1>${texts.changeUpdate}</h1>
${update.notifySubscribers && html`<p class="lead">${texts.wasSent}</p>`}
${problemBox(problems[""])}
${postForm(path, visit.csrf, content, "form")}
<div class="more">${confirmedAction(visit.csrf, `${path}/delete`, texts.deleteUpdate, actionTexts.delete, texts.theUpdate)}</div>`;
  return { ...consolePage(visit, { title: texts.changeUpdate, style: tellStyle, body }), status };
}
