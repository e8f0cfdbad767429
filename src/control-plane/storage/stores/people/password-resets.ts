import type { Engine } from "../../engine.ts";
import type { PasswordResetStore } from "../../storage.ts";
import { userOf } from "./user-rows.ts";
import { replacePassword } from "./users.ts";

export function passwordResetStore(engine: Engine): PasswordResetStore {
  const { db, reads } = engine;
  return {
    async create({ userId, tokenHash, createdAtMs, expiresAtMs }, notSinceMs) {
      const rest = { token_hash: tokenHash, created_at: createdAtMs, expires_at: expiresAtMs };
      const row = await db
        .insertInto("password_resets")
        .values({ ...rest, user_id: userId })
        .onConflict((same) => same.column("user_id").doUpdateSet(rest).where("password_resets.created_at", "<=", notSinceMs))
        .returning("user_id")
        .executeTakeFirst();
      return row !== undefined;
    },
    async byTokenHash(tokenHash, nowMs) {
      const row = await reads
        .selectFrom("password_resets as r")
        .innerJoin("users as u", "u.id", "r.user_id")
        .selectAll("u")
        .where("r.token_hash", "=", tokenHash)
        .where("r.expires_at", ">", nowMs)
        .executeTakeFirst();
      return row && userOf(row);
    },
    use: (tokenHash, passwordHash, nowMs) =>
      engine.transaction(async (trx) => {
        // Who deletes it has it: of two at once the second one finds none.
        const taken = trx.deleteFrom("password_resets").where("token_hash", "=", tokenHash).where("expires_at", ">", nowMs);
        const reset = await taken.returning("user_id").executeTakeFirst();
        return reset && userOf(await replacePassword(trx, reset.user_id, passwordHash));
      }),
    async prune(nowMs, limit) {
      const old = await reads.selectFrom("password_resets").select("user_id").where("expires_at", "<=", nowMs).limit(limit).execute();
      const ids = old.map(({ user_id: id }) => id);
      // Asked again in this moment, it stays.
      const gone = db.deleteFrom("password_resets").where(engine.isAny("user_id", ids)).where("expires_at", "<=", nowMs);
      if (ids.length > 0) await gone.execute();
      return ids.length;
    },
  };
}
