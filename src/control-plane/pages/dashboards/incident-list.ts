import { stoppedAtMs } from "#domain/incidents.ts";
import type { IncidentDefinition } from "../../kinds/incident.ts";
import type { DocumentRow } from "../../storage/storage.ts";
import { dashboardTexts as texts } from "../../texts/dashboards.ts";
import { type Html, html } from "../../view/html.ts";
import type { Tone } from "../../view/state-label.ts";
import { lengthText, timeElement } from "../../view/units.ts";

export interface ShownIncident {
  readonly name: string;
  readonly impact: IncidentDefinition["settings"]["impact"];
  readonly startedMs: number;
  /** Null while it goes on. */
  readonly stoppedMs: number | null;
  /** The newest first. */
  readonly updates: IncidentDefinition["updates"];
}

const dayMs = 86_400_000;
const shownForDays = 14;

/** Those that go on, and those that ended in the last two weeks. */
export function shownIncidents(rows: readonly DocumentRow<IncidentDefinition>[], nowMs: number): readonly ShownIncident[] {
  return rows
    .map(({ createdAtMs, definition: { settings, updates } }): ShownIncident => {
      const said = settings.stoppedAt ? Date.parse(settings.stoppedAt) : null;
      return {
        name: settings.name,
        impact: settings.impact,
        startedMs: settings.startedAt ? Date.parse(settings.startedAt) : createdAtMs,
        stoppedMs: stoppedAtMs(said, updates),
        updates: updates.toReversed(),
      };
    })
    .filter(({ stoppedMs }) => stoppedMs === null || stoppedMs > nowMs - shownForDays * dayMs);
}

const tones: Readonly<Record<ShownIncident["impact"], Tone>> = { MAJOR: "bad", MINOR: "warn", MAINTENANCE: "busy" };

export function incidentCard({ name, impact, startedMs, stoppedMs, updates }: ShownIncident): Html {
  const began = timeElement(startedMs);
  const since = stoppedMs === null ? texts.since(began) : texts.sinceAndLasted(began, lengthText(Math.max(stoppedMs - startedMs, 0)));
  return html`<article class="card incident ${tones[impact]}">
<div class="head"><h3>${name}</h3><span class="chip">${texts.impacts[impact]}</span></div>
<p class="soft">${since}</p>
<ul class="updates">${updates.map(
    ({ status, description, createdAtMs }) =>
      html`<li><p><strong>${texts.statuses[status]}</strong> <span class="soft">${timeElement(createdAtMs)}</span></p><p class="text">${description}</p></li>`,
  )}</ul>
</article>`;
}
