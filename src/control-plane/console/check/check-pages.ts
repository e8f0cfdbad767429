import { listCheckResultsV2 } from "#contract/check-results.ts";
import { triggerChecksV2 } from "#contract/check-sessions.ts";
import { getCheckV1 } from "#contract/checks/operations.ts";
import { isPinged } from "#contract/checks/traits.ts";
import type { CheckState } from "#domain/check-state.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { errorGroupIdOf } from "../../kinds/ids.ts";
import type { Ask } from "../ask.ts";
import { type CauseDeps, readCause, type Subject } from "../causes/cause-part.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { named } from "../place-names.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { checkPage } from "./check-page.ts";
import { type StandingDeps, standingOf } from "./check-standing.ts";
import { checkSwitches, type SwitchDeps } from "./check-switches.ts";
import { placesOf } from "./figures.ts";
import { type ChartDeps, type MeasuredDeps, measuredOf } from "./measured.ts";
import { chosenOf, type Range, rangeOf, withFittingRange } from "./range.ts";
import { runAddress, runBox, startedRun } from "./run-box.ts";
import { type RunRow, runFields } from "./run-row.ts";
import { runsOfPage } from "./run-section.ts";
import { suitePage, suiteTestsOf } from "./suite-pages.ts";

export type CheckPageDeps = ChartDeps &
  StandingDeps &
  SwitchDeps &
  CauseDeps & {
    readonly publicUrl: () => string;
  };

/** Everything about one check: how it stands, how it went, what went wrong, and its latest runs; and running it now. */
export function checkPages(ask: Ask, deps: CheckPageDeps): readonly ConsolePage[] {
  return [
    { method: "GET", path: "/checks/{id}", access: "read", answer: (visit) => show({ ...deps, ask }, visit) },
    suitePage(ask),
    ...checkSwitches(ask, deps),
    { method: "POST", path: "/checks/{id}/run", access: "run", answer: (visit) => runNow(ask, visit) },
    {
      method: "POST",
      path: "/checks/{id}/update-pictures",
      access: "run",
      answer: (visit) => runNow(ask, visit, { updateSnapshots: true }),
    },
  ];
}

async function show(deps: CheckPageDeps & MeasuredDeps, visit: Visit): Promise<FormAnswer> {
  const { ask } = deps;
  const nowMs = deps.nowMs();
  const { params, query } = visit.request;
  const check = await ask(visit, getCheckV1, { params: { id: params["id"] ?? "" } });
  const asked = rangeOf(withFittingRange(query, Date.parse(check.created_at), nowMs), nowMs);
  const { range } = asked;
  const chosen = chosenOf(query);
  const started = query.get("started");
  const [measured, { results, nextId }, standing, run, suite] = await Promise.all([
    measuredOf(deps, visit, { check, range, asked, chosen, nowMs }),
    runsOf(ask, visit, check, range, chosen),
    standingOf(deps, visit, check.id, nowMs),
    started === null ? null : startedRun(ask, visit, check.id, started),
    suiteTestsOf(ask, visit, check),
  ]);
  const cause = await readCause(deps, visit, await subjectOfCheck(deps, visit, check, standing.state, measured.errors));
  return checkPage(visit, { ...measured, results, standing, nextId, run, suite, cause, publicUrl: deps.publicUrl() });
}

/** What of a check is to be explained as it stands; null: nothing. */
async function subjectOfCheck(
  { checkIndex }: Pick<CheckPageDeps, "checkIndex">,
  { account }: Visit,
  { id, checkType }: CheckRead,
  state: CheckState,
  [newest]: readonly { readonly id: string }[],
): Promise<Subject | null> {
  const errorGroup = state === "failing" && newest !== undefined ? errorGroupIdOf(newest.id) : undefined;
  if (errorGroup !== undefined) return { errorGroup };
  if (state !== "degraded" && !(state === "failing" && isPinged(checkType))) return null;
  const [check] = await checkIndex.byUuids(account.id, [id]);
  return check === undefined ? null : { check };
}

/** The newest; where the address tells a time of its own, those of that time. */
async function runsOf(ask: Ask, visit: Visit, check: CheckRead, range: Range, chosen: readonly string[]) {
  const after = visit.request.query.get("after");
  const [place, ...others] = chosen;
  const { entries, nextId } = await ask(visit, listCheckResultsV2, {
    params: { checkId: check.id },
    query: {
      limit: String(runsOfPage),
      resultType: "ALL",
      fields: runFields.join(","),
      ...(range.name === null && { from: String(range.fromMs), to: String(range.toMs) }),
      ...(place !== undefined && others.length === 0 && placesOf(check).includes(place) && { location: place }),
      ...(after && { nextId: after }),
    },
  });
  const results = (entries as readonly RunRow[]).map((one) => named(visit, one)); // with the fields that were asked for
  return { results, nextId };
}

/** A script gets the run as it begins; without one the page of the check tells of it. */
async function runNow(ask: Ask, visit: Visit, more: { readonly updateSnapshots?: true } = {}): Promise<FormAnswer> {
  const id = visit.request.params["id"] ?? "";
  const { sessions } = await ask(visit, triggerChecksV2, { body: { target: { checkId: [id] }, ...more } });
  const sessionId = sessions[0]?.checkSessionId ?? "";
  if (visit.request.headers["accept"] !== "application/json") return redirect(runAddress(id, sessionId));
  const run = await startedRun(ask, visit, id.toLowerCase(), sessionId);
  const html = runBox(run, runAddress(id, sessionId)).text;
  return { type: "application/json; charset=utf-8", body: JSON.stringify({ run: sessionId, html }) };
}
