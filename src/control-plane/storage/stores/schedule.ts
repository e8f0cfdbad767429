import { type SqlBool, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { Span } from "#domain/maintenance.ts";
import type { Engine } from "../engine.ts";
import type { Trx } from "../schema.ts";
import type { Signals } from "../signals/signals.ts";
import type { CheckRow, DueCheck, Firing, NewRun, ScheduleStore, SessionRow } from "../storage.ts";
import { pausesOf } from "./check-pauses.ts";
import { checksById } from "./check-rows.ts";
import { writeGaps } from "./gaps.ts";
import type { LocationCodes } from "./location-codes.ts";
import { isMissedAtOnce, missedSession } from "./missed-runs.ts";
import { type PlannedRun } from "./planned-run.ts";
import { startedStatus, writeRuns } from "./runs.ts";

/** `runSource` of runs that the schedule started. */
const scheduler = "SCHEDULER";
const checkColumns = {
  id: "int8",
  next_due: "int8",
  round_robin: "int8",
  last_fire: "int8",
  relived_slot: "int8",
  relives: "int8",
} as const;

export function scheduleStore(engine: Engine, signals: Signals, codes: LocationCodes): ScheduleStore {
  return {
    async fireDue(nowMs, limit, plan) {
      const { claimed, locationIds } = await fireDue(engine, nowMs, limit, plan);
      signals.send({ kind: "jobs", numbers: locationIds });
      return claimed;
    },
    async nextDueMs() {
      const row = await engine.reads
        .selectFrom("checks")
        .select("next_due")
        .where("next_due", "is not", null)
        .orderBy("next_due")
        .limit(1)
        .executeTakeFirst();
      return row?.next_due ?? null;
    },
    async startRuns(runs) {
      const { numbers, checks } = await engine.transaction(async (trx) => {
        const known = await checksById(
          trx,
          engine,
          runs.map((run) => run.checkId),
        );
        const planned = runs.map((run) => ({ ...run, checkType: checkOfRun(known, run).type }));
        return { numbers: await writeRuns(engine, trx, planned), checks: known };
      });
      const places = [...new Set(runs.flatMap((run) => run.locationIds))];
      signals.send({ kind: "jobs", numbers: places });
      await codes.of(places); // all at once, or each of thousands of runs would look its own up
      return Promise.all(
        runs.map(async (run, index) => startedSession(numbers[index] ?? 0, run, checkOfRun(checks, run), await codes.of(run.locationIds))),
      );
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
    ...(isMissedAtOnce({ checkType: check.type }) ? ended(run) : { status: startedStatus, stoppedAtMs: null }),
  };
}

function ended(run: NewRun): Pick<SessionRow, "status" | "stoppedAtMs"> {
  const { status, stoppedAtMs } = missedSession(run);
  return { status, stoppedAtMs };
}

type DueRow = Awaited<ReturnType<typeof lockDue>>[number];

async function fireDue(
  engine: Engine,
  nowMs: number,
  limit: number,
  plan: (due: DueCheck) => Firing,
): Promise<{ claimed: number; locationIds: readonly number[] }> {
  return engine.transaction(async (trx) => {
    const due = await lockDue(engine, trx, nowMs, limit);
    const fromMs = due.reduce((least, row) => Math.min(least, row.next_due ?? nowMs), nowMs);
    const pauses = await pausesOf(engine, trx, due, { fromMs, toMs: nowMs });
    const fired = due
      .map((row) => ({ row, firing: plan(dueCheck(row, pauses.get(row.id) ?? [])) }))
      .toSorted((a, b) => a.row.id - b.row.id);
    const runs = fired.flatMap(({ row, firing }) => plannedRun(row, firing, nowMs) ?? []);
    await writeRuns(engine, trx, runs);
    await writeGaps(
      engine,
      trx,
      fired.flatMap(({ row, firing }) => firing.gaps.map((gap) => ({ check: row, gap }))),
    );
    const checks = fired.map(({ row, firing: { nextDueMs, roundRobin, settledMs, relivedMs, relives } }) => [
      row.id,
      nextDueMs,
      roundRobin,
      settledMs,
      relivedMs,
      relives,
    ]);
    await engine.updateMany(trx, "checks", 1, checkColumns, checks);
    return { claimed: due.length, locationIds: [...new Set(runs.flatMap((run) => run.locationIds))] };
  });
}

/**
 * Two looks in one statement, each by its own index: joined by `or`, SQLite reads every scheduled check for them. No check is in both, for
 * a period is never 0.
 */
function lockDue(engine: Engine, trx: Trx, nowMs: number, limit: number) {
  const scheduled = trx
    .selectFrom("checks")
    .select(["id", "account_id", "type", "period_ms", "phase_ms", "next_due", "round_robin", "run_parallel", "location_ids"])
    .select(["last_fire", "relived_slot", "relives"])
    .where("next_due", "is not", null)
    .limit(limit);
  const due = engine.skipLocked(scheduled.where("next_due", "<=", nowMs).orderBy("next_due"));
  const ahead = engine.skipLocked(scheduled.where(plannedTooFarAhead(nowMs)));
  return trx
    .selectFrom(due.as("due"))
    .selectAll()
    .unionAll(trx.selectFrom(ahead.as("ahead")).selectAll())
    .execute();
}

/**
 * The clock was set back, so the plan lies more than a period ahead and must be drawn anew. Up to two periods ahead the slot before it
 * may be the one that ran last, which must not come again (`dueDecision`).
 */
function plannedTooFarAhead(nowMs: number) {
  return sql<SqlBool>`((next_due - period_ms) > ${nowMs} and (last_fire is null or next_due - 2 * period_ms > ${nowMs}))`;
}

function dueCheck(row: DueRow, pauses: readonly Span[]): DueCheck {
  return {
    checkId: row.id,
    accountId: row.account_id,
    periodMs: row.period_ms,
    phaseMs: row.phase_ms,
    nextDueMs: row.next_due ?? 0,
    settledMs: row.last_fire,
    relivedMs: row.relived_slot,
    relives: row.relives,
    roundRobin: row.round_robin,
    pauses,
    runParallel: row.run_parallel === 1,
    locationIds: JSON.parse(row.location_ids) as readonly number[],
  };
}

function plannedRun(row: DueRow, { run }: Firing, nowMs: number): PlannedRun | undefined {
  if (!run || run.locationIds.length === 0) return undefined;
  return {
    accountId: row.account_id,
    checkId: row.id,
    checkType: row.type,
    runAtMs: run.dueMs,
    source: scheduler,
    locationIds: run.locationIds,
    queuedAtMs: nowMs,
    windowMs: row.period_ms,
  };
}
