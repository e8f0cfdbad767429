import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { NewAsset, ResultAssetRow, StoredAsset } from "../../storage.ts";

/** The files of one result that is to be written. */
export interface NewAssets {
  readonly id: number;
  readonly startedAtUs: number;
  readonly files: readonly NewAsset[];
}

/** Few results have files, so each file is a statement of its own: a batch of them would be one huge message to the engine. */
export async function writeAssets(trx: Trx, assets: readonly NewAssets[]): Promise<void> {
  for (const { id, startedAtUs, files } of assets.toSorted((a, b) => a.id - b.id)) {
    for (const { name, type, contentType, body } of files) {
      const row = { id, started_at_us: startedAtUs, name, type, content_type: contentType, body };
      await trx.insertInto("result_assets").values(row).execute();
    }
  }
}

/** What files results have, without what is in them. The instants find the partitions. */
export async function assetsOf(
  engine: Engine,
  ids: readonly number[],
  fromUs: number,
  toUs: number,
): Promise<ReadonlyMap<number, readonly ResultAssetRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await engine.reads
    .selectFrom("result_assets")
    .select(["id", "name", "type", "content_type"])
    .where(engine.isAny("id", ids))
    .where("started_at_us", ">=", fromUs)
    .where("started_at_us", "<=", toUs)
    .orderBy("id")
    .orderBy("name")
    .execute();
  return Map.groupBy(
    rows.map((row) => ({ id: row.id, name: row.name, type: row.type, contentType: row.content_type })),
    (row) => row.id,
  );
}

/** One file with what is in it, or with the key of its blob. */
export async function assetBody(engine: Engine, id: number, fromUs: number, toUs: number, name: string): Promise<StoredAsset | undefined> {
  const row = await engine.reads
    .selectFrom("result_assets")
    .select(["name", "type", "content_type", "body", "blob_key"])
    .where("id", "=", id)
    .where("started_at_us", ">=", fromUs)
    .where("started_at_us", "<=", toUs)
    .where("name", "=", name)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { type, content_type: contentType, body, blob_key: key } = row;
  if (key === null) return { name, type, contentType, body };
  const blob = await engine.reads.selectFrom("blobs").select("size").where("key", "=", key).executeTakeFirst();
  return blob && { name, type, contentType, blob: { key, size: blob.size } };
}
