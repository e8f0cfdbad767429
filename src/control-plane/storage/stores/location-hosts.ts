import { randomUUID } from "node:crypto";
import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { LocationHostRow, LocationHostStore } from "../location-host-store.ts";
import type { Tables } from "../schema.ts";

/** Of one location: nobody can fill the table. */
const mostHosts = 200;

export function locationHostStore(engine: Engine): LocationHostStore {
  const { db, reads } = engine;
  return {
    arrive: (locationId, from) => arrive(engine, locationId, from),
    async list(locationId) {
      const rows = await reads
        .selectFrom("location_hosts")
        .selectAll()
        .where("location_id", "=", locationId)
        .orderBy("last_seen_at", "desc")
        .execute();
      return [...rows.filter(isWaiting), ...rows.filter((row) => !isWaiting(row))].map(hostOf);
    },
    decide: (locationId, uuid, state) =>
      engine.transaction(async (trx) => {
        const row = await trx
          .updateTable("location_hosts")
          .set({ state })
          .where("location_id", "=", locationId)
          .where("uuid", "=", uuid)
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined && state === "refused")
          await trx.deleteFrom("agent_sessions").where("location_id", "=", locationId).where("network", "=", row.network).execute();
        return row && hostOf(row);
      }),
    async remove(locationId, uuid) {
      const { numDeletedRows } = await db
        .deleteFrom("location_hosts")
        .where("location_id", "=", locationId)
        .where("uuid", "=", uuid)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

/**
 * The location's row is locked: its limit counts for all that come at once. Where the table is full, the host goes that waited longest; one that was
 * admitted, too, where the location admits every host anyway. What was decided stays.
 */
function arrive(engine: Engine, locationId: number, { network, name, nowMs }: Parameters<LocationHostStore["arrive"]>[1]) {
  return engine.transaction(async (trx) => {
    const seen = await trx
      .updateTable("location_hosts")
      .set({ last_seen_at: nowMs, name })
      .where("location_id", "=", locationId)
      .where("network", "=", network)
      .returningAll()
      .executeTakeFirst();
    if (seen !== undefined) return hostOf(seen);
    const location = await engine
      .lockRows(trx.selectFrom("locations").select(["id", "host_limit"]).where("id", "=", locationId))
      .executeTakeFirstOrThrow();
    const hosts = await trx
      .selectFrom("location_hosts")
      .selectAll()
      .where("location_id", "=", locationId)
      .orderBy("last_seen_at")
      .execute();
    const met = hosts.find((host) => host.network === network); // came between the two
    if (met !== undefined) return hostOf(met);
    const admitted = hosts.filter(isAdmitted).length;
    const state = location.host_limit === null || admitted < location.host_limit ? ("admitted" as const) : ("waiting" as const);
    if (hosts.length >= mostHosts) {
      const spare = hosts.find(isWaiting) ?? (location.host_limit === null ? hosts.find(isAdmitted) : undefined);
      if (spare === undefined) return undefined;
      await trx.deleteFrom("location_hosts").where("uuid", "=", spare.uuid).execute();
    }
    const made = { uuid: randomUUID(), location_id: locationId, network, name, state, first_seen_at: nowMs, last_seen_at: nowMs };
    await trx.insertInto("location_hosts").values(made).execute();
    return hostOf(made);
  });
}

type HostState = Pick<Selectable<Tables["location_hosts"]>, "state">;

function isAdmitted({ state }: HostState): boolean {
  return state === "admitted";
}

function isWaiting({ state }: HostState): boolean {
  return state === "waiting";
}

function hostOf(row: Selectable<Tables["location_hosts"]>): LocationHostRow {
  const { uuid, network, name, state } = row;
  return { uuid, network, name, state, firstSeenMs: row.first_seen_at, lastSeenMs: row.last_seen_at };
}
