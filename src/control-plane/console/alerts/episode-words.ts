import type { Arrival, ArrivalState } from "#domain/alerting/arrivals.ts";
import type { Episode } from "#domain/alerting/episode.ts";
import { quietNow } from "#domain/alerting/episode-handling.ts";
import { alertUuid } from "../../kinds/ids.ts";
import type { CheckTrouble, EpisodeDetail, EpisodeRow } from "../../storage/storage.ts";
import { alertTexts } from "../../texts/alerts.ts";
import { episodeTexts as texts } from "../../texts/episodes.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel, type Tone } from "../../view/state-label.ts";
import { rowTimeElement } from "../../view/units.ts";
import { answerText } from "./delivery-answer.ts";

/** The page of an episode. */
export function episodePath({ id, openedAtMs }: Pick<Episode, "id" | "openedAtMs">): string {
  return `/alerts/episodes/${alertUuid({ id, createdAtMs: openedAtMs })}`;
}

/** How it stands, in a word. */
export function episodeState({ standing, closedAtMs }: Episode): { readonly tone: Tone; readonly text: string } {
  if (closedAtMs !== null) return { tone: "ok", text: texts.closed };
  return standing === "failing" ? { tone: "bad", text: texts.failing } : { tone: "warn", text: texts.degraded };
}

/** Who looks after it, and what keeps reminders back; nothing of one that is over but its assignee. */
export function handlingLines({ handling, closedAtMs }: Pick<EpisodeRow, "handling" | "closedAtMs">, nowMs: number): readonly Html[] {
  const now = closedAtMs === null ? quietNow(handling, nowMs) : null;
  const say = now?.kind === "acknowledged" ? texts.acknowledgedBy : texts.snoozedBy;
  const { assignee } = handling;
  return [
    ...(now === null ? [] : [html`<span class="quieted">${say(now.quiet.by, rowTimeElement(now.quiet.untilMs))}</span>`]),
    ...(assignee === null ? [] : [html`<span>${texts.assignedTo(assignee.name)}</span>`]),
  ];
}

/** Where it fails, by the check's state while it is open. */
export function placesText(detail: EpisodeDetail | undefined, trouble: CheckTrouble | undefined): string | null {
  if (trouble !== undefined && trouble.of > 0) {
    const names = trouble.places.map(({ locationName }) => locationName).filter((name) => name !== "");
    if (names.length > 0)
      return trouble.of > 1 ? texts.ofPlaces(names.join(", "), names.length, trouble.of) : texts.atPlaces(names.join(", "));
  }
  const codes = detail?.locations ?? [];
  return codes.length === 0 ? null : texts.atPlaces(codes.join(", "));
}

/** `Recovered` alone does not say whether the check was down; an open one says so itself. */
export function endedDegraded({ closedAtMs }: Episode, detail: EpisodeDetail | undefined): Html | false {
  return closedAtMs !== null && detail?.isOnlyDegraded === true && html`<span>${texts.onlyDegraded}</span>`;
}

/** How many runs failed: of an open one also what no alert has told yet. */
export function badRuns({ failedRuns, closedAtMs }: EpisodeRow, trouble: CheckTrouble | undefined): number {
  if (closedAtMs !== null) return failedRuns;
  const inARow = (trouble?.places ?? []).reduce((sum, { runs }) => sum + runs, 0);
  return Math.max(failedRuns, inARow);
}

const tones: Readonly<Record<ArrivalState, Tone>> = { delivered: "ok", waiting: "busy", "given-up": "bad", lost: "bad" };

/** What became of the newest alert at each channel, with what its service said where it did not arrive. */
export function arrivalList(arrivals: readonly Arrival[], names: ReadonlyMap<number, string>, isOnItsWay: boolean): Html {
  const newest = new Map(arrivals.toSorted((a, b) => a.alertId - b.alertId).map((one) => [one.channelId, one]));
  if (newest.size === 0) return html`<p class="soft">${isOnItsWay ? texts.onItsWay : texts.toNobody}</p>`;
  return html`<ul class="plain">${[...newest.values()].map(({ channelId, state, answer }) => {
    const name = names.get(channelId) ?? alertTexts.deletedChannel(channelId);
    const why = state === "delivered" || answer === null ? null : answerText(answer).slice(0, 140);
    return html`<li>${stateLabel(tones[state], texts.arrivals[state])} <a href="/alerts/sent?channel=${channelId}">${name}</a>${why !== null && html`<p class="answer">${why}</p>`}</li>`;
  })}</ul>`;
}
