import { type Kysely, sql } from "kysely";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { QueueDepth } from "../work-stores.ts";

interface LocationQueue extends QueueDepth {
  readonly code: string;
}

/** Jobs by location; those that may not be leased yet are left out. */
export async function queueDepths({ reads, clock }: Engine, nowMs: number): Promise<readonly QueueDepth[]> {
  const rows = await reads
    .selectFrom("jobs")
    .select([
      "location_id",
      sql<number>`sum(case when agent_session is null then 1 else 0 end)`.as("queued"),
      sql<number>`count(agent_session)`.as("leased"),
      sql<number | null>`min(case when agent_session is null then due_at end)`.as("oldest"),
    ])
    .where("not_before", "<=", clock.waitMs(nowMs))
    .groupBy("location_id")
    .orderBy("location_id")
    .execute();
  return rows.map((row) => ({ locationId: row.location_id, queued: row.queued, leased: row.leased, oldestDueMs: row.oldest }));
}

/** The queue of each location that a check, an agent or a job names, also when it is empty; two accounts may use one code. */
export async function locationQueues(engine: Engine, nowMs: number): Promise<readonly LocationQueue[]> {
  const depths = new Map((await queueDepths(engine, nowMs)).map((depth) => [depth.locationId, depth]));
  const named = await engine.reads
    .selectFrom("locations")
    .select(["id", "code"])
    .where((eb) =>
      eb.or([
        eb.exists(eb.selectFrom("check_locations").select("location_id").whereRef("location_id", "=", "locations.id")),
        eb.exists(eb.selectFrom("agent_sessions").select("location_id").whereRef("location_id", "=", "locations.id")),
        engine.isAny("id", [...depths.keys()]),
      ]),
    )
    .orderBy("id")
    .execute();
  return named.map(({ id, code }) => ({ code, ...(depths.get(id) ?? { locationId: id, queued: 0, leased: 0, oldestDueMs: null }) }));
}

/** One sample of each queue; older ones go. */
export async function sampleQueues(engine: Engine, nowMs: number, keepMs: number): Promise<void> {
  const rows = (await locationQueues(engine, nowMs)).map(({ locationId, queued, oldestDueMs }) => {
    const oldestSeconds = oldestDueMs === null ? 0 : Math.max(0, Math.round((nowMs - oldestDueMs) / 1_000));
    return [locationId, nowMs, queued, oldestSeconds];
  });
  const columns = { location_id: "int8", at_ms: "int8", queue_size: "int8", oldest_seconds: "int8" } as const;
  await engine.transaction(async (trx) => {
    await engine.insertMany(trx, "queue_samples", columns, rows, "on conflict do nothing");
    await trx
      .deleteFrom("queue_samples")
      .where("location_id", "in", (eb) => eb.selectFrom("locations").select("id")) // so that it goes by the primary key
      .where("at_ms", "<", nowMs - keepMs)
      .execute();
  });
}

export async function queueHistory(
  db: Kysely<Tables>,
  locationId: number,
  fromMs: number,
  toMs: number,
): Promise<readonly { atMs: number; queueSize: number; oldestSeconds: number }[]> {
  const rows = await db
    .selectFrom("queue_samples")
    .selectAll()
    .where("location_id", "=", locationId)
    .where("at_ms", ">=", fromMs)
    .where("at_ms", "<", toMs)
    .orderBy("at_ms")
    .execute();
  return rows.map((row) => ({ atMs: row.at_ms, queueSize: row.queue_size, oldestSeconds: row.oldest_seconds }));
}
