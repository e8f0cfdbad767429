import { randomUUID } from "node:crypto";
import type { Kysely, Selectable } from "kysely";
import { dataCenterLocations } from "#contract/locations.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { Engine } from "../engine.ts";
import { noMemory } from "../memory.ts";
import type { Tables } from "../schema.ts";
import type { LocationRow, LocationStore } from "../storage.ts";
import { queueHistory, sampleQueues } from "./queues.ts";

export function locationStore(engine: Engine): LocationStore {
  const { db, reads } = engine;
  const live = () => reads.selectFrom("locations").selectAll().where("removed_at", "is", null);
  return {
    async create(location) {
      engine.memory.forget("locations");
      return createLocation(db, location);
    },
    async list(accountId) {
      return (await live().where("account_id", "=", accountId).orderBy("id").execute()).map(locationOf);
    },
    async byUuid(accountId, uuid) {
      const row = await live().where("account_id", "=", accountId).where("uuid", "=", uuid).executeTakeFirst();
      return row && locationOf(row);
    },
    async byId(id) {
      const row = await live().where("id", "=", id).executeTakeFirst();
      return row && locationOf(row);
    },
    async byCodes(accountId, codes) {
      if (codes.length === 0) return [];
      const rows = live()
        .where("code", "in", [...codes])
        .where((eb) => eb.or([eb("account_id", "=", accountId), eb("account_id", "is", null)]))
        .orderBy("id");
      // Until the end of a joint transaction none of them goes; alone a lock would end with the statement.
      const isAlone = engine.memory === noMemory;
      const kept = async () => (await (isAlone ? rows : engine.keepRows(rows)).execute()).map(locationOf);
      return engine.memory.recall("locations", JSON.stringify([accountId, codes]), kept);
    },
    async dataCenter(code) {
      const row = await live().where("account_id", "is", null).where("code", "=", code).executeTakeFirst();
      return row && locationOf(row);
    },
    async servedDataCenters() {
      const withKey = reads.selectFrom("keys").select("location_id").where("location_id", "is not", null);
      const rows = await live().where("account_id", "is", null).where("id", "in", withKey).orderBy("code").execute();
      return rows.map(({ code }) => code);
    },
    update: (accountId, uuid, change) => updateLocation(engine, accountId, uuid, change),
    users: (locationId, atMost) => usersOf(reads, locationId, atMost),
    remove: (accountId, uuid) => removeLocation(engine, accountId, uuid),
    sampleQueues: (nowMs, keepMs) => sampleQueues(engine, nowMs, keepMs),
    queueHistory: (locationId, fromMs, toMs) => queueHistory(reads, locationId, fromMs, toMs),
  };
}

async function updateLocation(
  { db, memory }: Engine,
  ...[accountId, uuid, { name, icon, proxyUrl, hostLimit, nowMs }]: Parameters<LocationStore["update"]>
): Promise<LocationRow | undefined> {
  memory.forget("locations");
  const row = await db
    .updateTable("locations")
    .set({
      name,
      updated_at: nowMs,
      ...(icon === undefined ? {} : { icon }),
      ...(proxyUrl === undefined ? {} : { proxy_url: proxyUrl }),
      ...(hostLimit === undefined ? {} : { host_limit: hostLimit }),
    })
    .where("account_id", "=", accountId)
    .where("uuid", "=", uuid)
    .where("removed_at", "is", null)
    .returningAll()
    .executeTakeFirst();
  return row && locationOf(row);
}

async function createLocation(db: Kysely<Tables>, location: Parameters<LocationStore["create"]>[0]): Promise<LocationRow> {
  const { accountId, uuid, code, name, icon, proxyUrl, hostLimit = null, nowMs } = location;
  const values = { uuid, account_id: accountId, code, name, icon, proxy_url: proxyUrl, host_limit: hostLimit, created_at: nowMs };
  try {
    return locationOf(await db.insertInto("locations").values(values).returningAll().executeTakeFirstOrThrow());
  } catch (cause) {
    if (hasCode(cause, "conflict")) throw new AppError("conflict", `a private location with the slug "${code}" exists`, { cause });
    throw cause;
  }
}

/** Data centers are rows like private locations, so that keys, agents and queues need no second case. */
export async function ensureDataCenters(db: Kysely<Tables>, nowMs: number): Promise<void> {
  const rows = Object.entries(dataCenterLocations).map(([code, name]) => ({
    uuid: randomUUID(),
    account_id: null,
    code,
    name,
    icon: "globe",
    created_at: nowMs,
  }));
  await db
    .insertInto("locations")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function usersOf(db: Kysely<Tables>, locationId: number, atMost: number) {
  const [checks, groups] = await Promise.all([
    db
      .selectFrom("check_locations")
      .innerJoin("checks", "checks.id", "check_locations.check_id")
      .select("checks.uuid")
      .where("check_locations.location_id", "=", locationId)
      .orderBy("check_locations.check_id")
      .limit(atMost)
      .execute(),
    db.selectFrom("group_locations").select("group_id").where("location_id", "=", locationId).orderBy("group_id").limit(atMost).execute(),
  ]);
  return { checks: checks.map(({ uuid }) => uuid), groups: groups.map(({ group_id: id }) => id) };
}

/** The row stays, marked: results still name it. Its keys and agents' sessions end. */
async function removeLocation(engine: Engine, accountId: number, uuid: string): Promise<boolean> {
  engine.memory.forget("locations");
  return engine.transaction(async (trx) => {
    const location = await engine
      .lockReferredRows(
        trx
          .selectFrom("locations")
          .select("id")
          .where("account_id", "=", accountId)
          .where("uuid", "=", uuid)
          .where("removed_at", "is", null),
      )
      .executeTakeFirst();
    if (!location) return false;
    for (const [table, user] of [
      ["check_locations", "a check"],
      ["group_locations", "a check group"],
    ] as const) {
      const use = await trx.selectFrom(table).select("location_id").where("location_id", "=", location.id).limit(1).executeTakeFirst();
      if (use) throw new AppError("conflict", `the private location is in use by ${user}`);
    }
    await trx.deleteFrom("keys").where("location_id", "=", location.id).execute();
    await trx.deleteFrom("agent_sessions").where("location_id", "=", location.id).execute();
    await trx
      .updateTable("locations")
      .set((eb) => ({ removed_at: eb.ref("created_at") }))
      .where("id", "=", location.id)
      .execute();
    return true;
  });
}

function locationOf(row: Selectable<Tables["locations"]>): LocationRow {
  return {
    id: row.id,
    uuid: row.uuid,
    accountId: row.account_id,
    code: row.code,
    name: row.name,
    icon: row.icon,
    proxyUrl: row.proxy_url,
    hostLimit: row.host_limit,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    lastSeenAtMs: row.last_seen_at,
  };
}
