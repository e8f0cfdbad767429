import { stateOf } from "#domain/check-state.ts";
import type { CheckTrouble, CheckTroubleStore, IndexedCheck } from "../../storage/storage.ts";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { causeLine, standingLabel } from "../check/standing.ts";
import { type Filter, matcherOf, wordsOf } from "./filter.ts";

/** A check that fails with the words that somebody looks for. */
export interface FoundByError {
  readonly check: IndexedCheck;
  readonly trouble: CheckTrouble;
}

/** A store with an outage has thousands: what is not looked through has the same errors. */
const lookedThrough = 2_000;
const shownAtMost = 50;

/** Checks whose newest errors hold all the words, and that are not found by their names anyway. */
export async function byError(
  checkTroubles: Pick<CheckTroubleStore, "ofChecks">,
  all: readonly IndexedCheck[],
  filter: Filter,
  nowMs: number,
): Promise<readonly FoundByError[]> {
  const words = wordsOf(filter.words);
  if (words.length === 0) return [];
  const [isNamed, isWanted] = [matcherOf(filter), matcherOf({ ...filter, words: "" })];
  const bad = all
    .filter((check) => check.activated && check.latest !== null && check.latest.status !== "passing" && isWanted(check) && !isNamed(check))
    .slice(0, lookedThrough);
  if (bad.length === 0) return [];
  const troubles = await checkTroubles.ofChecks(
    bad.map(({ id }) => id),
    nowMs,
  );
  return bad
    .flatMap((check) => {
      const trouble = troubles.get(check.id);
      return trouble !== undefined && trouble.places.some((place) => holds(place.error, words)) ? [{ check, trouble }] : [];
    })
    .slice(0, shownAtMost);
}

function holds(error: string | null, words: readonly string[]): boolean {
  const text = error?.toLowerCase() ?? "";
  return words.every((word) => text.includes(word));
}

/** Below the list: its rows change while they are looked at, these do not. @param isMore the list has some */
export function foundByError(found: readonly FoundByError[], isMore: boolean, nowMs: number): Html {
  if (found.length === 0) return html``;
  const entry = ({ check, trouble }: FoundByError): Html => {
    const state = stateOf(check, nowMs);
    return html`<li><a href="/checks/${check.uuid}">${check.name}</a> ${standingLabel(state, trouble)}${causeLine({ checkUuid: check.uuid, nowMs }, state, trouble)}</li>`;
  };
  return html`<section class="by-error" aria-labelledby="by-error"><h2 id="by-error">${texts.byError(found.length, isMore)}</h2><ul class="plain">${found.map(entry)}</ul></section>`;
}
