import { sql } from "kysely";
import { oldRollups } from "../../citus/citus-upkeep.ts";
import type { Engine } from "../../engine.ts";
import { compactHours } from "./compaction.ts";
import { dayOfHour, periodId, periodsOfCheck } from "./periods.ts";
import { moveBoundary } from "./rollup-state.ts";
import { type RollupTableName, rollupTables } from "./stored-rollups.ts";

/**
 * Makes sure that results from before this hour are not needed any more: their rollups are brought up to date, and from then on nothing
 * reads or recomputes them. @returns false when there is more to bring up to date first
 */
export async function settleBefore(engine: Engine, hour: number, limit: number): Promise<boolean> {
  if (await compactHours(engine, hour, limit)) return false;
  return engine.transaction((trx) => moveBoundary(trx, hour));
}

/** See `AnalyticsStore.pruneRollups`. */
export async function pruneRollups(engine: Engine, beforeHour: number, limit: number): Promise<boolean> {
  const more: boolean[] = [];
  for (const table of rollupTables) {
    more.push(await deleteOld(engine, table, table === "rollup_hours" ? beforeHour : dayOfHour(beforeHour), limit));
  }
  return more.includes(true);
}

/** Each check's own rows are found by its number: a search for one row of each check when there is nothing to delete. */
async function deleteOld(engine: Engine, table: RollupTableName, before: number, limit: number): Promise<boolean> {
  const rows = engine.kind === "citus" ? await oldRollups(engine, table, before, limit) : await old(engine, table, before, limit);
  if (rows.length === 0) return false;
  const ids = rows.map(({ id }) => id);
  await engine.db.deleteFrom(table).where(engine.isAny("id", ids)).execute();
  return rows.length === limit;
}

async function old(engine: Engine, table: RollupTableName, before: number, limit: number): Promise<readonly { readonly id: number }[]> {
  const { rows } = await sql<{ id: number }>`select r.id as id from checks as c cross join ${sql.table(table)} as r
    where r.id >= c.id * ${sql.lit(periodsOfCheck)} and r.id < c.id * ${sql.lit(periodsOfCheck)} + ${before} limit ${limit}`.execute(
    engine.reads,
  );
  return rows;
}

/** What a removed check left. Its dirty rows go first, so that nothing computes a rollup again. @returns whether there may be more */
export async function deleteRollupsOf(engine: Engine, checkId: number, limit: number): Promise<boolean> {
  const [from, to] = [periodId(checkId, 0), periodId(checkId + 1, 0)];
  for (const table of ["dirty_hours", "dirty_days"] as const) {
    await engine.db.deleteFrom(table).where("id", ">=", from).where("id", "<", to).execute();
  }
  for (const table of rollupTables) {
    const rows = await engine.reads.selectFrom(table).select("id").where("id", ">=", from).where("id", "<", to).limit(limit).execute();
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await engine.db.deleteFrom(table).where(engine.isAny("id", ids)).execute();
    if (ids.length === limit) return true;
  }
  return false;
}
