import { AppError } from "#domain/app-error.ts";
import type { SessionStatus } from "#domain/session-status.ts";
import type { BulkValue, Engine } from "../engine.ts";
import { jobNo, maxJobsOfSession } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import { heldUntilMs, type NewGroupRun, writeGroupRuns } from "./group-runs.ts";
import { isMissedAtOnce, missedSession, writeMissedRuns } from "./missed-runs.ts";
import { type PlannedRun } from "./planned-run.ts";

export const startedStatus: SessionStatus = "STARTED";
const started = { status: startedStatus, missed: 0, stoppedAtMs: null };

const sessionColumns = {
  no: "int8",
  account_id: "int8",
  check_id: "int8",
  run_at: "int8",
  source: "text",
  location_ids: "text",
  status: "text",
  locations: "int8",
  passed: "int8",
  degraded: "int8",
  failed: "int8",
  missed: "int8",
  cancelled: "int8",
  retried: "int8",
  stopped_at: "int8",
  group_run: "int8",
  test_session: "int8",
} as const;

const jobColumns = {
  no: "int8",
  check_id: "int8",
  location_id: "int8",
  check_type: "text",
  run_at: "int8",
  due_at: "int8",
  not_before: "int8",
  attempt: "int8",
  fence: "int8",
  failed_attempts: "int8",
  lost_leases: "int8",
  cancelled: "int8",
  leased_at: "int8",
  leased_until: "int8",
  acknowledged: "int8",
  test_session: "int8",
  begin_by: "int8",
} as const;

/**
 * Writes sessions, each with one job per location, or with one missed result where no agent runs the check's type. Those of groups that
 * are over their concurrency are held.
 *
 * @returns the sessions' numbers, in order
 */
export async function writeRuns(engine: Engine, trx: Trx, runs: readonly PlannedRun[]): Promise<readonly number[]> {
  if (runs.length === 0) return [];
  for (const run of runs) {
    if (run.locationIds.length === 0 || run.locationIds.length > maxJobsOfSession) {
      throw new AppError("invalid_input", `a run has 1 to ${maxJobsOfSession} locations, not ${run.locationIds.length}`);
    }
  }
  const numbers = await engine.nextSessionNumbers(trx, runs.length);
  const numbered = runs.map((run, index) => ({ ...run, no: numbers[index] ?? 0 }));
  const groupRuns = groupRunsOf(numbered);
  const held = await writeGroupRuns(engine, trx, runs[0]?.accountId ?? 0, groupRuns);
  const groupRunOf = new Map(groupRuns.flatMap(({ sessionNos }) => sessionNos.map((no) => [no, sessionNos[0] ?? null])));
  const missed = numbered.filter(isMissedAtOnce);
  const waiting = numbered.filter((run) => !isMissedAtOnce(run));
  await engine.insertMany(
    trx,
    "sessions",
    sessionColumns,
    numbered.map((run) => sessionRow(run, groupRunOf.get(run.no) ?? null)),
  );
  await engine.insertMany(
    trx,
    "jobs",
    jobColumns,
    waiting.flatMap((run) => jobRows(run, held.has(run.no) ? heldUntilMs : engine.clock.waitMs(run.runAtMs + latenessOf(run)))),
  );
  if (missed.length > 0) await writeMissedRuns(engine, trx, missed);
  return numbers;
}

type NumberedRun = PlannedRun & { readonly no: number };

function sessionRow(run: NumberedRun, groupRun: number | null): readonly BulkValue[] {
  const { status, missed, stoppedAtMs } = isMissedAtOnce(run) ? missedSession(run) : started;
  return [
    run.no,
    run.accountId,
    run.checkId,
    run.runAtMs,
    run.source,
    JSON.stringify(run.locationIds),
    status,
    run.locationIds.length,
    0,
    0,
    0,
    missed,
    0,
    0,
    stoppedAtMs,
    groupRun,
    run.testSession ?? null,
  ];
}

function jobRows(run: NumberedRun, notBeforeMs: number): readonly (readonly BulkValue[])[] {
  return run.locationIds.map((locationId, slot) => [
    jobNo(run.no, slot),
    run.checkId,
    locationId,
    run.checkType,
    run.runAtMs,
    run.runAtMs,
    notBeforeMs,
    1,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    run.testSession ?? null,
    run.windowMs === undefined ? null : notBeforeMs + run.windowMs - latenessOf(run),
  ]);
}

/** How long after its date a run comes into the queue. */
function latenessOf({ runAtMs, queuedAtMs = runAtMs }: PlannedRun): number {
  return Math.max(0, queuedAtMs - runAtMs);
}

/** The runs of groups that are more than may run at a time. */
function groupRunsOf(runs: readonly NumberedRun[]): readonly NewGroupRun[] {
  const ofGroups = runs.flatMap(({ group, no, checkType }) =>
    group === undefined || isMissedAtOnce({ checkType }) ? [] : { ...group, no },
  );
  return [...Map.groupBy(ofGroups, ({ id }) => id).values()].flatMap((ofGroup) => {
    const concurrency = ofGroup[0]?.concurrency ?? 0;
    return ofGroup.length > concurrency ? { concurrency, sessionNos: ofGroup.map(({ no }) => no) } : [];
  });
}
