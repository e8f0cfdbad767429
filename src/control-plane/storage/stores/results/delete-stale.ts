import type { Engine } from "../../engine.ts";

/** Rows of one short transaction. */
const chunk = 1_000;

/**
 * Deletes error groups not seen since, but those archived for ever, which would come back as new; and test sessions from before.
 *
 * @returns how many
 */
export async function deleteStale(engine: Engine, olderThanMs: number, limit: number): Promise<number> {
  let deleted = 0;
  for (let found = chunk; found === chunk && deleted < limit; deleted += found) {
    const { db } = engine;
    const groups = db.selectFrom("error_groups").select("id").where("last_seen", "<", olderThanMs).where("archived_forever", "=", 0);
    const result = await db.deleteFrom("error_groups").where("id", "in", groups.orderBy("last_seen").limit(chunk)).executeTakeFirst();
    found = Number(result.numDeletedRows);
  }
  const old = engine.db.selectFrom("test_sessions").select("id").where("started_at", "<", olderThanMs);
  await engine.db.deleteFrom("trials").where("test_session", "in", old).execute();
  const sessions = await engine.db.deleteFrom("test_sessions").where("started_at", "<", olderThanMs).executeTakeFirst();
  return deleted + Number(sessions.numDeletedRows);
}
