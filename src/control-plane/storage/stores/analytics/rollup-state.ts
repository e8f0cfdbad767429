import { type SqlBool, sql } from "kysely";
import type { Engine, NumberRange } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { checkOfPeriod, dayOfHour, periodId, periodOf, periodsOfCheck } from "./periods.ts";
import type { RollupState } from "./plan.ts";

/** The hour, see `RollupState.rollupsOnlyBefore`. Only grows: what is gone does not come back. */
const boundaryMark = "rollups_only_before_hour";

/** State of the rollups of each check in these hours. Read before the rollups and results that it speaks of. */
export async function readStates(
  engine: Engine,
  checkIds: readonly number[],
  fromHour: number,
  toHour: number,
): Promise<ReadonlyMap<number, RollupState>> {
  const [dirtyHours, dirtyDays, rollupsOnlyBefore] = await Promise.all([
    readDirty(engine, "dirty_hours", checkIds, fromHour, toHour),
    readDirty(engine, "dirty_days", checkIds, dayOfHour(fromHour), dayOfHour(toHour) + 1),
    readBoundary(engine),
  ]);
  const none: ReadonlySet<number> = new Set();
  return new Map(
    checkIds.map((id) => [id, { dirtyHours: dirtyHours.get(id) ?? none, dirtyDays: dirtyDays.get(id) ?? none, rollupsOnlyBefore }]),
  );
}

async function readDirty(
  engine: Engine,
  table: "dirty_hours" | "dirty_days",
  checkIds: readonly number[],
  from: number,
  to: number,
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const ranges: readonly NumberRange[] = checkIds.map((id) => [periodId(id, from), periodId(id, to)]);
  const { rows } = await sql<{ id: number }>`select h.id as id from ${engine.rowsInRanges(table, ranges)}`.execute(engine.reads);
  const found = new Map<number, Set<number>>();
  for (const { id } of rows) {
    const ofCheck = found.get(checkOfPeriod(id)) ?? new Set();
    found.set(checkOfPeriod(id), ofCheck.add(periodOf(id)));
  }
  return found;
}

export async function readBoundary(engine: Engine): Promise<number> {
  const row = await engine.reads.selectFrom("marks").select("value").where("name", "=", boundaryMark).executeTakeFirst();
  return row === undefined ? 0 : Number(row.value);
}

/** Before results that started before this hour are deleted. @returns false while a rollup of such an hour is not up to date */
export async function moveBoundary(trx: Trx, hour: number): Promise<boolean> {
  const row = await trx.selectFrom("marks").select("value").where("name", "=", boundaryMark).executeTakeFirst();
  const current = row === undefined ? 0 : Number(row.value);
  if (current >= hour) return true;
  const dirty = trx.selectFrom("dirty_hours").select("id").where(hourIn("id"), ">=", current).where(hourIn("id"), "<", hour);
  if ((await dirty.where(isOfCheck("dirty_hours")).limit(1).executeTakeFirst()) !== undefined) return false;
  await trx
    .insertInto("marks")
    .values({ name: boundaryMark, value: String(hour) })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ value: String(hour) }))
    .execute();
  // Nothing recomputes these any more.
  await trx.deleteFrom("dirty_hours").where(hourIn("id"), "<", hour).execute();
  return true;
}

/** The hour or day in the number, in SQL. */
export function hourIn(column: string) {
  return sql<number>`${sql.ref(column)} % ${sql.lit(periodsOfCheck)}`;
}

/** Whether the row is of a check that still exists. */
export function isOfCheck(table: "dirty_hours" | "dirty_days") {
  return sql<SqlBool>`exists (select 1 from checks where checks.id = ${sql.ref(`${table}.id`)} / ${sql.lit(periodsOfCheck)})`;
}
