import type { Engine } from "../../engine.ts";
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
      await engine.transaction(async (trx) => {
        await trx.updateTable("users").set({ password_hash: passwordHash }).where("id", "=", userId).execute();
        await trx.deleteFrom("sign_ins").where("user_id", "=", userId).execute();
      });
    },
    async rename(userId, name) {
      await db.updateTable("users").set({ name }).where("id", "=", userId).execute();
    },
  };
}
