import type { Selectable } from "kysely";
import { AppError } from "#domain/app-error.ts";
import { effectiveRun, type OwnRunSettings, type RunSettings } from "#domain/effective-check.ts";
import { nextDueMs } from "#domain/schedule.ts";
import type { CheckGroupRow } from "../check-group-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import { forgetTimers } from "./heartbeat-rows.ts";
import { leaveSchedules, scheduledColumns } from "./schedule-changes.ts";

/** Checks that are held in memory at a time. */
const batchSize = 500;
const runColumns = {
  id: "int8",
  activated: "int8",
  run_parallel: "int8",
  location_ids: "text",
  next_due: "int8",
  script_runtime: "text",
} as const;

type Row = Pick<Selectable<Tables["checks"]>, keyof typeof runColumns | (typeof scheduledColumns)[number] | "uuid" | "own_settings">;

/** The columns of a check that its group has a say in. */
export function groupColumns(group: CheckGroupRow | undefined, own: OwnRunSettings) {
  const run = effectiveRun(group === undefined ? null : runSettings(group), own);
  return {
    ...columnsOf(run),
    group_id: group?.id ?? null,
    own_settings: group === undefined ? null : JSON.stringify(own),
  };
}

/** Every location that a check names or runs at: while it does, none of them can be removed. */
export function namedLocations(group: CheckGroupRow | undefined, own: OwnRunSettings): readonly number[] {
  return [...new Set([...own.locationIds, ...(group?.locationIds ?? [])])].toSorted((a, b) => a - b);
}

/**
 * Works out anew what a changed group makes of its checks, and writes what is different: a few statements for each batch. The group's
 * row is locked, so no check joins meanwhile.
 *
 * @throws {AppError} invalid_input when an activated check would be left without any location
 */
export async function rewriteChecks(engine: Engine, trx: Trx, group: CheckGroupRow, nowMs: number): Promise<void> {
  for (let after = 0; ; ) {
    const rows: readonly Row[] = await engine
      .lockRows(
        trx
          .selectFrom("checks")
          .select(["id", "uuid", "own_settings", "activated", "script_runtime", ...scheduledColumns])
          .where("group_id", "=", group.id)
          .where("id", ">", after)
          .orderBy("id")
          .limit(batchSize),
      )
      .execute();
    await rewriteBatch(engine, trx, group, rows, nowMs);
    if (rows.length < batchSize) return;
    after = rows.at(-1)?.id ?? after;
  }
}

async function rewriteBatch(engine: Engine, trx: Trx, group: CheckGroupRow, rows: readonly Row[], nowMs: number): Promise<void> {
  const settings = runSettings(group);
  const next = rows.map((row) => {
    const own = ownOf(row);
    const run = effectiveRun(settings, own);
    if (own.activated && run.locationIds.length === 0 && row.location_ids !== columnsOf(run).location_ids) throw withoutLocation(row);
    return { row, own, columns: columnsOf(run) };
  });
  const changed = next.filter(({ row, columns }) => Object.entries(columns).some(([name, value]) => row[name as keyof Row] !== value));
  const nextDue = ({ row, columns }: (typeof changed)[number]): number | null =>
    columns.activated === 1 ? (row.next_due ?? nextDueOf(row, nowMs)) : null;
  const leaving = changed.map((one) => ({ before: one.row, after: { next_due: nextDue(one) } }));
  await leaveSchedules(engine, trx, leaving, nowMs);
  await engine.updateMany(
    trx,
    "checks",
    1,
    runColumns,
    changed.map((one) => [
      one.row.id,
      one.columns.activated,
      one.columns.run_parallel,
      one.columns.location_ids,
      nextDue(one),
      one.columns.script_runtime,
    ]),
  );
  const stopped = changed.filter(({ columns }) => columns.activated === 0).map(({ row }) => row.id);
  await forgetTimers(engine, trx, stopped);
  const moved = changed.filter(({ row, columns }) => row.location_ids !== columns.location_ids);
  const ids = moved.map(({ row }) => row.id);
  if (ids.length === 0) return;
  await trx.deleteFrom("check_locations").where(engine.isAny("check_id", ids)).execute();
  const named = moved.flatMap(({ row, own }) => namedLocations(group, own).map((locationId) => [row.id, locationId]));
  await engine.insertMany(trx, "check_locations", { check_id: "int8", location_id: "int8" }, named);
}

function withoutLocation({ uuid }: Row): AppError {
  const message = `and privateLocations are empty, but the activated check ${uuid} of the group has no location of its own`;
  return new AppError("invalid_input", `"locations" ${message}`, { attributes: { issues: [{ path: "locations", message }] } });
}

/** Null for what no schedule runs. */
function nextDueOf({ period_ms: periodMs, phase_ms: phaseMs }: Row, nowMs: number): number | null {
  return periodMs > 0 ? nextDueMs({ periodMs, phaseMs, afterMs: nowMs }) : null;
}

function runSettings({ settings, locationIds }: CheckGroupRow) {
  return { ...settings, locationIds };
}

function columnsOf({ activated, runParallel, locationIds, scriptRuntime }: RunSettings) {
  return {
    activated: Number(activated),
    run_parallel: Number(runParallel),
    location_ids: JSON.stringify(locationIds),
    script_runtime: scriptRuntime,
  };
}

/** Written by `groupColumns`, as of every check in a group. */
function ownOf({ uuid, own_settings: text }: Row): OwnRunSettings {
  if (text === null) throw new Error(`the check ${uuid} of a group has no settings of its own`);
  return JSON.parse(text) as OwnRunSettings;
}
