import { getTestSession, getTestSessionResult, getTestSessionResultAsset, listTestSessionResultAssets } from "#contract/test-sessions.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import type { ConsolePage, Visit } from "../visit.ts";
import { testSessionPage } from "./test-session-page.ts";
import { testedResultPage } from "./tested-result-page.ts";
import { triedBox } from "./tried-box.ts";
import { awaitedRun } from "./tried-run.ts";

/** Test sessions and their results, where the links in answers of the REST API lead; and what came of a check that was tried in its form. */
export function testedPages(ask: Ask): readonly ConsolePage[] {
  const result = "/test-sessions/{testSessionId}/results/{testSessionResultId}";
  return [
    { method: "GET", path: "/test-sessions/{testSessionId}", access: "read", answer: (visit) => session(ask, visit) },
    { method: "GET", path: result, access: "read", answer: (visit) => whole(ask, visit) },
    { method: "GET", path: `${result}/files/{name}`, access: "read", answer: (visit) => file(ask, visit) },
  ];
}

/** A script waits here for the end of a run, and asks again as long as it has not come. */
async function session(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { testSessionId = "" } = visit.request.params;
  if (visit.request.headers["accept"] !== "application/json")
    return testSessionPage(visit, await ask(visit, getTestSession, { params: { testSessionId } }));
  const run = await awaitedRun(ask, visit, testSessionId);
  const answer = { html: triedBox(run).text, isOver: run.session.status !== "RUNNING" };
  return { type: "application/json; charset=utf-8", body: JSON.stringify(answer) };
}

async function whole(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const { params } = visit.request;
  const [result, { assets }] = await Promise.all([
    ask(visit, getTestSessionResult, { params }),
    ask(visit, listTestSessionResultAssets, { params }),
  ]);
  return testedResultPage(visit, params["testSessionId"] ?? "", result, assets);
}

async function file(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const found = await ask(visit, getTestSessionResultAsset, { params: visit.request.params });
  return { type: found.contentType, body: "", file: found };
}
