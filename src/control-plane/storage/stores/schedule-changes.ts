import type { Selectable } from "kysely";
import { firstUnsettledMs } from "#domain/schedule.ts";
import { gapsOf } from "#domain/schedule-gaps.ts";
import type { Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import { pausesOf } from "./check-pauses.ts";
import { type NewGap, writeGaps } from "./gaps.ts";

/** What is read of a check whose schedule may change. */
export const scheduledColumns = [
  "account_id",
  "period_ms",
  "phase_ms",
  "next_due",
  "last_fire",
  "location_ids",
  "run_parallel",
] as const satisfies readonly (keyof Tables["checks"])[];

type Before = Pick<Selectable<Tables["checks"]>, "id" | (typeof scheduledColumns)[number]>;
type Planned = Pick<Before, "next_due">;
type Schedule = Planned & Pick<Before, "period_ms" | "phase_ms"> & { readonly activated: number };

/** Whoever schedules takes a turn each few seconds: what was due longer ago found nobody. */
const turnsMs = 10_000;

/** A check that does not run is not due. */
export function scheduled<Columns extends Planned & { readonly activated: number }>(columns: Columns): Columns {
  return columns.activated === 1 ? columns : { ...columns, next_due: null };
}

/** The same for one that may run already: where its slots stay as they are, a slot that is due now is not left out. */
export function onSchedule<Columns extends Schedule>(before: Before, columns: Columns): Columns {
  const isSame = columns.period_ms === before.period_ms && columns.phase_ms === before.phase_ms;
  return scheduled(isSame && before.next_due !== null ? { ...columns, next_due: before.next_due } : columns);
}

/**
 * What checks owe that leave a schedule, or get one: slots that were due and will not be run any more are a gap, and none from before now
 * is owed, should the clock be set back.
 */
export async function leaveSchedules(
  engine: Engine,
  trx: Trx,
  changes: readonly { readonly before: Before; readonly after: Planned }[],
  nowMs: number,
): Promise<void> {
  const left = changes.filter(({ before, after }) => before.next_due !== after.next_due).map(({ before }) => before);
  await writeGaps(engine, trx, await gapsLeft(engine, trx, left, nowMs));
  const settled = left.map(({ id, last_fire: settledMs }) => [id, Math.max(settledMs ?? nowMs, nowMs)]);
  await engine.updateMany(trx, "checks", 1, { id: "int8", last_fire: "int8" }, settled);
}

async function gapsLeft(engine: Engine, trx: Trx, left: readonly Before[], nowMs: number): Promise<readonly NewGap[]> {
  const due = left.filter(({ next_due: dueMs, location_ids: places }) => dueMs !== null && dueMs <= nowMs && places !== "[]");
  if (due.length === 0) return [];
  const fromMs = Math.min(...due.map((row) => row.next_due ?? nowMs));
  const pauses = await pausesOf(engine, trx, due, { fromMs, toMs: nowMs });
  const changed = [{ startsAtMs: nowMs - turnsMs, endsAtMs: nowMs + 1, reason: "check_changed" }] as const;
  return due.flatMap((row) => {
    const { next_due: dueMs, last_fire: settledMs, period_ms: periodMs } = row;
    const firstMs = firstUnsettledMs({ nextDueMs: dueMs ?? nowMs, settledMs, periodMs });
    const gaps = gapsOf({ firstMs, lastMs: nowMs, periodMs }, pauses.get(row.id) ?? [], changed);
    return gaps.map((gap) => ({ check: row, gap }));
  });
}
