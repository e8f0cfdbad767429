import { AppError } from "#domain/app-error.ts";
import type { Engine } from "../engine.ts";
import type { CheckRow, DueCheck, Firing, NewRun, ScheduleStore, SessionRow } from "../storage.ts";
import type { Signals } from "../signals/signals.ts";
import { checksById } from "./check-rows.ts";
import type { LocationCodes } from "./location-codes.ts";
import { type PlannedRun, startedStatus, writeRuns } from "./runs.ts";

/** `runSource` of runs that the schedule started. */
const scheduler = "SCHEDULER";
const checkColumns = { id: "int8", next_due: "int8", round_robin: "int8", last_fire: "int8" } as const;

export function scheduleStore(engine: Engine, signals: Signals, codes: LocationCodes): ScheduleStore {
  return {
    async fireDue(nowMs, limit, plan) {
      const { claimed, locationIds } = await fireDue(engine, nowMs, limit, plan);
      signals.send({ kind: "jobs", numbers: locationIds });
      return claimed;
    },
    async nextDueMs() {
      const row = await engine.reads.selectFrom("checks").select("next_due").where("next_due", "is not", null).orderBy("next_due").limit(1).executeTakeFirst();
      return row?.next_due ?? null;
    },
    async startRuns(runs) {
      const { numbers, checks } = await engine.transaction(async (trx) => {
        const known = await checksById(trx, engine, runs.map((run) => run.checkId));
        const planned = runs.map((run) => ({ ...run, checkType: checkOfRun(known, run).type }));
        return { numbers: await writeRuns(engine, trx, planned), checks: known };
      });
      signals.send({ kind: "jobs", numbers: [...new Set(runs.flatMap((run) => run.locationIds))] });
      return Promise.all(runs.map(async (run, index) => startedSession(numbers[index] ?? 0, run, checkOfRun(checks, run), await codes.of(run.locationIds))));
    },
  };
}

function checkOfRun(checks: ReadonlyMap<number, CheckRow>, run: NewRun): CheckRow {
  const check = checks.get(run.checkId);
  if (!check || check.accountId !== run.accountId) throw new AppError("not_found", "the check to run does not exist");
  return check;
}

function startedSession(no: number, run: NewRun, check: CheckRow, locationCodes: readonly string[]): SessionRow {
  return {
    no,
    accountId: run.accountId,
    checkId: run.checkId,
    checkUuid: check.uuid,
    checkType: check.type,
    checkName: check.definition.name,
    runAtMs: run.runAtMs,
    source: run.source,
    locationCodes,
    status: startedStatus,
    stoppedAtMs: null,
  };
}

async function fireDue(engine: Engine, nowMs: number, limit: number, plan: (due: DueCheck) => Firing): Promise<{ claimed: number; locationIds: readonly number[] }> {
  return engine.transaction(async (trx) => {
    const due = await engine.skipLocked(trx.selectFrom("checks")
      .select(["id", "account_id", "type", "period_ms", "phase_ms", "next_due", "last_fire", "round_robin", "run_parallel", "location_ids"])
      .where("next_due", "is not", null).where("next_due", "<=", nowMs).orderBy("next_due").orderBy("id").limit(limit)).execute();
    if (due.length === 0) return { claimed: 0, locationIds: [] };
    const runs: PlannedRun[] = [];
    const checks: (readonly (number | null)[])[] = [];
    for (const row of due) {
      const firing = plan({
        checkId: row.id, accountId: row.account_id, periodMs: row.period_ms, phaseMs: row.phase_ms, nextDueMs: row.next_due ?? nowMs, lastFireMs: row.last_fire,
        roundRobin: row.round_robin, runParallel: row.run_parallel === 1, locationIds: JSON.parse(row.location_ids) as readonly number[],
      });
      const run = firing.run && firing.run.locationIds.length > 0 ? firing.run : null;
      if (run) runs.push({ accountId: row.account_id, checkId: row.id, checkType: row.type, runAtMs: run.dueMs, source: scheduler, locationIds: run.locationIds });
      // Only forward: a clock that was set back must not fire again what it fired before.
      checks.push([row.id, firing.nextDueMs, firing.roundRobin, run ? Math.max(run.dueMs, row.last_fire ?? run.dueMs) : row.last_fire]);
    }
    await writeRuns(engine, trx, runs);
    await engine.updateMany(trx, "checks", 1, checkColumns, checks.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0)));
    return { claimed: due.length, locationIds: [...new Set(runs.flatMap((run) => run.locationIds))] };
  });
}
