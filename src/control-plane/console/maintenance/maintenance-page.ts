import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import type { Maintenance } from "#contract/maintenances.ts";
import { roleAllows } from "#domain/key.ts";
import { timeOf } from "#domain/maintenance.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { maintenanceTexts as texts, windowFormTexts } from "../../texts/maintenance.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { lengthText, timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import { effectTexts, repeatText } from "./window-words.ts";

export interface ShownWindow {
  readonly window: MaintenanceWindow;
  /** The one that goes on, or the next one; null: it is over. */
  readonly next: Maintenance | null;
}

interface MaintenanceView {
  readonly windows: readonly ShownWindow[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly done: string | null;
}

export function maintenancePage(visit: Visit, view: MaintenanceView): FormAnswer {
  const { windows, done } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<div class="head"><h1>${texts.title}</h1>${mayWrite && html`<a class="button strong" href="/maintenance/new">${windowFormTexts.newButton}</a>`}</div>
<p class="lead">${texts.lead}</p>
${doneBox(texts.done, done)}${done === "idle" && html`<p class="box warn" role="status">${texts.idle}</p>`}
${windows.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="events windows">${windows.map((one) => row(visit, one, mayWrite))}</ul>`}
${pageLinks({ ...view, path: "/maintenance", query: {}, counted: texts.counted })}`;
  return consolePage(visit, { title: texts.title, style: tellStyle, body });
}

function row(visit: Visit, shown: ShownWindow, mayWrite: boolean): Html {
  const { window, next } = shown;
  const { id, name, description, timezone } = window;
  const { tone, text } = standing(shown);
  return html`<li class="${next?.status === "SCHEDULED" || next === null ? "" : "warn"}"><div class="what">${stateLabel(tone, text)}${next !== null && times(shown, next)}</div>
<div class="which"><strong class="name">${name}</strong>${description !== null && description !== "" && html`<p class="error">${description}</p>`}
<p class="about"><span>${repeatText(window)}</span>${timezone !== null && html`<span>${timezone}</span>`}${effects(window)}<a href="/maintenance/${id}/occurrences">${texts.occurrences}<span class="hidden"> – ${name}</span></a></p></div>
<div class="does">${mayWrite && html`<a class="button" href="/maintenance/${id}">${actionTexts.edit}<span class="hidden"> ${name}</span></a>`}${mayWrite && confirmedAction(visit.csrf, `/maintenance/${id}/delete`, texts.delete(name), actionTexts.delete, name)}</div></li>`;
}

function standing({ next }: ShownWindow): { readonly tone: Tone; readonly text: string } {
  if (next === null) return { tone: "none", text: texts.over };
  return next.status === "SCHEDULED" ? { tone: "busy", text: texts.scheduled } : { tone: "warn", text: texts.inProgress };
}

/** In UTC, whatever the zone of the window. */
function times({ window: { timezone } }: ShownWindow, { startsAt, endsAt }: Maintenance): Html {
  const [from, to] = [timeOf(startsAt, timezone), timeOf(endsAt, timezone)];
  if (from === null || to === null) return html``;
  return html`<p>${timeElement(from)}</p><p>${from === to ? texts.neverHolds : texts.lasts(lengthText(to - from))}</p>`;
}

function effects(window: MaintenanceWindow): Html {
  const does = effectTexts(window);
  const { enabled } = window.statusPageVisibility;
  const all = [...(does.length === 0 ? [texts.doesNothing] : does), ...(enabled ? [texts.isShown] : [])];
  return html`${all.map((text) => html`<span>${text}</span>`)}`;
}
