import type { Selectable } from "kysely";
import type { Engine } from "../../engine.ts";
import type { Tables } from "../../schema.ts";
import type { SignInRow, SignInStore } from "../../storage.ts";
import { keyOf } from "../keys.ts";
import { userOf } from "./user-rows.ts";

export function signInStore(engine: Engine): SignInStore {
  const { db, reads, clock } = engine;
  return {
    async create({ tokenHash, accountId, userId, keyId, method, createdAtMs, seenAtMs, endsAtMs, expiresAtMs }) {
      const aheadMs = clock.waitMs(createdAtMs) - createdAtMs;
      const waits = { seen_at: seenAtMs + aheadMs, ends_at: endsAtMs + aheadMs, expires_at: expiresAtMs + aheadMs };
      const times = { created_at: createdAtMs, ...waits };
      await db
        .insertInto("sign_ins")
        .values({ token_hash: tokenHash, account_id: accountId, user_id: userId, key_id: keyId, method, ...times })
        .execute();
    },
    async byTokenHash(tokenHash, nowMs) {
      const signIn = reads
        .selectFrom("sign_ins")
        .selectAll()
        .where("token_hash", "=", tokenHash)
        .where("expires_at", ">", clock.waitMs(nowMs));
      const row = await signIn.executeTakeFirst();
      const who = row && (await whoOf(engine, row));
      return row && who && signInOf(engine, row, who);
    },
    async touch(tokenHash, { seenAtMs, expiresAtMs }) {
      const waitMs = clock.waitMs(seenAtMs);
      const times = { seen_at: waitMs, expires_at: waitMs + expiresAtMs - seenAtMs };
      await db.updateTable("sign_ins").set(times).where("token_hash", "=", tokenHash).execute();
    },
    async move(tokenHash, accountUuid) {
      const signIn = await reads.selectFrom("sign_ins").select("user_id").where("token_hash", "=", tokenHash).executeTakeFirst();
      const membership = await reads
        .selectFrom("memberships as m")
        .innerJoin("accounts as a", "a.id", "m.account_id")
        .select("a.id")
        .where("a.uuid", "=", accountUuid)
        .where("m.user_id", "=", signIn?.user_id ?? null)
        .executeTakeFirst();
      if (membership === undefined) return false;
      await db.updateTable("sign_ins").set({ account_id: membership.id }).where("token_hash", "=", tokenHash).execute();
      return true;
    },
    async remove(tokenHash) {
      await db.deleteFrom("sign_ins").where("token_hash", "=", tokenHash).execute();
    },
    async prune(nowMs, limit) {
      const waitMs = clock.waitMs(nowMs);
      const expired = await reads.selectFrom("sign_ins").select("token_hash").where("expires_at", "<=", waitMs).limit(limit).execute();
      const hashes = expired.map(({ token_hash: hash }) => hash);
      // Used again in this moment, it stays.
      const gone = db.deleteFrom("sign_ins").where(engine.isAny("token_hash", hashes)).where("expires_at", "<=", waitMs);
      if (hashes.length > 0) await gone.execute();
      return hashes.length;
    },
  };
}

type Row = Selectable<Tables["sign_ins"]>;

/** As they are now: a role that was changed counts from the next request on, in every process. */
async function whoOf({ reads }: Engine, { account_id, user_id, key_id }: Row): Promise<SignInRow["who"] | undefined> {
  if (key_id !== null) {
    const key = await reads.selectFrom("keys").selectAll().where("id", "=", key_id).executeTakeFirst();
    return key && { kind: "key", key: keyOf(key) };
  }
  const member = reads.selectFrom("memberships as m").innerJoin("users as u", "u.id", "m.user_id").selectAll("u").select("m.role");
  const row = await member.where("m.account_id", "=", account_id).where("m.user_id", "=", user_id).executeTakeFirst();
  return row && { kind: "user", user: userOf(row), role: row.role };
}

function signInOf({ clock }: Engine, row: Row, who: SignInRow["who"]): SignInRow {
  return {
    accountId: row.account_id,
    method: row.method,
    who,
    createdAtMs: row.created_at,
    seenAtMs: clock.shownMs(row.seen_at),
    endsAtMs: clock.shownMs(row.ends_at),
    expiresAtMs: clock.shownMs(row.expires_at),
  };
}
