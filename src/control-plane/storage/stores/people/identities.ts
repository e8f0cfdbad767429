import type { Engine } from "../../engine.ts";
import type { IdentityStore } from "../../storage.ts";
import { userOf } from "./user-rows.ts";

export function identityStore(engine: Engine): IdentityStore {
  const { reads } = engine;
  return {
    async user({ issuer, subject }) {
      const row = await reads
        .selectFrom("user_identities as i")
        .innerJoin("users as u", "u.id", "i.user_id")
        .selectAll("u")
        .where("i.issuer", "=", issuer)
        .where("i.subject", "=", subject)
        .executeTakeFirst();
      return row && userOf(row);
    },
    async ofUser(userId) {
      return reads.selectFrom("user_identities").select(["issuer", "subject"]).where("user_id", "=", userId).orderBy("issuer").execute();
    },
    connect: (userId, { issuer, subject }, nowMs) =>
      engine.transaction(async (trx) => {
        await trx.deleteFrom("user_identities").where("user_id", "=", userId).where("issuer", "=", issuer).execute();
        await trx.insertInto("user_identities").values({ user_id: userId, issuer, subject, created_at: nowMs }).execute();
      }),
    disconnect: (userId) =>
      engine.transaction(async (trx) => {
        await trx.deleteFrom("user_identities").where("user_id", "=", userId).execute();
        await trx.deleteFrom("sign_ins").where("user_id", "=", userId).where("method", "=", "provider").execute();
      }),
  };
}
