import type { CheckState } from "#domain/check-state.ts";
import { resultUuidOf } from "../../kinds/ids.ts";
import type { CheckTrouble, OpenAlert, TroubledPlace } from "../../storage/storage.ts";
import { checkStateTexts as texts } from "../../texts/check-states.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { rowTimeElement } from "../../view/units.ts";
import { episodePath, handlingLines } from "../alerts/episode-words.ts";

export const stateTones: Readonly<Record<CheckState, Tone>> = { failing: "bad", degraded: "warn", "no data": "none", passing: "ok" };

/** How a check stands by the newest run of each of its locations: `Failing at Lyon office (1 of 3)`. */
export function standingLabel(state: CheckState, trouble: CheckTrouble | null): Html {
  const places = placesThat(state, trouble).map(({ locationName }) => locationName);
  const name = texts.states[state];
  const isOfMany = trouble !== null && trouble.of > 1 && places.length > 0;
  return stateLabel(stateTones[state], isOfMany ? texts.atPlaces(name, places, trouble.of) : name);
}

function placesThat(state: CheckState, trouble: CheckTrouble | null): readonly TroubledPlace[] {
  return state === "failing" || state === "degraded" ? (trouble?.places ?? []).filter(({ standing }) => standing === state) : [];
}

/** Where it has been so for the longest: since then the check is. */
export function longestTroubled(state: CheckState, trouble: CheckTrouble | null): TroubledPlace | undefined {
  return placesThat(state, trouble).toSorted((a, b) => a.sinceMs - b.sinceMs)[0];
}

/** What the line tells beside the state. */
export interface CauseFacts {
  readonly checkUuid: string;
  readonly nowMs: number;
  /** Start of the last run that passed before, where that is known. */
  readonly lastGoodMs?: number | null;
}

/** The newest error in one line, since when, who looks after it, and the way to its run; nothing where a check passes. */
export function causeLine({ checkUuid, nowMs, lastGoodMs = null }: CauseFacts, state: CheckState, trouble: CheckTrouble | null): Html {
  const [newest] = placesThat(state, trouble);
  const longest = longestTroubled(state, trouble);
  if (newest === undefined || longest === undefined) return html``;
  const { error, result } = newest;
  const { runs, sinceMs } = longest;
  const view = result !== null && html`<a href="/checks/${checkUuid}/results/${resultUuidOf(result)}">${texts.view}</a>`;
  return html`<p class="cause ${stateTones[state]}">${(error !== null || state === "failing") && html`<span class="error">${error ?? texts.unknownError}</span>`}<span>${texts.since(rowTimeElement(sinceMs))}</span>${runs > 1 && html`<span>${texts.runs(runs)}</span>`}${lastGoodMs !== null && html`<span>${texts.lastGood(rowTimeElement(lastGoodMs))}</span>`}${view}${alertLinks(trouble?.alert ?? null, nowMs)}</p>`;
}

/** The open alert with what people did about it, and its incident. */
function alertLinks(alert: OpenAlert | null, nowMs: number): readonly Html[] {
  if (alert === null) return [];
  const { handling, incidentUuid } = alert;
  return [
    ...handlingLines({ handling, closedAtMs: null }, nowMs),
    html`<a href="${episodePath(alert)}">${texts.viewAlert}</a>`,
    ...(incidentUuid === null ? [] : [html`<a href="/incidents/${incidentUuid}">${texts.openIncident}</a>`]),
  ];
}
