import type { Engine } from "../../engine.ts";

/** Rows of one short transaction: measured to hold the writer for a few tens of milliseconds. */
const chunk = 5_000;

/** Deletes results and sessions from before, then what removed checks left. See `ResultStore.prune`. */
export async function prune(engine: Engine, olderThanMs: number, limit: number): Promise<{ deleted: number; more: boolean }> {
  const beforeUs = olderThanMs * 1_000;
  const days = await engine.dropDaysBefore(beforeUs);
  let deleted = 0;
  for (const { check_id: checkId } of await engine.reads.selectFrom("removed_checks").select("check_id").execute()) {
    deleted += await deleteResults(engine, checkId, undefined, limit - deleted);
    if (deleted < limit) await engine.db.deleteFrom("removed_checks").where("check_id", "=", checkId).execute();
  }
  if (engine.kind === "sqlite") {
    for (const { id } of await engine.reads.selectFrom("checks").select("id").orderBy("id").execute()) {
      if (deleted < limit) deleted += await deleteResults(engine, id, beforeUs, limit - deleted);
    }
  }
  const sessions = await deleteSessions(engine, olderThanMs, limit);
  if (deleted > 0) await engine.compact();
  return { deleted: deleted + days, more: deleted >= limit || sessions >= limit };
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
  let query = engine.reads.selectFrom("results").select(["id", "started_at_us"]).where("check_id", "=", checkId);
  if (beforeUs !== undefined) query = query.where("started_at_us", "<", beforeUs);
  const rows = await query.orderBy("started_at_us").orderBy("id").limit(limit).execute();
  const last = rows.at(-1);
  if (!last) return 0;
  const ids = rows.map((row) => row.id);
  await engine.transaction(async (trx) => {
    await trx
      .deleteFrom("results")
      .where("check_id", "=", checkId)
      .where("started_at_us", "<=", last.started_at_us)
      .where(engine.isAny("id", ids))
      .execute();
    for (const table of ["result_details", "result_assets"] as const) await trx.deleteFrom(table).where(engine.isAny("id", ids)).execute();
    if (beforeUs === undefined) await trx.deleteFrom("rollup_dirty").where("check_id", "=", checkId).execute();
  });
  return rows.length;
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
