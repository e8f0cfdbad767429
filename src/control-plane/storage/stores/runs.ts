import { AppError } from "#domain/app-error.ts";
import type { SessionStatus } from "#domain/session-status.ts";
import type { Engine } from "../engine.ts";
import { jobNo, maxJobsOfSession } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { NewRun } from "../storage.ts";

export interface PlannedRun extends NewRun {
  readonly checkType: string;
}

export const startedStatus: SessionStatus = "STARTED";

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
} as const;

/** Writes sessions, each with one job per location. @returns the sessions' numbers, in order */
export async function writeRuns(engine: Engine, trx: Trx, runs: readonly PlannedRun[]): Promise<readonly number[]> {
  if (runs.length === 0) return [];
  for (const run of runs) {
    if (run.locationIds.length === 0 || run.locationIds.length > maxJobsOfSession) {
      throw new AppError("invalid_input", `a run has 1 to ${maxJobsOfSession} locations, not ${run.locationIds.length}`);
    }
  }
  const numbers = await engine.nextSessionNumbers(trx, runs.length);
  const sessions = runs.map((run, index) => [
    numbers[index] ?? 0,
    run.accountId,
    run.checkId,
    run.runAtMs,
    run.source,
    JSON.stringify(run.locationIds),
    startedStatus,
    run.locationIds.length,
    0,
    0,
    0,
    0,
    0,
    0,
  ]);
  const jobs = runs.flatMap((run, index) =>
    run.locationIds.map((locationId, slot) => [
      jobNo(numbers[index] ?? 0, slot),
      run.checkId,
      locationId,
      run.checkType,
      run.runAtMs,
      run.runAtMs,
      run.runAtMs,
      1,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
    ]),
  );
  await engine.insertMany(trx, "sessions", sessionColumns, sessions);
  await engine.insertMany(trx, "jobs", jobColumns, jobs);
  return numbers;
}
