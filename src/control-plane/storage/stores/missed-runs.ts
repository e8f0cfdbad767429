import { isCheckType } from "#contract/checks/index.ts";
import { sessionStatus } from "#domain/session-status.ts";
import type { Engine } from "../engine.ts";
import { jobNo, missedAttempt, resultId, resultsKey } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { PlannedRun } from "./planned-run.ts";
import { lostDigest, missedFlags, type NewResult, type StoredDetail } from "./results/result-rows.ts";
import { writeResults } from "./results/result-writer.ts";

/** Nobody can run it, so it does not wait in a queue: it ends when it is due. */
export function isMissedAtOnce({ checkType }: Pick<PlannedRun, "checkType">): boolean {
  return !isCheckType(checkType);
}

/** How the session of such a run begins and ends. */
export function missedSession({ locationIds, runAtMs }: Pick<PlannedRun, "locationIds" | "runAtMs">) {
  const missed = locationIds.length;
  const counters = { locations: missed, passed: 0, degraded: 0, failed: 0, missed, cancelled: 0, begun: false };
  return { status: sessionStatus(counters), missed, stoppedAtMs: runAtMs };
}

/** The results of runs that nobody could run, one for each location. @param numbers of their sessions */
export async function writeMissedRuns(engine: Engine, trx: Trx, runs: readonly (PlannedRun & { readonly no: number })[]): Promise<void> {
  const results = runs.flatMap((run) =>
    run.locationIds.map((locationId, slot) => ({ result: missedResult(run, locationId, jobNo(run.no, slot)), type: run.checkType })),
  );
  await writeResults(engine, trx, {
    results: results.map(({ result }) => result),
    details: results.map(({ result: { id, checkId, startedAtUs }, type }) => ({
      id,
      checkId,
      startedAtUs,
      text: JSON.stringify(detailOf(type)),
    })),
    replaced: [],
  });
}

function detailOf(type: string): StoredDetail {
  return { errorMessage: `NO_CAPACITY: no agent runs this type of check (${type})`, detail: null };
}

function missedResult({ checkId, runAtMs, testSession }: PlannedRun, locationId: number, job: number): NewResult {
  return {
    checkId: resultsKey(checkId, testSession ?? null),
    startedAtUs: runAtMs * 1_000,
    id: resultId(job, missedAttempt),
    type: "MISSED",
    locationId,
    status: 0,
    flags: missedFlags("no_capacity"),
    responseTimeUs: 0,
    durationUs: 0,
    metrics: [],
    runAtMs,
    createdAtMs: runAtMs,
    queuedMs: 0,
    loopDelayUs: 0,
    digest: lostDigest,
    errorGroup: null,
  };
}
