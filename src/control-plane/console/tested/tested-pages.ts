import { getTestSession, getTestSessionResult, getTestSessionResultAsset, listTestSessionResultAssets } from "#contract/test-sessions.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { filePage, type TracePageDeps, tracePages } from "../result/file-pages.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { testSessionPage } from "./test-session-page.ts";
import { testedResultPage } from "./tested-result-page.ts";
import { triedBoxes } from "./tried-box.ts";
import { awaitedRuns, endsOf, failedLine, goesOn, maxTried } from "./tried-run.ts";

/** Test sessions and their results, where the links in answers of the REST API lead; and what came of a check that was tried in its form. */
export function testedPages(ask: Ask, deps: TracePageDeps): readonly ConsolePage[] {
  const result = "/test-sessions/{testSessionId}/results/{testSessionResultId}";
  const file = { path: `${result}/files/{name}`, operation: getTestSessionResultAsset } as const;
  return [
    { method: "GET", path: "/test-sessions", access: "read", answer: (visit) => together(ask, visit) },
    { method: "GET", path: "/test-sessions/{testSessionId}", access: "read", answer: (visit) => session(ask, visit) },
    { method: "GET", path: result, access: "read", answer: (visit) => whole(ask, visit, deps.traceAddress !== null) },
    filePage(ask, file),
    ...tracePages(ask, deps, { ...file, of: "test-session" }),
  ];
}

async function session(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { testSessionId = "" } = visit.request.params;
  return testSessionPage(visit, await ask(visit, getTestSession, { params: { testSessionId } }));
}

/** A script waits here for the next end of runs that began together (`ended`: those that it knows of), as long as one goes on. */
async function together(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { query } = visit.request;
  const runs = await awaitedRuns(ask, visit, query.getAll("id").slice(0, maxTried), Number(query.get("ended") ?? 0));
  const answer = { html: triedBoxes(visit.placeName, runs).text, ended: endsOf(runs), isOver: !runs.some(goesOn), line: failedLine(runs) };
  return { type: "application/json; charset=utf-8", body: JSON.stringify(answer) };
}

async function whole(ask: Ask, visit: Visit, hasTraceViewer: boolean): Promise<FormAnswer> {
  const { params } = visit.request;
  const [result, { assets }] = await Promise.all([
    ask(visit, getTestSessionResult, { params }),
    ask(visit, listTestSessionResultAssets, { params }),
  ]);
  return testedResultPage(visit, { sessionId: params["testSessionId"] ?? "", tested: result, assets, hasTraceViewer });
}
