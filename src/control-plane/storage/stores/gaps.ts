import type { Selectable } from "kysely";
import type { Gap } from "#domain/schedule-gaps.ts";
import type { Engine } from "../engine.ts";
import type { CheckGapRow, GapRow, GapStore } from "../gap-store.ts";
import type { Tables, Trx } from "../schema.ts";
import type { LocationCodes } from "./location-codes.ts";

const columns = {
  check_id: "int8",
  first_slot: "int8",
  last_slot: "int8",
  slots: "int8",
  reason: "text",
  location_ids: "text",
  run_parallel: "int8",
} as const;

/** A check with a gap, as it stands when the gap is written. */
export interface NewGap {
  readonly check: { readonly id: number; readonly location_ids: string; readonly run_parallel: number };
  readonly gap: Gap;
}

/** A gap that begins at a slot which has one already says nothing new, and must not keep others from being written. */
const onlyNew = "on conflict (check_id, first_slot) do nothing";

export async function writeGaps(engine: Engine, trx: Trx, gaps: readonly NewGap[]): Promise<void> {
  const rows = gaps.map(({ check, gap }) => [
    check.id,
    gap.firstSlotMs,
    gap.lastSlotMs,
    gap.slots,
    gap.reason,
    check.location_ids,
    check.run_parallel,
  ]);
  await engine.insertMany(trx, "schedule_gaps", columns, rows, onlyNew);
}

/** A page draws some dozens of checks: only a control plane that dies again and again leaves more in a day. */
const mostDrawn = 5_000;

export function gapStore(engine: Engine, codes: LocationCodes): GapStore {
  const { reads } = engine;
  return {
    async ofCheck(checkId, fromMs, toMs) {
      const found = reads.selectFrom("schedule_gaps").selectAll().where("check_id", "=", checkId);
      const rows = await found.where("last_slot", ">=", fromMs).where("first_slot", "<", toMs).orderBy("first_slot").execute();
      return Promise.all(rows.map((row) => gapOf(row, codes)));
    },
    async ofChecks(checkIds, fromMs, toMs) {
      const rows = await reads
        .selectFrom("schedule_gaps")
        .selectAll()
        .where(engine.isAny("check_id", checkIds))
        .where("last_slot", ">=", fromMs)
        .where("first_slot", "<", toMs)
        .orderBy("first_slot", "desc")
        .limit(mostDrawn)
        .execute();
      return rows.map(plainGap);
    },
    async list({ checkId, fromMs, toMs, page, limit }) {
      let found = reads.selectFrom("schedule_gaps").where("check_id", "=", checkId);
      if (fromMs !== undefined) found = found.where("last_slot", ">=", fromMs);
      if (toMs !== undefined) found = found.where("first_slot", "<", toMs);
      const [{ total }, rows] = await Promise.all([
        found.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow(),
        found
          .selectAll()
          .orderBy("first_slot", "desc")
          .limit(limit)
          .offset((page - 1) * limit)
          .execute(),
      ]);
      return { items: await Promise.all(rows.map((row) => gapOf(row, codes))), total: Number(total) };
    },
  };
}

/** Those whose last slot is older; at most about `limit`. @returns whether there may be more */
export async function pruneGaps({ db, reads }: Engine, olderThanMs: number, limit: number): Promise<boolean> {
  const old = await reads
    .selectFrom("schedule_gaps")
    .select(["check_id", "first_slot"])
    .where("last_slot", "<", olderThanMs)
    .orderBy("last_slot")
    .limit(limit)
    .execute();
  for (const [checkId, rows] of Map.groupBy(old, (row) => row.check_id)) {
    const last = Math.max(...rows.map((row) => row.first_slot));
    await db.deleteFrom("schedule_gaps").where("check_id", "=", checkId).where("first_slot", "<=", last).execute();
  }
  return old.length === limit;
}

async function gapOf(row: Selectable<Tables["schedule_gaps"]>, codes: LocationCodes): Promise<GapRow> {
  return {
    ...plainGap(row),
    locationCodes: await codes.of(JSON.parse(row.location_ids) as readonly number[]),
    runParallel: row.run_parallel === 1,
  };
}

function plainGap(row: Selectable<Tables["schedule_gaps"]>): CheckGapRow {
  return {
    checkId: row.check_id,
    reason: row.reason,
    firstSlotMs: row.first_slot,
    lastSlotMs: row.last_slot,
    slots: row.slots,
  };
}
