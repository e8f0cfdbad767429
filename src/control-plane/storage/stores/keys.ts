import type { Selectable } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import type { KeyRow, KeyStore } from "../storage.ts";
import { addPlaces, countNewNetworks } from "./key-places.ts";

const accountKinds = ["user", "service"] as const;

export function keyStore(engine: Engine): KeyStore {
  const { db, reads } = engine;
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
          name: key.name,
          created_at: key.createdAtMs,
          updated_at: null,
          last_used_at: null,
          expires_at: key.expiresAtMs,
          networks: key.networks === null ? null : JSON.stringify(key.networks),
          scopes: key.scopes === null ? null : JSON.stringify(key.scopes),
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
    async ofAccount(accountId) {
      const ofAccount = reads.selectFrom("keys").selectAll().where("account_id", "=", accountId).where("kind", "in", accountKinds);
      return (await ofAccount.orderBy("created_at").orderBy("id").execute()).map(keyOf);
    },
    revoke: (accountId, keyId) => revoke(engine, accountId, keyId),
    async markUsed(uses) {
      await engine.transaction((trx) => engine.updateMany(trx, "keys", 1, useColumns, [...uses]));
    },
    addPlaces: (places) => addPlaces(engine, places),
    countNewNetworks: (keyId, networks) => countNewNetworks(engine, keyId, networks),
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

const useColumns = { id: "text", last_used_at: "int8" } as const;

/** The account's OWNER keys are locked, so that of two calls that revoke the last two one is refused. */
function revoke(engine: Engine, accountId: number, keyId: string): Promise<string | undefined> {
  return engine.transaction(async (trx) => {
    const ofAccount = trx.selectFrom("keys").selectAll().where("account_id", "=", accountId).where("kind", "in", accountKinds);
    const owners = await engine.lockRows(ofAccount.where("role", "=", "OWNER").orderBy("id")).execute();
    const key = await engine.lockRows(ofAccount.where("id", "=", keyId)).executeTakeFirst();
    if (key === undefined) return undefined;
    if (key.role === "OWNER" && owners.every(({ id }) => id === keyId))
      throw new AppError("conflict", "This is the account's last OWNER key; issue another one first");
    await trx.deleteFrom("keys").where("id", "=", keyId).execute();
    return key.hash;
  });
}

export function keyOf(row: Selectable<Tables["keys"]>): KeyRow {
  return {
    id: row.id,
    kind: row.kind,
    accountId: row.account_id,
    locationId: row.location_id,
    role: row.role,
    maskedKey: row.masked_key,
    name: row.name,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    lastUsedAtMs: row.last_used_at,
    expiresAtMs: row.expires_at,
    networks: texts(row.networks),
    scopes: texts(row.scopes),
  };
}

function texts(stored: string | null): readonly string[] | null {
  return stored === null ? null : (JSON.parse(stored) as readonly string[]); // as `create` wrote it
}
