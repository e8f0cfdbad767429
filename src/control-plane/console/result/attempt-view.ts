import type { CheckResult } from "#contract/check-results.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { durationText, momentElement } from "../../pages/public/units.ts";
import { checkPageStyle } from "../check-style.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { type EvidenceText, evidence } from "./evidence.ts";
import { factList, part, verbatim } from "./facts.ts";
import { assertions, jobLog } from "./judged.ts";
import { comparedText, type Neighbours, tookOf } from "./neighbours.ts";
import { outcomeOf } from "./outcome.ts";
import { phasesOf, waterfall } from "./phases.ts";
import { resultStyle } from "./result-style.ts";
import { seen } from "./seen.ts";

/** What is told of the other attempts of the same run. */
export type Attempt = Pick<
  CheckResult,
  "id" | "attempts" | "sequenceId" | "hasFailures" | "hasErrors" | "isDegraded" | "resultType" | "isCancelled"
>;

export interface AttemptView {
  readonly checkName: string;
  readonly result: CheckResult;
  readonly attempts: readonly Attempt[];
  readonly neighbours: Neighbours;
  /** What runs take at this location; null where that is not known. */
  readonly usualMs: number | null;
  /** What the agent wrote down where the network failed. */
  readonly texts: readonly EvidenceText[];
}

export function attemptView(visit: Visit, view: AttemptView): FormAnswer {
  const { checkName, result, attempts, texts } = view;
  const { checkId, startedAt, runLocation } = result;
  const { tone, text } = outcomeOf(result);
  const at = Date.parse(startedAt ?? result.created_at);
  const body = html`<p class="crumbs"><a href="/checks">Checks</a> / <a href="/checks/${checkId}">${checkName}</a></p>
<div class="head"><h1>Run at ${momentElement(at)}</h1>${stateLabel(tone, text)}</div>
<p class="about"><span>${runLocation}</span>${startedAt !== null && took(view)}<span>attempt ${result.attempts}</span></p>
${neighbourLinks(view)}
${attempts.length > 1 && attemptLinks(result, attempts)}
${whatFailed(result)}
${part("Phases", waterfall(phasesOf(result)))}
${assertions(result)}
${seen(result)}
${evidence(texts)}
${jobLog(result)}
${files(result)}
${part("The run", runFacts(view))}`;
  return consolePage(visit, { title: `Run of ${checkName}`, style: checkPageStyle + resultStyle, body });
}

/** How long it took, and whether that is usual. */
function took({ result, usualMs }: AttemptView): Html {
  const ms = tookOf(result);
  const compared = ms !== null && usualMs !== null && comparedText(ms, usualMs, durationText(usualMs));
  return html`<span>${durationText(ms ?? result.responseTime)}</span>${compared !== false && html`<span>${compared} <span class="soft">(median of the week before, here)</span></span>`}${result.overMaxResponseTime && html`<span>${stateLabel("bad", "over the limit")}</span>`}`;
}

function whatFailed(result: CheckResult): Html {
  const { errorMessage, agentSide, missedReason } = result;
  const requestError = requestErrorOf(result);
  return html`${errorMessage !== null && html`<p class="box bad">${errorMessage}${agentSide && " This was trouble of the agent's own side: it says nothing about the target, and nobody is alerted."}</p>`}
${missedReason !== null && html`<p class="box">Nothing ran: ${missedTexts[missedReason]}</p>`}
${!(errorMessage ?? "").includes(requestError) && verbatim(requestError, "Error of the request")}`;
}

/** Empty where there is none. */
function requestErrorOf({ apiCheckResult, tcpCheckResult, dnsCheckResult, icmpCheckResult, sslCheckResult }: CheckResult): string {
  return (apiCheckResult ?? tcpCheckResult ?? dnsCheckResult ?? icmpCheckResult ?? sslCheckResult)?.requestError ?? "";
}

const missedTexts: Readonly<Record<NonNullable<CheckResult["missedReason"]>, string>> = {
  no_agent: "no agent of the location could take it.",
  no_capacity: "no agent had room for it in time.",
  expired: "it waited in the queue until the next run was due.",
  agent_lost: "the agent that took it went away and did not come back.",
};

function neighbourLinks({ result: { checkId }, neighbours: { previous, next } }: AttemptView): Html {
  if (previous === null && next === null) return html``;
  const address = (id: string): string => `/checks/${checkId}/results/${id}`;
  return html`<nav class="neighbours" aria-label="Runs before and after, at this location">${previous !== null && html`<a href="${address(previous)}" rel="prev">Run before</a>`}${next !== null && html`<a href="${address(next)}" rel="next">Run after</a>`}</nav>`;
}

function attemptLinks({ id, checkId }: CheckResult, attempts: readonly Attempt[]): Html {
  return html`<nav aria-label="Attempts of this run"><ul class="attempts">${attempts.map((one) => {
    const { tone, text } = outcomeOf(one);
    return html`<li><a href="/checks/${checkId}/results/${one.id}"${one.id === id && html` aria-current="page"`}>Attempt ${one.attempts} ${stateLabel(tone, text)}</a></li>`;
  })}</ul></nav>`;
}

const fileKinds: Readonly<Record<CheckResult["assets"][number]["type"], string>> = {
  log: "text",
  trace: "trace of a browser",
  video: "video",
  screenshot: "picture",
  pcap: "packet capture, for Wireshark or tcpdump",
  report: "report",
  file: "file",
};

function files({ assets, checkId, id }: CheckResult): Html {
  if (assets.length === 0) return html``;
  const row = ({ name, type }: CheckResult["assets"][number]): Html =>
    html`<li><a href="/checks/${checkId}/results/${id}/files/${name}" download>${name}</a> <span class="soft">${fileKinds[type]}</span></li>`;
  return part("Files", html`<ul class="plain">${assets.map(row)}</ul>`);
}

/** `created_at` and the epoch of `checkRunId` are the start and the end once more; error groups are on the check's page. */
function runFacts({ checkName, result }: AttemptView): Html {
  const level = result.apiCheckResult?.sandboxLevel;
  const ran = result.startedAt !== null;
  return factList([
    ["Check, then", result.name !== checkName && result.name],
    ["Started", result.startedAt !== null && momentElement(Date.parse(result.startedAt))],
    ["Ended", result.stoppedAt !== null && momentElement(Date.parse(result.stoppedAt))],
    ["Waited in queue", ran && durationText(result.queuedMs)],
    ["Event-loop delay", ran && html`${durationText(result.eventLoopDelayMs)} <span class="soft">at most, of the agent</span>`],
    ["Sandbox", level !== null && level !== undefined && `level ${level}`],
    ["Result", html`<code>${result.id}</code>`],
    ["Run", result.sequenceId !== null && html`<code>${result.sequenceId}</code>`],
    ["Trace", result.traceId !== null && html`<code>${result.traceId}</code>`],
  ]);
}
