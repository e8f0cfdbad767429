import type { Engine } from "../engine.ts";
import type { KeyPlace } from "../storage.ts";
import { auditValues } from "./audit-log.ts";

/** Of one key. Past it the oldest go: whoever holds a key cannot fill the table. */
const mostPlaces = 1_000;
/** Rows of the audit log that one statement takes. */
const entriesAtOnce = 200;

export function addPlaces(engine: Engine, places: readonly KeyPlace[]): Promise<readonly KeyPlace[]> {
  return engine.transaction(async (trx) => {
    const keyIds = [...new Set(places.map(({ keyId }) => keyId))].toSorted();
    const kept = new Set(
      (await engine.keepRows(trx.selectFrom("keys").select("id").where(engine.isAny("id", keyIds))).execute()).map(({ id }) => id),
    );
    const values = places
      .filter(({ keyId }) => kept.has(keyId))
      .map(({ keyId, network, atMs }) => ({ key_id: keyId, network, first_used_at: atMs }));
    if (values.length === 0) return [];
    const added = await trx
      .insertInto("key_places")
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .execute();
    for (const keyId of new Set(added.map(({ key_id }) => key_id))) {
      const oldest = trx
        .selectFrom("key_places")
        .select("network")
        .where("key_id", "=", keyId)
        .orderBy("first_used_at", "desc")
        .limit(1)
        .offset(mostPlaces - 1);
      const { first_used_at: since } =
        (await trx
          .selectFrom("key_places")
          .select("first_used_at")
          .where("key_id", "=", keyId)
          .where("network", "=", oldest)
          .executeTakeFirst()) ?? {};
      if (since !== undefined) await trx.deleteFrom("key_places").where("key_id", "=", keyId).where("first_used_at", "<", since).execute();
    }
    const isNew = new Set(added.map(({ key_id, network }) => `${key_id} ${network}`));
    const news = places.filter(({ keyId, network }) => isNew.has(`${keyId} ${network}`));
    const entries = news.flatMap(({ entry }) => (entry === null ? [] : [auditValues(entry)]));
    for (let from = 0; from < entries.length; from += entriesAtOnce) {
      const values = entries.slice(from, from + entriesAtOnce);
      await trx.insertInto("audit_log").values(values).execute();
    }
    return news;
  });
}

export async function countNewNetworks(engine: Engine, keyId: string, networks: readonly string[]): Promise<number> {
  const { known } = await engine.reads
    .selectFrom("key_places")
    .select(({ fn }) => fn.countAll<number>().as("known"))
    .where("key_id", "=", keyId)
    .where(engine.isAny("network", networks))
    .executeTakeFirstOrThrow();
  return networks.length - Number(known);
}
