import type { CheckResult } from "#contract/check-results.ts";
import { tryTexts as texts } from "../../texts/check-form.ts";
import { assertionWord } from "../../view/assertion-words.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText } from "../../view/units.ts";
import type { PlaceName } from "../place-names.ts";
import { furtherFailures } from "../result/judged.ts";
import { outcomeOf } from "../result/outcome.ts";
import { asCheckResult } from "./as-check-result.ts";
import { type Assertable, assertablesOf } from "./assertable.ts";
import { runProgress } from "./run-progress.ts";
import { goesOn, type TestedResult, type TriedRun } from "./tried-run.ts";

/** Of each location: waiting, and then what came of it. @param again what looks once more without a script */
export function triedBoxes(placeName: PlaceName, runs: readonly TriedRun[], again: Html = html``): Html {
  return html`<div class="runs">${runs.map((run) => triedBox(placeName, run))}${runs.some(goesOn) && again}</div>`;
}

function triedBox(placeName: PlaceName, { session, result, isAlone }: TriedRun): Html {
  const [run] = session.results;
  if (result !== null) return html`<div class="run">${endView(placeName, session.testSessionId, result)}</div>`;
  const location = placeName(run?.runLocation ?? "");
  if (run?.progress) return html`<div class="run">${runProgress(location, run.progress)}</div>`;
  return html`<div class="run"><p>${stateLabel("none", texts.waitingAt(location))}</p>
${isAlone && html`<p class="hint">${texts.noAgentAt(location)}</p>`}</div>`;
}

function endView(placeName: PlaceName, sessionId: string, tested: TestedResult): Html {
  const result = asCheckResult(tested, []);
  const { tone, text } = outcomeOf(result);
  const sentence = sentenceOf(result);
  const wrong = furtherFailures(result, sentence);
  return html`<div><p>${stateLabel(tone, text)} <span>${placeName(result.runLocation)}</span>${tested.startedAt !== null && html` <span>${durationText(result.responseTime)}</span>`} <a href="/test-sessions/${sessionId}/results/${result.id}">${texts.allOfIt}</a></p>
${sentence !== null && html`<p class="problem">${sentence}</p>`}${result.agentSide && html`<p class="hint">${texts.agentSide}</p>`}
${wrong.length > 0 && html`<ul>${wrong.map(({ source, error }) => html`<li>${assertionWord(source)}: ${error}</li>`)}</ul>`}${assertables(result)}</div>`;
}

/** Values of the response, each a click away from being asserted; only with a script. */
function assertables({ apiCheckResult, responseTime }: CheckResult): Html | false {
  const offered = apiCheckResult === null || apiCheckResult === undefined ? [] : assertablesOf(apiCheckResult, responseTime);
  if (offered.length === 0) return false;
  const button = ({ source, property, comparison, target }: Assertable): Html =>
    html`<li><button type="button" class="quiet" data-source="${source}" data-property="${property}" data-comparison="${comparison}" data-target="${target}"><span>${texts.sources[source]} ${property}</span> <strong>${comparison === "LESS_THAN" && "< "}${target}</strong></button></li>`;
  return html`<details class="assertable"><summary>${texts.assertThis}</summary><ul>${offered.map(button)}</ul></details>`;
}

/** The sentence that a result tells, or why nothing ran; null where it went well. */
export function sentenceOf({ errorMessage, missedReason }: Pick<CheckResult, "errorMessage" | "missedReason">): string | null {
  return errorMessage ?? (missedReason === null ? null : texts.missed[missedReason]);
}
