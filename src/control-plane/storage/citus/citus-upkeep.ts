import { type Selectable, sql } from "kysely";
import type { Engine } from "../engine.ts";
import { periodsOfCheck } from "../stores/analytics/periods.ts";
import type { RollupTableName } from "../stores/analytics/stored-rollups.ts";
import type { BlobTable } from "../work-tables.ts";

/*
 * Looks of the upkeep that join what is on the coordinator to what is spread, row by row: Citus would fetch all of one of them. So they ask
 * for the rows here, and then there for these.
 */

const checksAtOnce = 10_000;
const blobsAtOnce = 1_000;

/** Numbers of rollups of the checks' own that are of before this hour or day. */
export async function oldRollups(
  { reads }: Engine,
  table: RollupTableName,
  before: number,
  limit: number,
): Promise<readonly { id: number }[]> {
  for (let last = 0; ; ) {
    const checks = await reads.selectFrom("checks").select("id").where("id", ">", last).orderBy("id").limit(checksAtOnce).execute();
    if (checks.length === 0) return [];
    const ids = checks.map(({ id }) => id);
    const { rows } = await sql<{ id: number }>`select r.id as id from unnest(${ids}::int4[]) as c(id) join ${sql.table(table)} as r
      on r.check_id = c.id and r.id >= c.id * ${sql.lit(periodsOfCheck)}::int8 and r.id < c.id * ${sql.lit(periodsOfCheck)}::int8 + ${before} limit ${limit}`.execute(
      reads,
    );
    if (rows.length > 0) return rows;
    last = ids.at(-1) ?? last;
  }
}

/** Blobs that are whole and that no result names, the oldest first. */
export async function unnamedBlobs(engine: Engine, limit: number): Promise<Selectable<BlobTable>[]> {
  const found: Selectable<BlobTable>[] = [];
  for (let [createdAt, key] = [0, ""]; found.length < limit; ) {
    const blobs = await engine.reads
      .selectFrom("blobs")
      .selectAll()
      .where("stored_at", "is not", null)
      .where(sql<boolean>`(created_at, key) > (${createdAt}, ${key})`)
      .orderBy("created_at")
      .orderBy("key")
      .limit(blobsAtOnce)
      .execute();
    const last = blobs.at(-1);
    if (last === undefined) break;
    const named = await engine.reads
      .selectFrom("result_assets")
      .select("blob_key")
      .where(engine.isAny("id", [...new Set(blobs.map((blob) => blob.result_id))]))
      .where("blob_key", "is not", null)
      .execute();
    const keys = new Set(named.map((row) => row.blob_key));
    found.push(...blobs.filter((blob) => !keys.has(blob.key)));
    [createdAt, key] = [last.created_at, last.key];
  }
  return found.slice(0, limit);
}
