import { type CheckResult, getCheckResult, getCheckResultAsset, listCheckResultsV2 } from "#contract/check-results.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import type { OutputOf } from "#contract/operation.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { stateLabel } from "../../pages/public/state-label.ts";
import { durationText, momentElement } from "../../pages/public/units.ts";
import type { Ask } from "../ask.ts";
import { checkPageStyle } from "../check-style.ts";
import { consolePage } from "../shell.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { factList, part, verbatim } from "./facts.ts";
import { assertions, jobLog } from "./judged.ts";
import { outcomeOf } from "./outcome.ts";
import { phasesOf, waterfall } from "./phases.ts";
import { seen } from "./seen.ts";

/** One attempt of a run: what came of it, how long each part took, what was sent and seen; and the files that it left. */
export function resultPages(ask: Ask): readonly ConsolePage[] {
  return [attemptPage(ask), filePage(ask)];
}

function filePage(ask: Ask): ConsolePage {
  return {
    method: "GET",
    path: "/checks/{checkId}/results/{checkResultId}/files/{name}",
    access: "read",
    answer: async (visit) => {
      const file = await ask(visit, getCheckResultAsset, { params: visit.request.params });
      return { type: file.contentType, body: "", file };
    },
  };
}

function attemptPage(ask: Ask): ConsolePage {
  return {
    method: "GET",
    path: "/checks/{checkId}/results/{checkResultId}",
    access: "read",
    answer: async (visit) => {
      const { checkId = "", checkResultId = "" } = visit.request.params;
      const check = await ask(visit, getCheckV1, { params: { id: checkId } });
      const result = await ask(visit, getCheckResult, { params: { checkId, checkResultId } });
      const attempts = await attemptsOf(ask, visit, result);
      return show(visit, check.name, result, attempts);
    },
  };
}

type Attempt = Pick<
  CheckResult,
  "id" | "attempts" | "sequenceId" | "hasFailures" | "hasErrors" | "isDegraded" | "resultType" | "isCancelled"
>;

/** A retry begins so long after the first attempt, at the latest. */
const longestRunMs = 15 * 60_000;
const pagesAtMost = 3;

/** All of the same run at the same place, the first one first. */
async function attemptsOf(ask: Ask, visit: Visit, result: CheckResult): Promise<readonly Attempt[]> {
  const { checkId, checkRunId, runLocation, sequenceId, resultType, stoppedAt } = result;
  if (sequenceId === null) return [];
  const toMs = resultType === "FINAL" && stoppedAt !== null ? Date.parse(stoppedAt) + 1 : checkRunId + longestRunMs;
  const fields = ["id", "attempts", "sequenceId", "hasFailures", "hasErrors", "isDegraded", "resultType", "isCancelled"].join(",");
  const query = { from: String(checkRunId), to: String(toMs), location: runLocation, resultType: "ALL", limit: "100", fields };
  const all: Attempt[] = [];
  let next: string | null = "";
  for (let page = 0; page < pagesAtMost && next !== null; page += 1) {
    const answer: Listed = await ask(visit, listCheckResultsV2, {
      params: { checkId },
      query: { ...query, ...(next !== "" && { nextId: next }) },
    });
    all.push(...(answer.entries as readonly Attempt[])); // with the fields that were asked for
    next = answer.nextId;
  }
  return all.filter((one) => one.sequenceId === sequenceId).toSorted((a, b) => a.attempts - b.attempts);
}

type Listed = OutputOf<typeof listCheckResultsV2>;

function show(visit: Visit, checkName: string, result: CheckResult, attempts: readonly Attempt[]): FormAnswer {
  const { checkId, startedAt, responseTime, runLocation, errorMessage, agentSide } = result;
  const { tone, text } = outcomeOf(result);
  const at = Date.parse(startedAt ?? result.created_at);
  const body = html`<p class="crumbs"><a href="/checks">Checks</a> / <a href="/checks/${checkId}">${checkName}</a></p>
<div class="head"><h1>Run at ${momentElement(at)}</h1>${stateLabel(tone, text)}</div>
<p class="about"><span>${runLocation}</span>${startedAt !== null && html`<span>${durationText(responseTime)}</span>`}<span>attempt ${result.attempts}</span></p>
${attempts.length > 1 && attemptLinks(result, attempts)}
${errorMessage !== null && html`<p class="box bad">${errorMessage}${agentSide && " This was trouble of the agent's own side: it says nothing about the target, and nobody is alerted."}</p>`}
${result.missedReason !== null && html`<p class="box">Nothing ran: ${missedTexts[result.missedReason]}</p>`}
${part("Phases", waterfall(phasesOf(result)))}
${assertions(result)}
${seen(result)}
${jobLog(result)}
${files(result)}
${part("The run", runFacts(result))}`;
  return consolePage(visit, { title: `Run of ${checkName}`, style: checkPageStyle, body });
}

const missedTexts: Readonly<Record<NonNullable<CheckResult["missedReason"]>, string>> = {
  no_agent: "no agent of the location could take it.",
  no_capacity: "no agent had room for it in time.",
  expired: "it waited in the queue until the next run was due.",
  agent_lost: "the agent that took it went away and did not come back.",
};

function attemptLinks({ id, checkId }: CheckResult, attempts: readonly Attempt[]): Html {
  return html`<nav aria-label="Attempts of this run"><ul class="attempts">${attempts.map((one) => {
    const { tone, text } = outcomeOf(one);
    return html`<li><a href="/checks/${checkId}/results/${one.id}"${one.id === id && html` aria-current="page"`}>Attempt ${one.attempts} ${stateLabel(tone, text)}</a></li>`;
  })}</ul></nav>`;
}

function files({ assets, checkId, id }: CheckResult): Html {
  if (assets.length === 0) return html``;
  const row = ({ name, type }: CheckResult["assets"][number]): Html =>
    html`<li><a href="/checks/${checkId}/results/${id}/files/${name}" download>${name}</a> <span class="soft">${type}</span></li>`;
  return part("Files", html`<ul class="plain">${assets.map(row)}</ul>`);
}

function runFacts(result: CheckResult): Html {
  const level = result.apiCheckResult?.sandboxLevel;
  const ran = result.startedAt !== null;
  return html`${factList([
    ["Started", result.startedAt !== null && momentElement(Date.parse(result.startedAt))],
    ["Waited for a seat", ran && durationText(result.queuedMs)],
    ["Agent's loop delay", ran && durationText(result.eventLoopDelayMs)],
    ["Sandbox", level !== null && level !== undefined && `level ${level}`],
    ["Result", html`<code>${result.id}</code>`],
  ])}${verbatim(result.apiCheckResult?.requestError ?? "", "Error of the request")}`;
}
