import type { Engine } from "../engine.ts";

/** Rows of one short transaction. */
const chunk = 5_000;

/** Numbers grow with time, so the oldest events are the lowest numbers. See `HeartbeatStore.prune`. */
export async function deleteEvents(engine: Engine, olderThanMs: number, limit: number): Promise<{ deleted: number; more: boolean }> {
  for (let deleted = 0; ; ) {
    const wanted = Math.min(chunk, limit - deleted);
    if (wanted <= 0) return { deleted, more: true };
    const oldest = await engine.reads.selectFrom("heartbeat_events").select(["id", "at_ms"]).orderBy("id").limit(wanted).execute();
    const old = oldest.filter((row) => row.at_ms < olderThanMs).map((row) => row.id);
    if (old.length > 0) await engine.db.deleteFrom("heartbeat_events").where(engine.isAny("id", old)).execute();
    deleted += old.length;
    if (old.length < wanted) return { deleted, more: false };
  }
}

/** Events of a check that is gone. @returns how many went; less than `limit`: none is left */
export async function deleteEventsOf(engine: Engine, checkId: number, limit: number): Promise<number> {
  for (let deleted = 0; ; ) {
    const wanted = Math.min(chunk, limit - deleted);
    if (wanted <= 0) return deleted;
    const rows = await engine.reads.selectFrom("heartbeat_events").select("id").where("check_id", "=", checkId).limit(wanted).execute();
    const ids = rows.map((row) => row.id);
    if (ids.length > 0) await engine.db.deleteFrom("heartbeat_events").where(engine.isAny("id", ids)).execute();
    deleted += ids.length;
    if (ids.length < wanted) return deleted;
  }
}
