import { type CheckResult, getCheckResult, getCheckResultAsset, listCheckResultsV2 } from "#contract/check-results.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import type { OutputOf } from "#contract/operation.ts";
import type { Ask } from "../ask.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { suggestionPages } from "./accept-suggestion.ts";
import { type Attempt, attemptView } from "./attempt-view.ts";
import { elsewhereOf } from "./elsewhere.ts";
import { evidenceOf } from "./evidence.ts";
import { filePage, type TracePageDeps, tracePages } from "./file-pages.ts";
import { lastPassingOf } from "./last-passing.ts";
import { neighboursOf, usualOf } from "./neighbours.ts";
import { type SharePageDeps, sharePages } from "./share-pages.ts";

export interface ResultPageDeps extends TracePageDeps, SharePageDeps {
  /** `TRACE_URL_TEMPLATE`. */
  readonly traceUrlTemplate: string | null;
}

/** One attempt of a run: what came of it, how long each part took, what was sent and seen; and the files that it left. */
export function resultPages(ask: Ask, deps: ResultPageDeps): readonly ConsolePage[] {
  const file = { path: "/checks/{checkId}/results/{checkResultId}/files/{name}", operation: getCheckResultAsset } as const;
  return [
    attemptPage(ask, deps),
    ...sharePages(ask, deps),
    ...suggestionPages(ask),
    filePage(ask, file),
    ...tracePages(ask, deps, { ...file, of: "check" }),
  ];
}

function attemptPage(ask: Ask, { traceAddress, traceUrlTemplate }: ResultPageDeps): ConsolePage {
  return {
    method: "GET",
    path: "/checks/{checkId}/results/{checkResultId}",
    access: "read",
    answer: async (visit) => {
      const { checkId = "", checkResultId = "" } = visit.request.params;
      const [check, result] = await Promise.all([
        ask(visit, getCheckV1, { params: { id: checkId } }),
        ask(visit, getCheckResult, { params: { checkId, checkResultId } }),
      ]);
      const [attempts, neighbours, elsewhere, usualMs, lastPassing, texts] = await Promise.all([
        attemptsOf(ask, visit, result),
        neighboursOf(ask, visit, check, result),
        elsewhereOf(ask, visit, check, result),
        usualOf(ask, visit, check, result),
        lastPassingOf(ask, visit, result),
        evidenceOf(ask, visit, result),
      ]);
      return attemptView(visit, {
        checkName: check.name,
        place: visit.placeName(result.runLocation),
        result,
        attempts,
        neighbours,
        elsewhere,
        usualMs,
        lastPassing,
        texts,
        hasTraceViewer: traceAddress !== null,
        traceUrlTemplate,
      });
    },
  };
}

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
