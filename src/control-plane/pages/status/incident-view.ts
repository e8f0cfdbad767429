import { type Severity, severities } from "#domain/service-history.ts";
import { statusPageTexts as texts } from "../../texts/status-pages.ts";
import { type Html, html } from "../../view/html.ts";
import type { Tone } from "../../view/state-label.ts";
import { dateText, lengthText, spanElements, timeElement } from "../../view/units.ts";
import type { ShownIncident, ShownMaintenance, ShownStatus } from "./status-model.ts";

export const severityTones: Readonly<Record<Severity, Tone>> = { CRITICAL: "bad", MAJOR: "bad", MEDIUM: "warn", MINOR: "warn" };

const dayMs = 86_400_000;
const pastDays = 14;

export function openIncidents({ incidents }: ShownStatus): Html | false {
  const open = incidents
    .filter(({ toMs }) => toMs === null)
    .toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
  return open.length > 0 && html`<section><h2 id="open">${texts.openIncidents}</h2>${open.map(incidentCard)}</section>`;
}

export function plannedMaintenance({ maintenances }: ShownStatus): Html | false {
  return maintenances.length > 0 && html`<section><h2>${texts.scheduled}</h2>${maintenances.map(maintenanceCard)}</section>`;
}

/** Those that ended in two weeks, day by day; quiet days are told, too, and those on which one is open lead to it. */
export function pastIncidents({ incidents, nowMs }: ShownStatus): Html {
  const today = Math.floor(nowMs / dayMs);
  const ended = Map.groupBy(
    incidents.filter(({ toMs }) => toMs !== null),
    ({ toMs }) => Math.floor(Math.min(toMs ?? nowMs, nowMs) / dayMs),
  );
  const days = Array.from({ length: pastDays }, (_, index) => today - index);
  const openSince = Math.min(...incidents.filter(({ toMs }) => toMs === null).map(({ fromMs }) => Math.floor(fromMs / dayMs)));
  const quietText = (day: number): Html => (day < openSince ? html`${texts.quiet}` : html`<a href="#open">${texts.stillOpen}</a>`);
  return html`<section><h2>${texts.past}</h2><div class="card services">${days.map((day) => {
    const ofDay = ended.get(day) ?? [];
    return html`<div class="day${ofDay.length === 0 && " quiet"}"><h3>${dateText(day * dayMs)}</h3>${ofDay.length === 0 ? html`<p class="soft">${quietText(day)}</p>` : ofDay.map(incidentCard)}</div>`;
  })}</div></section>`;
}

function incidentCard({ id, name, severity, fromMs, toMs, services, updates }: ShownIncident): Html {
  const began = timeElement(fromMs);
  const since = toMs === null ? texts.since(began) : texts.sinceAndLasted(began, lengthText(toMs - fromMs));
  return html`<article class="card incident ${severityTones[severity]}" id="incident-${id}">
<div class="head"><h3>${name}</h3><span class="chip">${texts.severities[severity]}</span></div>
<p class="soft">${since}</p>
${chips(services)}
${updateList(updates.map(({ status, description, publicAtMs }) => ({ status: texts.statuses[status], description, atMs: publicAtMs })))}
</article>`;
}

function maintenanceCard(maintenance: ShownMaintenance): Html {
  const { id, name, description, status, severity, startsAtMs, endsAtMs, services, updates } = maintenance;
  return html`<article class="card incident busy" id="maintenance-${id}">
<div class="head"><h3>${name}</h3><span class="chip">${texts.maintenanceStatuses[status]}</span></div>
<p class="soft">${texts.from(spanElements(startsAtMs, endsAtMs, texts.until))}${severity !== null && html` · ${texts.expected(severity)}`}</p>
${description && html`<p class="text">${description}</p>`}
${chips(services)}
${updateList(updates.map((one) => ({ status: texts.maintenanceStatuses[one.status], description: one.description, atMs: one.createdAtMs })))}
</article>`;
}

function chips(services: readonly string[]): Html | false {
  if (services.length === 0) return false;
  return html`<p class="chips"><span class="hidden">${texts.affects}</span>${services.map((name) => html`<span class="chip">${name}</span> `)}</p>`;
}

function updateList(updates: readonly { readonly status: string; readonly description: string; readonly atMs: number }[]): Html | false {
  if (updates.length === 0) return false;
  return html`<ul class="updates">${updates.map(
    ({ status, description, atMs }) =>
      html`<li><p><strong>${status}</strong> <span class="soft">${timeElement(atMs)}</span></p><p class="text">${description}</p></li>`,
  )}</ul>`;
}
