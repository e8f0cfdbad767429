import type { CheckResult } from "#contract/check-results.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { resultPageTexts as pageTexts } from "../../texts/result-page.ts";
import { scriptRunTexts } from "../../texts/script-run.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText, momentElement } from "../../view/units.ts";
import { checkPageStyle } from "../check-style.ts";
import { detailsOf, requestErrorOf } from "../check-types/details-of.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { factList, part, verbatim } from "../facts.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { acceptForm } from "./accept-suggestion.ts";
import { elsewhereLinks, type RunElsewhere } from "./elsewhere.ts";
import { type EvidenceText, evidence } from "./evidence.ts";
import { assertions, jobLog } from "./judged.ts";
import { besideLastPassing } from "./last-passing.ts";
import { comparedText, type Neighbours } from "./neighbours.ts";
import { outcomeOf } from "./outcome.ts";
import { phasesOf, waterfall } from "./phases.ts";
import { resultStyle } from "./result-style.ts";
import { shareForm } from "./share-pages.ts";

/** What is told of the other attempts of the same run. */
export type Attempt = Pick<
  CheckResult,
  "id" | "attempts" | "sequenceId" | "hasFailures" | "hasErrors" | "isDegraded" | "resultType" | "isCancelled"
>;

/** What is told of an attempt by itself. */
export interface RunView {
  readonly checkName: string;
  /** The name of its location. */
  readonly place: string;
  readonly result: CheckResult;
  /** What runs take at this location; null where that is not known. */
  readonly usualMs: number | null;
  /** What the agent wrote down where the network failed. */
  readonly texts: readonly EvidenceText[];
  readonly hasTraceViewer: boolean;
  /** `TRACE_URL_TEMPLATE`; null or absent: the id leads nowhere. */
  readonly traceUrlTemplate?: string | null;
}

export interface AttemptView extends RunView {
  readonly attempts: readonly Attempt[];
  readonly neighbours: Neighbours;
  readonly elsewhere: readonly RunElsewhere[];
  /** Of a suite, the run before that passed; null where there is none. */
  readonly lastPassing: CheckResult | null;
}

/** Beside what the run tells. */
interface Around {
  readonly head?: Html | false;
  readonly links?: Html;
  readonly updatePictures?: Html;
  /** For people who have a link. */
  readonly isShared?: boolean;
  readonly beside?: ReturnType<typeof besideLastPassing>;
  readonly accept?: (number: number) => Html;
}

export function attemptView(visit: Visit, view: AttemptView): FormAnswer {
  const { checkName, result, attempts } = view;
  const { checkId, id } = result;
  const { body, modules } = runContent(view, `/checks/${checkId}/results/${id}/files`, {
    head: roleAllows(visit.role, "write") && shareForm(visit.csrf, checkId, id),
    links: html`${neighbourLinks(view)}\n${elsewhereLinks(visit, checkId, view.elsewhere)}\n${attempts.length > 1 && attemptLinks(result, attempts)}`,
    updatePictures: updatePictures(visit, checkId),
    beside: besideLastPassing(result, view.lastPassing),
    accept: acceptForm(visit, result),
  });
  const crumbs = html`<p class="crumbs"><a href="/checks">${pageTexts.checks}</a> / <a href="/checks/${checkId}">${checkName}</a></p>`;
  return consolePage(visit, {
    title: pageTexts.title(checkName),
    style: checkPageStyle + resultStyle,
    body: html`${crumbs}\n${body}`,
    showsFiles: true,
    modules,
  });
}

/** @param folder path below which each file has its own */
export function runContent(
  view: RunView,
  folder: string,
  { head = false, links = html``, updatePictures: update = html``, isShared = false, beside, accept }: Around,
): { readonly body: Html; readonly modules: readonly string[] } {
  const { result, texts, hasTraceViewer } = view;
  const { startedAt } = result;
  const { tone, text } = outcomeOf(result);
  const at = Date.parse(startedAt ?? result.created_at);
  const details = detailsOf(result, { folder, hasTraceViewer, hasReports: !isShared });
  const body = html`<div class="head"><h1>${pageTexts.heading} ${momentElement(at)}</h1>${stateLabel(tone, text)}${head}</div>
<p class="about"><span>${view.place}</span>${startedAt !== null && took(view)}<span>${pageTexts.attempt(result.attempts)}</span>${startedLate(result)}</p>
${links}
${whatFailed(result)}
${part(pageTexts.phases.title, waterfall(phasesOf(result)))}
${assertions(result)}
${details.shown(update, beside, accept)}
${evidence(texts)}
${jobLog(result)}
${files(result, folder)}
${part(pageTexts.facts.title, runFacts(view))}`;
  return { body, modules: details.modules ?? [] };
}

function updatePictures({ role, csrf }: Visit, checkId: string): Html {
  const { update, updateQuestion } = scriptRunTexts.comparisons;
  return roleAllows(role, "run") ? confirmedAction(csrf, `/checks/${checkId}/update-pictures`, updateQuestion, update, "") : html``;
}

/** How long it took, and whether that is usual. */
function took({ result, usualMs }: RunView): Html {
  const ms = detailsOf(result).tookMs;
  // An error that comes quickly is no speed.
  const isComparable = ms !== null && usualMs !== null && !(result.hasFailures && ms < usualMs);
  const compared = isComparable && comparedText(ms, usualMs, durationText(usualMs));
  return html`<span>${durationText(ms ?? result.responseTime)}</span>${compared !== false && html`<span>${compared}</span>`}${result.overMaxResponseTime && html`<span>${stateLabel("bad", pageTexts.overLimit)}</span>`}`;
}

/** A run that began so long after its slot saw another moment than the slot says. */
const noticeablyLateMs = 5_000;

function startedLate({ startedAt, checkRunId, attempts }: CheckResult): Html {
  const lateMs = startedAt === null || attempts > 1 ? 0 : Date.parse(startedAt) - checkRunId;
  return html`${lateMs > noticeablyLateMs && html`<span>${pageTexts.startedLate(durationText(lateMs))}</span>`}`;
}

function whatFailed(result: CheckResult): Html {
  const { errorMessage, agentSide, missedReason, late, created_at: storedAt } = result;
  const requestError = requestErrorOf(result);
  const { tone } = outcomeOf(result);
  return html`${errorMessage !== null && html`<p class="box ${tone === "bad" ? "bad" : "warn"}">${agentSide ? pageTexts.agentSide(errorMessage) : errorMessage}</p>`}
${missedReason !== null && html`<p class="box">${pageTexts.missed[missedReason]}</p>`}
${late && html`<p class="box">${pageTexts.storedLate(momentElement(Date.parse(storedAt)))}</p>`}
${!(errorMessage ?? "").includes(requestError) && verbatim(requestError, pageTexts.requestError)}`;
}

function neighbourLinks({ result: { checkId }, neighbours: { previous, next } }: AttemptView): Html {
  if (previous === null && next === null) return html``;
  const address = (id: string): string => `/checks/${checkId}/results/${id}`;
  return html`<nav class="neighbours" aria-label="${pageTexts.neighbours}">${previous !== null && html`<a href="${address(previous)}" rel="prev">${pageTexts.before}</a>`}${next !== null && html`<a href="${address(next)}" rel="next">${pageTexts.after}</a>`}</nav>`;
}

function attemptLinks({ id, checkId }: CheckResult, attempts: readonly Attempt[]): Html {
  return html`<nav aria-label="${pageTexts.attempts}"><ul class="attempts">${attempts.map((one) => {
    const { tone, text } = outcomeOf(one);
    return html`<li><a href="/checks/${checkId}/results/${one.id}"${one.id === id && html` aria-current="page"`}>${pageTexts.attemptLink(one.attempts)} ${stateLabel(tone, text)}</a></li>`;
  })}</ul></nav>`;
}

function files({ assets }: CheckResult, folder: string): Html {
  if (assets.length === 0) return html``;
  const row = ({ name, type }: CheckResult["assets"][number]): Html =>
    html`<li><a href="${folder}/${name}" download>${name}</a> <span class="soft">${pageTexts.files.kinds[type]}</span></li>`;
  return part(pageTexts.files.title, html`<ul class="plain">${assets.map(row)}</ul>`);
}

/** `created_at` and the epoch of `checkRunId` are the start and the end once more; error groups are on the check's page. */
function runFacts({ checkName, result, traceUrlTemplate = null }: RunView): Html {
  const { facts } = pageTexts;
  const level = detailsOf(result).scripts?.sandboxLevel;
  const ran = result.startedAt !== null;
  return factList([
    [facts.checkThen, result.name !== checkName && result.name],
    [facts.started, result.startedAt !== null && momentElement(Date.parse(result.startedAt))],
    [facts.ended, result.stoppedAt !== null && momentElement(Date.parse(result.stoppedAt))],
    [facts.waited, ran && durationText(result.queuedMs)],
    [facts.eventLoopDelay, ran && html`${durationText(result.eventLoopDelayMs)} <span class="soft">${facts.ofAgent}</span>`],
    [facts.sandbox, level !== null && level !== undefined && facts.level(level)],
    [facts.result, html`<code>${result.id}</code>`],
    [facts.run, result.sequenceId !== null && html`<code>${result.sequenceId}</code>`],
    [facts.trace, result.traceId !== null && traceOf(result.traceId, traceUrlTemplate)],
  ]);
}

/** Its id; a link to the target's own traces where the operator said where they are. */
function traceOf(traceId: string, template: string | null): Html {
  const id = html`<code>${traceId}</code>`;
  return template === null ? id : html`<a href="${template.replaceAll("{traceId}", traceId)}" rel="noreferrer">${id}</a>`;
}
