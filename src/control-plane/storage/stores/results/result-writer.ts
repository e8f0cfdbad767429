import { packDetails } from "../../details/detail-packs.ts";
import type { DetailText, Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import { hourOf, newMark, periodId } from "../analytics/periods.ts";
import { type NewAssets, writeAssets } from "./assets.ts";
import type { StoredAttempt } from "./job-history.ts";
import { type NewPages, writePages } from "./page-figures.ts";
import { lostDigest, type NewResult, resultColumns, valuesOf } from "./result-rows.ts";
import { type NewSuiteRun, writeSuiteRuns } from "./suite-runs.ts";

/** Always a change, never nothing: what computes the hour's rollup meanwhile sees by the mark that it missed a result. */
const markAgain = "on conflict (id) do update set mark = excluded.mark";

export interface ResultBatch {
  readonly results: readonly NewResult[];
  readonly details: readonly DetailText[];
  readonly assets?: readonly NewAssets[];
  readonly pages?: readonly NewPages[];
  readonly suiteRuns?: readonly NewSuiteRun[];
  /** Stand-ins that a real result replaces. */
  readonly replaced: readonly StoredAttempt[];
}

/** Writes results and marks their hours for the rollups, all sorted by key: unsorted batches deadlocked PostgreSQL. */
export async function writeResults(
  engine: Engine,
  trx: Trx,
  { results, details, assets = [], pages = [], suiteRuns = [], replaced }: ResultBatch,
): Promise<void> {
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
  const lost = new Set(results.filter(({ digest }) => digest === lostDigest).map(({ id }) => id));
  const { packs, packOf } = packDetails(details, lost, engine.kind === "citus");
  const placed = sorted.map((result) => ({ ...result, detailPack: packOf.get(result.id) ?? null }));
  await engine.insertMany(trx, "results", resultColumns, placed.map(valuesOf));
  await engine.insertDetails(trx, packs);
  await writeAssets(trx, assets);
  await writePages(engine, trx, pages);
  await writeSuiteRuns(engine, trx, suiteRuns);
  await engine.insertMany(trx, "dirty_hours", dirtyColumns, dirtyHours([...results, ...replaced]), markAgain);
}

const dirtyColumns = { id: "int8", mark: "int8" } as const;

/** Results of test sessions, which stand under the negative number of their check, count in no figures. */
function dirtyHours(
  results: readonly { readonly checkId: number; readonly startedAtUs: number }[],
): readonly (readonly [id: number, mark: number])[] {
  const mark = newMark();
  const counted = results.filter(({ checkId }) => checkId > 0);
  const ids = new Set(counted.map(({ checkId, startedAtUs }) => periodId(checkId, hourOf(startedAtUs))));
  return [...ids].toSorted((a, b) => a - b).map((id) => [id, mark]);
}
