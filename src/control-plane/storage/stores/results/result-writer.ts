import type { DetailText, Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { type NewAssets, writeAssets } from "./assets.ts";
import type { StoredAttempt } from "./job-history.ts";
import { type NewResult, resultColumns, valuesOf } from "./result-rows.ts";

const hourUs = 3_600_000_000;

export interface ResultBatch {
  readonly results: readonly NewResult[];
  readonly details: readonly DetailText[];
  readonly assets?: readonly NewAssets[];
  /** Stand-ins that a real result replaces. */
  readonly replaced: readonly StoredAttempt[];
}

/** Writes results and marks their hours for the rollups, all sorted by key: unsorted batches deadlocked PostgreSQL. */
export async function writeResults(engine: Engine, trx: Trx, { results, details, assets = [], replaced }: ResultBatch): Promise<void> {
  for (const old of replaced) {
    await trx
      .deleteFrom("results")
      .where("check_id", "=", old.checkId)
      .where("started_at_us", "=", old.startedAtUs)
      .where("id", "=", old.id)
      .execute();
    await trx.deleteFrom("result_details").where("id", "=", old.id).where("started_at_us", "=", old.startedAtUs).execute();
  }
  const sorted = results.toSorted((a, b) => a.checkId - b.checkId || a.startedAtUs - b.startedAtUs || a.id - b.id);
  await engine.insertMany(trx, "results", resultColumns, sorted.map(valuesOf));
  await engine.insertDetails(trx, details);
  await writeAssets(trx, assets);
  await engine.insertMany(
    trx,
    "rollup_dirty",
    { check_id: "int8", hour: "int8" },
    dirtyHours([...results, ...replaced]),
    "on conflict do nothing",
  );
}

function dirtyHours(
  results: readonly { readonly checkId: number; readonly startedAtUs: number }[],
): readonly (readonly [number, number])[] {
  const hours = new Map(
    results.map(({ checkId, startedAtUs }) => {
      const hour = Math.floor(startedAtUs / hourUs);
      return [`${checkId}.${hour}`, [checkId, hour] as const];
    }),
  );
  return [...hours.values()].toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
}
