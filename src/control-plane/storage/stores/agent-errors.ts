import { type Selectable, sql } from "kysely";
import type { AgentErrorRow, AgentErrorStore, ReportedAgentErrors } from "../agent-error-store.ts";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";

/** Of one location. Past it those go that were not seen for longest: no agent can fill the table. */
const maxErrors = 500;

export function agentErrorStore(engine: Engine): AgentErrorStore {
  const { db, reads } = engine;
  return {
    add: (reported) => add(engine, reported),
    async list(accountId, locationId, { page, limit }) {
      const all = reads.selectFrom("agent_errors").where("account_id", "=", accountId).where("location_id", "=", locationId);
      const { total } = await all.select((eb) => eb.fn.countAll<number>().as("total")).executeTakeFirstOrThrow();
      const rows = await all
        .selectAll()
        .orderBy("last_seen", "desc")
        .orderBy("id", "desc")
        .limit(limit)
        .offset((page - 1) * limit)
        .execute();
      return { items: rows.map(errorOf), total: Number(total) };
    },
    async prune(olderThanMs, limit) {
      const oldest = await reads
        .selectFrom("agent_errors")
        .select("id")
        .where("last_seen", "<", olderThanMs)
        .orderBy("last_seen")
        .limit(limit)
        .execute();
      const ids = oldest.map(({ id }) => id);
      // Seen again in this moment, it stays.
      const expired = db.deleteFrom("agent_errors").where(engine.isAny("id", ids)).where("last_seen", "<", olderThanMs);
      if (ids.length > 0) await expired.execute();
      return ids.length;
    },
  };
}

async function add(engine: Engine, { errors, ...by }: ReportedAgentErrors): Promise<void> {
  if (errors.length === 0) return;
  // In order of their hashes, so that two reports of the same errors do not wait for each other.
  const values = errors.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)).map((error) => valuesOf(by, error));
  await engine.transaction(async (trx) => {
    await trx
      .insertInto("agent_errors")
      .values(values)
      .onConflict((same) =>
        same.columns(["location_id", "hash"]).doUpdateSet({
          last_seen: sql`excluded.last_seen`,
          agent_id: sql`excluded.agent_id`,
          count: sql`agent_errors.count + excluded.count`,
        }),
      )
      .execute();
    const over = await trx
      .selectFrom("agent_errors")
      .select("id")
      .where("location_id", "=", by.locationId)
      .orderBy("last_seen", "desc")
      .orderBy("id", "desc")
      .limit(maxErrors)
      .offset(maxErrors)
      .execute();
    const ids = over.map(({ id }) => id);
    if (ids.length > 0) await trx.deleteFrom("agent_errors").where(engine.isAny("id", ids)).execute();
  });
}

function valuesOf(
  { accountId, locationId, agentId, nowMs }: Omit<ReportedAgentErrors, "errors">,
  { hash, message, stack, agentVersion, platform, runtimeVersion, count }: ReportedAgentErrors["errors"][number],
): Omit<Selectable<Tables["agent_errors"]>, "id"> {
  return {
    account_id: accountId,
    location_id: locationId,
    hash,
    message,
    stack,
    agent_version: agentVersion,
    platform,
    runtime_version: runtimeVersion,
    agent_id: agentId,
    first_seen: nowMs,
    last_seen: nowMs,
    count,
  };
}

function errorOf(row: Selectable<Tables["agent_errors"]>): AgentErrorRow {
  return {
    id: row.id,
    message: row.message,
    stack: row.stack,
    agentVersion: row.agent_version,
    platform: row.platform,
    runtimeVersion: row.runtime_version,
    agentId: row.agent_id,
    firstSeenMs: row.first_seen,
    lastSeenMs: row.last_seen,
    count: row.count,
  };
}
