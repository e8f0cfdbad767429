import { type Selectable, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import { unnamedBlobs } from "../citus/citus-upkeep.ts";
import type { Engine } from "../engine.ts";
import { resultId, resultsKey, sessionOfJob } from "../numbers.ts";
import type { Trx } from "../schema.ts";
import type { AgentSessionRow, ArtifactRow, ArtifactStore, NewUpload, UploadBounds } from "../storage.ts";
import type { BlobTable } from "../work-tables.ts";
import { lateUploadMs } from "./results/list.ts";
import { flag, lostDigest, resultTypes } from "./results/result-rows.ts";

export function artifactStore(engine: Engine): ArtifactStore {
  const { reads, db } = engine;
  return {
    declare: (agent, upload) => engine.transaction((trx) => declare(trx, agent, upload)),
    async byKey(agent, key) {
      const row = await reads
        .selectFrom("blobs")
        .selectAll()
        .where("key", "=", key)
        .where("location_id", "=", agent.locationId)
        .executeTakeFirst();
      return row && isOf(agent, row.account_id) ? artifactRow(row) : undefined;
    },
    async begun(key, ref) {
      await db.updateTable("blobs").set({ ref }).where("key", "=", key).where("ref", "is", null).execute();
      const row = await reads.selectFrom("blobs").select("ref").where("key", "=", key).executeTakeFirst();
      return row?.ref ?? undefined;
    },
    async parts(key) {
      const rows = await reads
        .selectFrom("blob_parts")
        .select(["number", "size", "tag"])
        .where("key", "=", key)
        .orderBy("number")
        .execute();
      const gap = rows.findIndex((row, index) => row.number !== index);
      return (gap === -1 ? rows : rows.slice(0, gap)).map(({ size, tag }) => ({ size, tag }));
    },
    async addPart(key, number, part) {
      await db
        .insertInto("blob_parts")
        .values({ key, number, ...part })
        .onConflict((conflict) => conflict.columns(["key", "number"]).doUpdateSet(part))
        .execute();
    },
    stored: (key, nowMs) => engine.transaction((trx) => store(trx, key, nowMs)),
    async forget(key) {
      await db.deleteFrom("blobs").where("key", "=", key).execute();
    },
    leftBehind: (beforeMs, limit) => leftBehind(engine, beforeMs, limit),
  };
}

/** Uploads that nobody goes on with, and files that no result names any more. */
async function leftBehind(engine: Engine, beforeMs: number, limit: number): Promise<ArtifactRow[]> {
  const rows = engine.kind === "citus" ? await leftOnCluster(engine, beforeMs, limit) : await leftHere(engine, beforeMs, limit);
  return rows.map(artifactRow);
}

async function leftOnCluster(engine: Engine, beforeMs: number, limit: number): Promise<Selectable<BlobTable>[]> {
  const given = engine.reads.selectFrom("blobs").selectAll().where("stored_at", "is", null).where("created_at", "<", beforeMs);
  const open = await given.orderBy("created_at").limit(limit).execute();
  return [...open, ...(await unnamedBlobs(engine, limit - open.length))];
}

function leftHere(engine: Engine, beforeMs: number, limit: number): Promise<Selectable<BlobTable>[]> {
  return engine.reads
    .selectFrom("blobs")
    .selectAll()
    .where((eb) => {
      const named = eb
        .selectFrom("result_assets")
        .select("blob_key")
        .whereRef("result_assets.id", "=", "blobs.result_id")
        .whereRef("result_assets.started_at_us", "=", "blobs.started_at_us")
        .whereRef("result_assets.name", "=", "blobs.name");
      return eb.or([
        eb.and([eb("stored_at", "is", null), eb("created_at", "<", beforeMs)]),
        eb.and([eb("stored_at", "is not", null), eb.not(eb.exists(named))]),
      ]);
    })
    .orderBy("created_at")
    .limit(limit)
    .execute();
}

interface FoundResult {
  readonly accountId: number;
  readonly checkId: number;
  readonly id: number;
  readonly startedAtUs: number;
}

async function declare(trx: Trx, agent: AgentSessionRow, { declared, key, bounds, nowMs }: NewUpload): Promise<ArtifactRow> {
  const result = await resultOf(trx, agent, declared.jobNo, declared.attempt);
  if (result === undefined) throw new AppError("conflict", "no such result of this location; report it first");
  const before = await ofResult(trx, result, declared.name);
  if (before !== undefined) return theSame(before, declared);
  await assertRoom(trx, agent, result, declared, bounds);
  const { name, type, contentType, size, sha256 } = declared;
  await trx
    .insertInto("blobs")
    .values({
      key,
      ref: null,
      account_id: result.accountId,
      location_id: agent.locationId,
      result_id: result.id,
      check_id: result.checkId,
      started_at_us: result.startedAtUs,
      name,
      type,
      content_type: contentType,
      size,
      sha256,
      created_at: nowMs,
      stored_at: null,
    })
    .onConflict((conflict) => conflict.columns(["result_id", "name"]).doNothing()) // another process was faster
    .execute();
  const row = await ofResult(trx, result, declared.name);
  if (row === undefined) throw new Error("an upload that was just made is not there");
  return theSame(row, declared);
}

/** Agents are not trusted: the result must be one of the agent's location and account, and somebody must have reported it. */
async function resultOf(trx: Trx, agent: AgentSessionRow, jobNo: number, attempt: number): Promise<FoundResult | undefined> {
  const session = await trx
    .selectFrom("sessions")
    .select(["account_id", "check_id", "run_at", "test_session"])
    .where("no", "=", sessionOfJob(jobNo))
    .executeTakeFirst();
  if (session === undefined || !isOf(agent, session.account_id)) return undefined;
  const checkId = resultsKey(session.check_id, session.test_session);
  const id = resultId(jobNo, attempt);
  const row = await trx
    .selectFrom("results")
    .select("started_at_us")
    .where("check_id", "=", checkId)
    .where("started_at_us", ">=", session.run_at * 1_000)
    .where("started_at_us", "<=", (session.run_at + lateUploadMs) * 1_000)
    .where("id", "=", id)
    .where("location_id", "=", agent.locationId)
    .where("type", "!=", resultTypes.indexOf("MISSED"))
    .where("digest", "!=", lostDigest)
    .executeTakeFirst();
  return row && { accountId: session.account_id, checkId, id, startedAtUs: row.started_at_us };
}

function isOf(agent: AgentSessionRow, accountId: number): boolean {
  return agent.accountId === null || agent.accountId === accountId;
}

function ofResult(trx: Trx, { id }: FoundResult, name: string): Promise<Selectable<BlobTable> | undefined> {
  return trx.selectFrom("blobs").selectAll().where("result_id", "=", id).where("name", "=", name).executeTakeFirst();
}

function theSame(row: Selectable<BlobTable>, declared: NewUpload["declared"]): ArtifactRow {
  const artifact = artifactRow(row);
  for (const field of ["type", "contentType", "size", "sha256"] as const) {
    if (artifact[field] !== declared[field])
      throw new AppError("conflict", `the result has another file of this name: its ${field} differs`, { attributes: { field } });
  }
  return artifact;
}

async function assertRoom(
  trx: Trx,
  agent: AgentSessionRow,
  result: FoundResult,
  { name, size }: NewUpload["declared"],
  bounds: UploadBounds,
): Promise<void> {
  const taken = await trx
    .selectFrom("result_assets")
    .select("name")
    .where("id", "=", result.id)
    .where("started_at_us", "=", result.startedAtUs)
    .execute();
  if (taken.some((asset) => asset.name === name)) throw new AppError("conflict", "the result has another file of this name");
  const underWay = await trx.selectFrom("blobs").select("name").where("result_id", "=", result.id).where("stored_at", "is", null).execute();
  if (taken.length + underWay.length >= bounds.ofResult) throw new AppError("conflict", `a result has at most ${bounds.ofResult} files`);
  const open = (column: "location_id" | "account_id", id: number) =>
    trx
      .selectFrom("blobs")
      .select((eb) => [eb.fn.countAll<number>().as("count"), sql<number>`coalesce(sum(size), 0)`.as("bytes")])
      .where("stored_at", "is", null)
      .where(column, "=", id)
      .executeTakeFirstOrThrow();
  const location = await open("location_id", agent.locationId);
  const account = await open("account_id", result.accountId);
  const isFull =
    location.count >= bounds.ofLocation ||
    Number(location.bytes) + size > bounds.bytesOfLocation ||
    Number(account.bytes) + size > bounds.bytesOfAccount;
  if (isFull) throw new AppError("rate_limited", "too many artifacts are under way here; finish some of them first");
}

/** The row that users see is written in the same moment as the one that says that nothing is open any more. */
async function store(trx: Trx, key: string, nowMs: number): Promise<void> {
  const blob = await trx.selectFrom("blobs").selectAll().where("key", "=", key).executeTakeFirst();
  if (blob === undefined) throw new AppError("conflict", "the upload is gone; announce the file again");
  if (blob.stored_at !== null) return;
  const result = await trx
    .updateTable("results")
    .set((eb) => ({ flags: sql<number>`${eb.ref("flags")} | ${sql.lit(flag.assets)}` }))
    .where("check_id", "=", blob.check_id)
    .where("started_at_us", "=", blob.started_at_us)
    .where("id", "=", blob.result_id)
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) throw new AppError("conflict", "the result is gone");
  const { result_id: id, started_at_us, name, type, content_type } = blob;
  const row = { id, started_at_us, name, type, content_type, body: new Uint8Array(), blob_key: key };
  const { numInsertedOrUpdatedRows: written = 0n } = await trx
    .insertInto("result_assets")
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (written === 0n) throw new AppError("conflict", "the result has another file of this name");
  await trx.updateTable("blobs").set({ stored_at: nowMs }).where("key", "=", key).execute();
  await trx.deleteFrom("blob_parts").where("key", "=", key).execute();
}

function artifactRow(row: Selectable<BlobTable>): ArtifactRow {
  return {
    key: row.key,
    ref: row.ref,
    name: row.name,
    type: row.type,
    contentType: row.content_type,
    size: row.size,
    sha256: row.sha256,
    createdAtMs: row.created_at,
    isStored: row.stored_at !== null,
  };
}
