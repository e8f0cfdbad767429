import { resultUuidOf } from "../../kinds/ids.ts";
import type { IndexedCheck, PlaceStanding } from "../../storage/storage.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { overviewTexts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { stateInList } from "./filter.ts";
import { stateInListTones } from "./list-parts.ts";

const texts = overviewTexts.matrix;
const tones: Readonly<Record<NonNullable<PlaceStanding["standing"]>, Tone>> = { failing: "bad", degraded: "warn", passing: "ok" };

/** Checks by locations, so that one location with many failures, or one check that fails in many places, is seen at a glance. */
export function matrixTable(
  checks: readonly IndexedCheck[],
  standings: ReadonlyMap<number, readonly PlaceStanding[]>,
  nowMs: number,
): Html {
  const columns = columnsOf(checks.map(({ id }) => standings.get(id) ?? []));
  const heads = columns.map(
    ({ locationCode, locationName }) => html`<th scope="col" title="${locationCode}">${locationName || locationCode}</th>`,
  );
  const row = (check: IndexedCheck): Html => {
    const places = new Map(standings.get(check.id)?.map((place) => [place.locationId, place]));
    const cells = columns.map(({ locationId }) => html`<td>${cell(check, places.get(locationId))}</td>`);
    return html`<tr><th scope="row"><a href="/checks/${check.uuid}">${check.name}</a> <span>${checkTypeTexts[check.type].name}</span>${places.size === 0 && html` ${nowhere(check, nowMs)}`}</th>${cells}</tr>`;
  };
  return html`<div class="wide" tabindex="0" role="region" aria-label="${texts.label}"><table class="matrix"><thead><tr><th scope="col">${texts.check}</th>${heads}</tr></thead><tbody>${checks.map(row)}</tbody></table></div>`;
}

/** Every location of these checks once, by name. */
function columnsOf(all: readonly (readonly PlaceStanding[])[]): readonly PlaceStanding[] {
  const byId = new Map(all.flat().map((place) => [place.locationId, place]));
  return [...byId.values()].toSorted((a, b) => a.locationName.localeCompare(b.locationName) || a.locationId - b.locationId);
}

/** Of a check that runs at no location, as a heartbeat: no cell says how it stands. */
function nowhere(check: IndexedCheck, nowMs: number): Html {
  const state = stateInList(check, nowMs);
  return stateLabel(stateInListTones[state], overviewTexts.states[state]);
}

/** Leads to the run that says it, else to what the check did there. */
function cell({ uuid, name, activated }: IndexedCheck, place: PlaceStanding | undefined): Html {
  if (place === undefined) return html`<span class="hidden">${texts.notThere}</span>`;
  const { standing, result, locationCode, locationName } = place;
  if (!activated || standing === null) return stateLabel("none", activated ? texts.notRun : overviewTexts.states.deactivated);
  const state = overviewTexts.states[standing];
  const address =
    result === null ? `/checks/${uuid}?location=${encodeURIComponent(locationCode)}` : `/checks/${uuid}/results/${resultUuidOf(result)}`;
  return html`<a href="${address}" aria-label="${texts.cell(name, locationName, state)}">${stateLabel(tones[standing], state)}</a>`;
}
