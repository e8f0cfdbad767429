import { listAlertsOfCheck } from "#contract/check-alerts.ts";
import { listCheckResultsV2 } from "#contract/check-results.ts";
import { triggerChecksV2 } from "#contract/check-sessions.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import { listErrorGroupsOfCheck } from "#contract/error-groups.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Ask } from "../ask.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { checkPage } from "./check-page.ts";
import { figuresOf } from "./figures.ts";
import { rangeOf } from "./range.ts";
import { runAddress, runBox, startedRun } from "./run-box.ts";
import { type RunRow, runFields, runsOfPage } from "./run-section.ts";

/** Everything about one check: how it stands, how it went, what went wrong, and its latest runs; and running it now. */
export function checkPages(ask: Ask, nowMs: () => number): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/checks/{id}", access: "read", answer: (visit) => show(ask, visit, nowMs()) },
    { method: "POST", path: "/checks/{id}/run", access: "run", answer: (visit) => runNow(ask, visit) },
  ];
}

async function show(ask: Ask, visit: Visit, nowMs: number): Promise<FormAnswer> {
  const { params, query } = visit.request;
  const id = params["id"] ?? "";
  const range = rangeOf(query.get("range"));
  const check = await ask(visit, getCheckV1, { params: { id } });
  const after = query.get("after");
  const started = query.get("started");
  const ofCheck = { params: { checkId: id } };
  const [figures, { entries, nextId }, alerts, errors, run] = await Promise.all([
    figuresOf(ask, visit, check, range, nowMs),
    ask(visit, listCheckResultsV2, {
      ...ofCheck,
      query: { limit: String(runsOfPage), resultType: "ALL", fields: runFields.join(","), ...(after && { nextId: after }) },
    }),
    ask(visit, listAlertsOfCheck, { ...ofCheck, query: { limit: "10" } }),
    ask(visit, listErrorGroupsOfCheck, { ...ofCheck, query: { limit: "10" } }),
    started === null ? null : startedRun(ask, visit, check.id, started),
  ]);
  const results = entries as readonly RunRow[]; // with the fields that were asked for
  return checkPage(visit, { check, range, figures, results, nextId, alerts: alerts.items, errors: errors.items, run, nowMs });
}

/** A script gets the run as it begins; without one the page of the check tells of it. */
async function runNow(ask: Ask, visit: Visit): Promise<FormAnswer> {
  const id = visit.request.params["id"] ?? "";
  const { sessions } = await ask(visit, triggerChecksV2, { body: { target: { checkId: [id] } } });
  const sessionId = sessions[0]?.checkSessionId ?? "";
  if (visit.request.headers["accept"] !== "application/json") return redirect(runAddress(id, sessionId));
  const run = await startedRun(ask, visit, id.toLowerCase(), sessionId);
  const html = runBox(run, runAddress(id, sessionId)).text;
  return { type: "application/json; charset=utf-8", body: JSON.stringify({ run: sessionId, html }) };
}
