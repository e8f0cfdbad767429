import { sql } from "kysely";
import type { Engine } from "../../engine.ts";
import { noCheck } from "../../numbers.ts";
import { hourMs } from "../analytics/periods.ts";
import { deleteRollupsOf, settleBefore } from "../analytics/rollup-retention.ts";
import { deleteEventsOf } from "../heartbeat-retention.ts";
import { deleteStale } from "./delete-stale.ts";

/** Rows of one short transaction: measured to hold the writer for a few tens of milliseconds. */
const chunk = 5_000;
/** Checks that one statement looks at: 70 to 110 ms of the reading thread where nothing of a 10 GB file is in memory. */
const checksAtOnce = 2_000;
/** Hours of checks whose rollups are brought up to date before their results go. */
const settledAtOnce = 250;

export interface PruneRequest {
  readonly olderThanMs: number;
  /** Not before `olderThanMs`. */
  readonly detailsOlderThanMs: number;
  readonly limit: number;
}

/** Deletes sessions and results from before, then what removed checks left. See `ResultStore.prune`. */
export async function prune(engine: Engine, request: PruneRequest): Promise<{ deleted: number; more: boolean }> {
  const { olderThanMs, limit } = request;
  const removed = await deleteRemoved(engine, limit);
  // Sessions first: without them no late result comes for an hour whose rollup is final.
  const sessions = (await deleteStale(engine, olderThanMs, limit)) + (await deleteSessions(engine, olderThanMs, limit));
  const old = sessions < limit ? await deleteOld(engine, { ...request, limit: limit - removed }) : { deleted: 0, more: true };
  const hasFreePages = await engine.compact();
  return { deleted: removed + old.deleted, more: removed >= limit || old.more || hasFreePages };
}

/** Whole hours, so that rollups never are of a part of an hour's results. */
async function deleteOld(engine: Engine, request: PruneRequest): Promise<{ deleted: number; more: boolean }> {
  const hour = Math.floor(request.olderThanMs / hourMs);
  if (!(await settleBefore(engine, hour, settledAtOnce))) return { deleted: 0, more: true };
  const beforeUs = hour * hourMs * 1_000;
  const detailsUs = Math.floor(request.detailsOlderThanMs / hourMs) * hourMs * 1_000;
  let deleted = await engine.dropDaysBefore({ resultsUs: beforeUs, detailsUs });
  if (engine.kind !== "sqlite") return { deleted, more: false };
  deleted += await deleteResults(engine, noCheck, beforeUs, request.limit);
  const stored = await engine.reads.selectFrom("checks").select("id").orderBy("id").execute();
  for (let at = 0; at < stored.length && deleted < request.limit; at += checksAtOnce) {
    const [first, last] = [stored[at], stored[Math.min(at + checksAtOnce, stored.length) - 1]];
    if (first && last) deleted += await deleteOldOf(engine, [first.id, last.id], beforeUs, request.limit - deleted);
  }
  const details = await deleteDetails(engine, detailsUs, request.limit);
  return { deleted: deleted + details, more: deleted >= request.limit || details >= request.limit };
}

/** What removed checks left. @returns rows */
export async function deleteRemoved(engine: Engine, limit: number): Promise<number> {
  let deleted = 0;
  for (const { check_id: checkId } of await engine.reads.selectFrom("removed_checks").select("check_id").execute()) {
    if (await deleteRollupsOf(engine, checkId, chunk)) return limit;
    for (const one of [checkId, -checkId]) deleted += await deleteResults(engine, one, undefined, limit - deleted);
    if (deleted < limit) deleted += await deleteEventsOf(engine, checkId, limit - deleted);
    if (deleted < limit) await engine.db.deleteFrom("removed_checks").where("check_id", "=", checkId).execute();
  }
  return deleted;
}

async function deleteResults(engine: Engine, checkId: number, beforeUs: number | undefined, limit: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const wanted = Math.min(chunk, limit - deleted);
    const done = wanted > 0 ? await deleteChunk(engine, checkId, beforeUs, wanted) : 0;
    deleted += done;
    if (done < wanted || wanted <= 0) return deleted;
  }
}

/** The oldest first, so that the key's order finds them and the last one bounds the deletion. */
async function deleteChunk(engine: Engine, checkId: number, beforeUs: number | undefined, limit: number): Promise<number> {
  let query = engine.reads.selectFrom("results").select(["check_id", "id", "started_at_us", "detail_pack"]).where("check_id", "=", checkId);
  if (beforeUs !== undefined) query = query.where("started_at_us", "<", beforeUs);
  const rows = await query.orderBy("started_at_us").orderBy("id").limit(limit).execute();
  await deleteRows(engine, rows);
  return rows.length;
}

/**
 * Of the checks from one number to another, and of their test sessions, whose results have the negative number. A search for one row of each check
 * where there is nothing to delete.
 */
async function deleteOldOf(engine: Engine, [first, last]: readonly [number, number], beforeUs: number, limit: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const wanted = Math.min(chunk, limit - deleted);
    const { rows } = await sql<OldRow>`select r.check_id, r.started_at_us, r.id, r.detail_pack from checks as c cross join results as r
      where c.id between ${first} and ${last} and r.check_id in (c.id, -c.id) and r.started_at_us < ${beforeUs} limit ${wanted}`.execute(
      engine.reads,
    );
    for (const part of wholeAndLast(rows)) await deleteRows(engine, part);
    deleted += rows.length;
    if (rows.length < wanted || deleted >= limit) return deleted;
  }
}

/** All rows of a check are there, but for the last one: of it a bound keeps the deletion from looking at the others. */
function wholeAndLast(rows: readonly OldRow[]): readonly (readonly OldRow[])[] {
  const last = rows.at(-1)?.check_id;
  return [rows.filter((row) => row.check_id !== last), rows.filter((row) => row.check_id === last)];
}

interface OldRow {
  readonly check_id: number;
  readonly started_at_us: number;
  readonly id: number;
  readonly detail_pack: number | null;
}

async function deleteRows(engine: Engine, rows: readonly OldRow[]): Promise<void> {
  if (rows.length === 0) return;
  const checkIds = [...new Set(rows.map((row) => row.check_id))];
  const untilUs = Math.max(...rows.map((row) => row.started_at_us));
  const ids = rows.map((row) => row.id);
  // What stands beside details of others goes by its age.
  const alone = rows.filter((row) => row.detail_pack === null).map((row) => row.id);
  await engine.transaction(async (trx) => {
    for (const table of ["results", "page_figures", "suite_runs"] as const)
      await trx
        .deleteFrom(table)
        .where(engine.isAny("check_id", checkIds))
        .where("started_at_us", "<=", untilUs)
        .where(engine.isAny("id", ids))
        .execute();
    await trx.deleteFrom("result_assets").where(engine.isAny("id", ids)).execute();
    await trx.deleteFrom("result_details").where(engine.isAny("id", alone)).execute();
  });
}

/** Of results that stay. Numbers grow with time, so the oldest are the lowest; those of a late upload go with a later turn. */
async function deleteDetails(engine: Engine, beforeUs: number, limit: number): Promise<number> {
  let deleted = 0;
  for (const table of ["result_details", "result_assets"] as const) {
    for (let more = true; more && deleted < limit; ) {
      const wanted = Math.min(chunk, limit - deleted);
      const oldest = await engine.reads.selectFrom(table).select(["id", "started_at_us"]).orderBy("id").limit(wanted).execute();
      const old = oldest.filter((row) => row.started_at_us < beforeUs).map((row) => row.id);
      if (old.length > 0) await engine.db.deleteFrom(table).where(engine.isAny("id", old)).execute();
      deleted += old.length;
      more = old.length === wanted;
    }
  }
  return deleted;
}

/** Numbers grow with time, so the oldest sessions are the lowest numbers. */
async function deleteSessions(engine: Engine, olderThanMs: number, limit: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const oldest = await engine.reads.selectFrom("sessions").select(["no", "run_at"]).orderBy("no").limit(Math.min(chunk, limit)).execute();
    const old = oldest.filter((row) => row.run_at < olderThanMs).map((row) => row.no);
    if (old.length === 0) return deleted;
    await engine.db.deleteFrom("sessions").where(engine.isAny("no", old)).execute();
    deleted += old.length;
    if (old.length < oldest.length || deleted >= limit) return deleted;
  }
}
