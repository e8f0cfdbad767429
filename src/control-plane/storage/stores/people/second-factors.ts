import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { HalfSignInStore, SecondFactorStore } from "../../storage.ts";
import { userOf } from "./user-rows.ts";

export function secondFactorStore(engine: Engine): SecondFactorStore {
  const { db, reads } = engine;
  return {
    async ofUser(userId) {
      const row = await reads.selectFrom("second_factors").selectAll().where("user_id", "=", userId).executeTakeFirst();
      const codes = await reads.selectFrom("recovery_codes").select("code_hash").where("user_id", "=", userId).execute();
      return row && { secret: row.secret, isOn: row.is_on === 1, codesLeft: codes.length };
    },
    async begin(userId, secret) {
      const rest = { secret, last_step: 0, is_on: 0 };
      await db
        .insertInto("second_factors")
        .values({ ...rest, user_id: userId })
        .onConflict((same) => same.column("user_id").doUpdateSet(rest).where("second_factors.is_on", "=", 0))
        .execute();
    },
    turnOn: (userId, step, codeHashes) =>
      engine.transaction(async (trx) => {
        const waiting = trx
          .updateTable("second_factors")
          .set({ is_on: 1, last_step: step })
          .where("user_id", "=", userId)
          .where("is_on", "=", 0);
        if ((await waiting.executeTakeFirst()).numUpdatedRows === 0n) return false;
        await replaceCodes(trx, userId, codeHashes);
        await trx.deleteFrom("sign_ins").where("user_id", "=", userId).where("method", "=", "password").execute();
        return true;
      }),
    remove: (userId) =>
      engine.transaction(async (trx) => {
        await trx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
        await trx.deleteFrom("half_sign_ins").where("user_id", "=", userId).execute();
        const proven = trx.updateTable("sign_ins").set({ method: "password" }).where("user_id", "=", userId);
        await proven.where("method", "=", "second-factor").execute();
        return (await trx.deleteFrom("second_factors").where("user_id", "=", userId).executeTakeFirst()).numDeletedRows > 0n;
      }),
    async useStep(userId, step) {
      const later = db.updateTable("second_factors").set({ last_step: step }).where("user_id", "=", userId).where("last_step", "<", step);
      return (await later.where("is_on", "=", 1).executeTakeFirst()).numUpdatedRows > 0n;
    },
    async useCode(userId, codeHash) {
      const code = db.deleteFrom("recovery_codes").where("user_id", "=", userId).where("code_hash", "=", codeHash);
      return (await code.executeTakeFirst()).numDeletedRows > 0n;
    },
    replaceCodes: (userId, codeHashes) => engine.transaction((trx) => replaceCodes(trx, userId, codeHashes)),
  };
}

async function replaceCodes(trx: Trx, userId: number, codeHashes: readonly string[]): Promise<void> {
  await trx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  const rows = codeHashes.map((hash) => ({ user_id: userId, code_hash: hash }));
  await trx.insertInto("recovery_codes").values(rows).execute();
}

/** Expired ones go when another one is made: there are no more than people signed in within minutes. */
export function halfSignInStore({ db, reads }: Engine): HalfSignInStore {
  return {
    async create({ tokenHash, userId, expiresAtMs }, nowMs) {
      await db.deleteFrom("half_sign_ins").where("expires_at", "<=", nowMs).execute();
      await db.insertInto("half_sign_ins").values({ token_hash: tokenHash, user_id: userId, expires_at: expiresAtMs }).execute();
    },
    async byTokenHash(tokenHash, nowMs) {
      const row = await reads
        .selectFrom("half_sign_ins as h")
        .innerJoin("users as u", "u.id", "h.user_id")
        .selectAll("u")
        .where("h.token_hash", "=", tokenHash)
        .where("h.expires_at", ">", nowMs)
        .executeTakeFirst();
      return row && userOf(row);
    },
    async remove(tokenHash) {
      return (await db.deleteFrom("half_sign_ins").where("token_hash", "=", tokenHash).executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}
