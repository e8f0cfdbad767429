import type { Selectable } from "kysely";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { KeyRow, KeyStore } from "../storage.ts";

export function keyStore({ db, reads }: Engine): KeyStore {
  return {
    async create(key) {
      await db
        .insertInto("keys")
        .values({
          id: key.id,
          hash: key.hash,
          kind: key.kind,
          account_id: key.accountId,
          location_id: key.locationId,
          role: key.role,
          masked_key: key.maskedKey,
          created_at: key.createdAtMs,
          updated_at: null,
        })
        .execute();
    },
    async byHash(hash) {
      const row = await reads.selectFrom("keys").selectAll().where("hash", "=", hash).executeTakeFirst();
      return row && keyOf(row);
    },
    async ofLocation(locationId) {
      return (
        await reads.selectFrom("keys").selectAll().where("location_id", "=", locationId).orderBy("created_at").orderBy("id").execute()
      ).map(keyOf);
    },
    async remove(locationId, keyId) {
      const { numDeletedRows } = await db
        .deleteFrom("keys")
        .where("location_id", "=", locationId)
        .where("id", "=", keyId)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function keyOf(row: Selectable<Tables["keys"]>): KeyRow {
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    locationId: row.location_id,
    role: row.role,
    maskedKey: row.masked_key,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
