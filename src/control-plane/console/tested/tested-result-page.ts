import type { AssetManifest, CheckResult } from "#contract/check-results.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { tryTexts as texts } from "../../texts/check-form.ts";
import { html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText, momentElement } from "../../view/units.ts";
import { checkPageStyle } from "../check-style.ts";
import { detailsOf, requestErrorOf } from "../check-types/details-of.ts";
import { part, verbatim } from "../facts.ts";
import { assertions, jobLog } from "../result/judged.ts";
import { outcomeOf } from "../result/outcome.ts";
import { phasesOf, waterfall } from "../result/phases.ts";
import { resultStyle } from "../result/result-style.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { asCheckResult } from "./as-check-result.ts";
import { sentenceOf } from "./tried-box.ts";
import type { TestedResult } from "./tried-run.ts";

export interface TestedView {
  readonly sessionId: string;
  readonly tested: TestedResult;
  readonly assets: AssetManifest["assets"];
  readonly hasTraceViewer: boolean;
}

/** A result of a test session: what came of it, how long each part took, what was sent and seen. */
export function testedResultPage(visit: Visit, { sessionId, tested, assets, hasTraceViewer }: TestedView): FormAnswer {
  const result = asCheckResult(tested, assets);
  const folder = `/test-sessions/${sessionId}/results/${result.id}/files`;
  const details = detailsOf(result, { folder, hasTraceViewer });
  const { tone, text } = tested.status === "RUNNING" ? { tone: "busy" as const, text: texts.states.RUNNING } : outcomeOf(result);
  const sentence = sentenceOf(result);
  const { name, runLocation, attempts, startedAt, responseTime, created_at: createdAt, overMaxResponseTime } = result;
  const body = html`<p class="crumbs"><a href="/test-sessions/${sessionId}">${texts.sessionTitle}</a></p>
<div class="head"><h1>${texts.runOf(name)}</h1>${stateLabel(tone, text)}</div>
<p class="about"><span>${momentElement(Date.parse(startedAt ?? createdAt))}</span><span>${visit.placeName(runLocation)}</span>${startedAt !== null && html`<span>${durationText(responseTime)}</span><span>${texts.attempt(attempts)}</span>`}${overMaxResponseTime && html`<span>${stateLabel("bad", texts.overLimit)}</span>`}</p>
${sentence !== null && html`<p class="box bad">${sentence}</p>`}${result.agentSide && html`<p class="hint">${texts.agentSide}</p>`}
${requestError(result)}
${part(texts.phases, waterfall(phasesOf(result)))}
${assertions(result)}
${details.shown()}
${jobLog(result)}
${part(texts.files, files(folder, assets))}`;
  return consolePage(visit, {
    title: texts.runOf(name),
    style: checkPageStyle + resultStyle,
    body,
    showsFiles: true,
    modules: details.modules ?? [],
  });
}

/** Where the sentence does not have it already. */
function requestError(result: CheckResult) {
  const text = requestErrorOf(result);
  return (result.errorMessage ?? "").includes(text) ? html`` : verbatim(text, texts.requestError);
}

function files(folder: string, assets: AssetManifest["assets"]) {
  if (assets.length === 0) return html``;
  return html`<ul class="plain">${assets.map(({ name }) => html`<li><a href="${folder}/${name}" download>${name}</a></li>`)}</ul>`;
}
