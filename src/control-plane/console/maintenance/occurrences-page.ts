import type { MaintenanceWindow } from "#contract/maintenance-windows.ts";
import type { Maintenance, MaintenanceStatus } from "#contract/maintenances.ts";
import { roleAllows } from "#domain/key.ts";
import { timeOf } from "#domain/maintenance.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { maintenanceTexts, occurrenceTexts as texts } from "../../texts/maintenance.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { lengthText, timeElement } from "../../view/units.ts";
import { doneBox } from "../done-box.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

interface OccurrencesView {
  readonly window: MaintenanceWindow;
  /** Of this page. */
  readonly occurrences: readonly Maintenance[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly done: string | null;
}

const style = `${tellStyle}
.occurrences > li { grid-template-columns: 12.5rem minmax(0, 1fr); }
@media (max-width: 56rem) { .occurrences > li { grid-template-columns: minmax(0, 1fr); } }
`;

/** What goes on and comes, then what is over. */
export function occurrencesPage(visit: Visit, view: OccurrencesView): FormAnswer {
  const { window, occurrences, done } = view;
  const path = pathOf(window);
  const body = html`${crumbs(visit, window)}
<h1>${texts.title(window.name)}</h1>
<p class="lead">${texts.lead}</p>
${doneBox(texts.done, done)}
${occurrences.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="events occurrences">${occurrences.map((one) => row(window, one))}</ul>`}
${pageLinks({ ...view, path, query: {}, counted: texts.counted })}`;
  return consolePage(visit, { title: texts.title(window.name), style, body });
}

/** Of all occurrences of a window, or of one. */
export function pathOf({ id }: MaintenanceWindow, occurrence?: Maintenance): string {
  return `/maintenance/${id}/occurrences${occurrence === undefined ? "" : `/${occurrence.id}`}`;
}

/** Who may change the window is led to its form. */
export function crumbs(visit: Visit, { id, name }: MaintenanceWindow, more: Html | false = false): Html {
  const window = roleAllows(visit.role, "write") ? html`<a href="/maintenance/${id}">${name}</a>` : html`${name}`;
  return html`<p class="crumbs"><a href="/maintenance">${maintenanceTexts.title}</a> / ${window}${more && html` / ${more}`}</p>`;
}

const tones: Readonly<Record<MaintenanceStatus, Tone>> = {
  SCHEDULED: "busy",
  IN_PROGRESS: "warn",
  VERIFYING: "warn",
  COMPLETED: "ok",
  CANCELLED: "none",
};

export function occurrenceState({ status }: Maintenance): Html {
  return stateLabel(tones[status], texts.statuses[status]);
}

/** Its start, and how long it takes. */
export function occurrenceTimes({ timezone }: MaintenanceWindow, { startsAt, endsAt }: Maintenance) {
  const [fromMs, toMs] = [timeOf(startsAt, timezone) ?? 0, timeOf(endsAt, timezone) ?? 0]; // they were read before they were stored
  return { start: timeElement(fromMs), length: texts.lasts(lengthText(toMs - fromMs)) };
}

function row(window: MaintenanceWindow, occurrence: Maintenance): Html {
  const { updates } = occurrence;
  const { start, length } = occurrenceTimes(window, occurrence);
  return html`<li class="${tones[occurrence.status] === "warn" ? "warn" : ""}"><div class="what">${occurrenceState(occurrence)}</div>
<div class="which"><a class="name" href="${pathOf(window, occurrence)}">${start}</a>
<p class="about"><span>${length}</span>${updates.length > 0 && html`<span>${texts.updateCount(updates.length)}</span>`}</p></div></li>`;
}
