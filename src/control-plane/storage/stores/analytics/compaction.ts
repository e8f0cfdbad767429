import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { checkOfPeriod, dayOfHour, hourMs, hourOf, hoursOfDay, newMark, periodId, periodOf } from "./periods.ts";
import { cellOf, count, readRaw } from "./raw-results.ts";
import { mergeRollups, PeriodFigures, type RollupBytes } from "./rollup-rows.ts";
import { hourIn, isOfCheck, readBoundary } from "./rollup-state.ts";
import { readRollups, writeRollups } from "./stored-rollups.ts";
import { metricColumns } from "./tally.ts";

/*
 * A period is computed from what was read outside of any transaction, so that neither ingest nor another control plane waits. Whoever
 * changes a period gives its dirty row a new mark. The row is read first and must still have the same mark when the rollup is written:
 * a change that was not seen leaves the period dirty, and the next turn computes it again.
 */

interface DirtyPeriod {
  readonly id: number;
  readonly mark: number;
}

/** Recomputes up to `limit` dirty hours before `beforeHour` from results. @returns whether there may be more */
export async function compactHours(engine: Engine, beforeHour: number, limit: number): Promise<boolean> {
  const due = await duePeriods(engine, "dirty_hours", await readBoundary(engine), beforeHour, limit);
  const figures = new Map(due.map(({ id }) => [id, new PeriodFigures()]));
  const ranges = due.map(({ id }) => ({
    checkId: checkOfPeriod(id),
    fromMs: periodOf(id) * hourMs,
    toMs: (periodOf(id) + 1) * hourMs,
  }));
  await readRaw(engine, joined(ranges), metricColumns, (rows) => {
    for (const row of rows) {
      const tally = figures.get(periodId(row.check_id, hourOf(row.started_at_us)))?.tallyOf(cellOf(row));
      if (tally) count(tally, row, metricColumns);
    }
  });
  const hours = encoded(figures);
  await writeUnchanged(engine, "dirty_hours", due, async (trx, ids) => {
    await writeRollups(engine, trx, "rollup_hours", ofIds(hours, ids));
    await markDays(engine, trx, ids);
  });
  return due.length === limit;
}

/** Recomputes up to `limit` dirty days before `beforeDay` from the rollups of their hours. @returns whether there may be more */
export async function compactDays(engine: Engine, beforeDay: number, limit: number): Promise<boolean> {
  const due = await duePeriods(engine, "dirty_days", 0, beforeDay, limit);
  const figures = new Map(due.map(({ id }) => [id, new PeriodFigures()]));
  const totals = new Map(due.map(({ id }) => [id, new PeriodFigures()]));
  const ranges = due.map(({ id }) => {
    const first = periodId(checkOfPeriod(id), periodOf(id) * hoursOfDay);
    return [first, first + hoursOfDay] as const;
  });
  for (const { range, ...bytes } of await readRollups(engine, "rollup_hours", ranges, metricColumns)) {
    const id = due[range]?.id ?? 0;
    mergeRollups(bytes, (cell) => figures.get(id)?.tallyOf(cell));
    mergeRollups(bytes, (cell) => totals.get(id)?.tallyOf({ ...cell, locationId: 0, status: 0 }));
  }
  const [days, dayTotals] = [encoded(figures), encoded(totals)];
  await writeUnchanged(engine, "dirty_days", due, async (trx, ids) => {
    await writeRollups(engine, trx, "rollup_days", ofIds(days, ids));
    await writeRollups(engine, trx, "rollup_day_totals", ofIds(dayTotals, ids));
  });
  return due.length === limit;
}

/** Null: the period has no results. */
type EncodedPeriods = readonly { readonly id: number; readonly bytes: RollupBytes | null }[];

function encoded(figures: ReadonlyMap<number, PeriodFigures>): EncodedPeriods {
  return [...figures].map(([id, ofPeriod]) => ({ id, bytes: ofPeriod.isEmpty ? null : ofPeriod.encode() }));
}

function ofIds(periods: EncodedPeriods, ids: ReadonlySet<number>): EncodedPeriods {
  return periods.filter(({ id }) => ids.has(id));
}

/** The checks' own, from one period up to but without another. What removed checks left is not computed any more. */
function duePeriods(
  engine: Engine,
  table: "dirty_hours" | "dirty_days",
  from: number,
  to: number,
  limit: number,
): Promise<readonly DirtyPeriod[]> {
  return engine.reads
    .selectFrom(table)
    .select(["id", "mark"])
    .where(hourIn("id"), ">=", from)
    .where(hourIn("id"), "<", to)
    .where(isOfCheck(table))
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** Hours of one check that follow each other are read as one range. */
function joined(ranges: readonly { checkId: number; fromMs: number; toMs: number }[]) {
  const longer: { checkId: number; fromMs: number; toMs: number }[] = [];
  for (const range of ranges) {
    const last = longer.at(-1);
    if (last?.checkId === range.checkId && last.toMs === range.fromMs) last.toMs = range.toMs;
    else longer.push({ ...range });
  }
  return longer;
}

async function writeUnchanged(
  engine: Engine,
  table: "dirty_hours" | "dirty_days",
  due: readonly DirtyPeriod[],
  write: (trx: Trx, ids: ReadonlySet<number>) => Promise<void>,
): Promise<void> {
  if (due.length === 0) return;
  await engine.transaction(async (trx) => {
    const ids = await unchanged(engine, trx, table, due);
    if (ids.size > 0) await write(trx, ids);
  });
}

/** Takes those off the list that nobody changed since they were read. @returns their numbers, ascending */
async function unchanged(
  engine: Engine,
  trx: Trx,
  table: "dirty_hours" | "dirty_days",
  due: readonly DirtyPeriod[],
): Promise<ReadonlySet<number>> {
  const marks = new Map(due.map(({ id, mark }) => [id, mark]));
  const found = await engine
    .lockRows(
      trx
        .selectFrom(table)
        .select(["id", "mark"])
        .where(engine.isAny("id", [...marks.keys()]))
        .orderBy("id"),
    )
    .execute();
  const ids = found.filter(({ id, mark }) => marks.get(id) === mark).map(({ id }) => id);
  if (ids.length > 0) await trx.deleteFrom(table).where(engine.isAny("id", ids)).execute();
  return new Set(ids);
}

async function markDays(engine: Engine, trx: Trx, hourIds: ReadonlySet<number>): Promise<void> {
  const mark = newMark();
  const days = new Set([...hourIds].map((id) => periodId(checkOfPeriod(id), dayOfHour(periodOf(id)))));
  const rows = [...days].toSorted((a, b) => a - b).map((id) => [id, mark]);
  await engine.insertMany(trx, "dirty_days", { id: "int8", mark: "int8" }, rows, "on conflict (id) do update set mark = excluded.mark");
}
