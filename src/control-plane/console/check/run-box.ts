import { type CheckResult, getCheckResult } from "#contract/check-results.ts";
import { type CheckSessionWithResults, getCheckSessionV2 } from "#contract/check-sessions.ts";
import { hasEnded } from "#domain/session-status.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { assertionWord } from "../../view/assertion-words.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText } from "../../view/units.ts";
import type { Ask } from "../ask.ts";
import { named } from "../place-names.ts";
import { furtherFailures } from "../result/judged.ts";
import { outcomeOf } from "../result/outcome.ts";
import type { Visit } from "../visit.ts";

const texts = checkPageTexts.run;

/** A run that somebody started, as far as it is. */
export interface StartedRun {
  readonly session: CheckSessionWithResults;
  /** Whole results of the places where it has ended. */
  readonly results: readonly CheckResult[];
  readonly isOver: boolean;
}

/** More places are told on the page of the check. */
const maxPlaces = 10;

/** @throws {AppError} not_found also for a run of another check */
export async function startedRun(ask: Ask, visit: Visit, checkId: string, sessionId: string): Promise<StartedRun> {
  const session = await ask(visit, getCheckSessionV2, { params: { checkSessionId: sessionId } });
  const ended = session.checkId === checkId ? session.results.filter(({ resultType }) => resultType !== "ATTEMPT").slice(0, maxPlaces) : [];
  const results = await Promise.all(
    ended.map(async ({ checkResultId }) => named(visit, await ask(visit, getCheckResult, { params: { checkId, checkResultId } }))),
  );
  return { session, results, isOver: hasEnded(session.status) };
}

/** The page of a check, with this run on it. */
export function runAddress(checkId: string, sessionId: string): string {
  return `/checks/${encodeURIComponent(checkId)}?started=${encodeURIComponent(sessionId)}`;
}

/** Where a page tells of a run; a script listens to the one that it names. */
export function runPlace(
  run: StartedRun | null,
  again = run === null ? "" : runAddress(run.session.checkId, run.session.checkSessionId),
): Html {
  const { checkSessionId: id } = run?.session ?? {};
  return html`<div id="run" role="status"${run !== null && !run.isOver && html` data-run="${id}"`}>${run !== null && runBox(run, again)}</div>`;
}

/** Waiting, running, and then what came of it at each place. @param again where somebody without a script looks again */
export function runBox({ session, results, isOver }: StartedRun, again: string): Html {
  const rest = session.runLocations.length - results.length;
  return html`<div class="run">
${!isOver && html`<p>${session.status === "STARTED" ? stateLabel("none", texts.waiting) : stateLabel("busy", texts.running(rest))} <a class="again" href="${again}">${texts.again}</a></p>`}
${session.status === "CANCELLED" && html`<p>${stateLabel("none", texts.cancelled)}</p>`}
${results.map(placeResult)}</div>`;
}

function placeResult(result: CheckResult): Html {
  const { tone, text } = outcomeOf(result);
  const wrong = furtherFailures(result, result.errorMessage);
  return html`<div><p>${stateLabel(tone, text)} <span>${result.runLocation}</span>${result.resultType !== "MISSED" && html` <span>${durationText(result.responseTime)}</span>`} <a href="/checks/${result.checkId}/results/${result.id}">${texts.all}</a></p>
${result.errorMessage !== null && html`<p${tone === "bad" && html` class="problem"`}>${result.errorMessage}</p>`}
${wrong.length > 0 && html`<ul>${wrong.map(({ source, error }) => html`<li>${texts.asserted(assertionWord(source), error ?? "")}</li>`)}</ul>`}</div>`;
}

export const runStyle = `
.run { margin: 0 0 1.75rem; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--raised); }
.run p { margin: 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem; overflow-wrap: anywhere; }
.run > div + div, .run > p + div { margin-top: .6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
.run .problem { margin: .3rem 0 0; }
.run ul { margin: .3rem 0 0; padding-left: 1.2rem; }
#run:empty { display: none; }
`;
