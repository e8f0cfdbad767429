import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { UserStore } from "../../storage.ts";
import { emailKey, userOf } from "./user-rows.ts";

export function userStore(engine: Engine): UserStore {
  const { db, reads } = engine;
  return {
    async byEmail(email) {
      const row = await reads.selectFrom("users").selectAll().where("email_key", "=", emailKey(email)).executeTakeFirst();
      return row && userOf(row);
    },
    async setPassword(userId, passwordHash) {
      await engine.transaction((trx) => replacePassword(trx, userId, passwordHash));
    },
    async rename(userId, name) {
      await db.updateTable("users").set({ name }).where("id", "=", userId).execute();
    },
  };
}

/** What the old one opened ends with it, and so does a link that would set another one. */
export async function replacePassword(trx: Trx, userId: number, passwordHash: string) {
  await trx.deleteFrom("sign_ins").where("user_id", "=", userId).execute();
  await trx.deleteFrom("half_sign_ins").where("user_id", "=", userId).execute();
  await trx.deleteFrom("password_resets").where("user_id", "=", userId).execute();
  const user = trx.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", userId);
  return user.returningAll().executeTakeFirstOrThrow();
}
