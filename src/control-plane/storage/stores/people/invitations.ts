import type { Selectable } from "kysely";
import type { Engine } from "../../engine.ts";
import type { Tables, Trx } from "../../schema.ts";
import type { InvitationRow, InvitationStore, UserRow } from "../../storage.ts";
import { emailKey, userOf, userValues } from "./user-rows.ts";

export function invitationStore(engine: Engine): InvitationStore {
  const { db, reads } = engine;
  const pending = (nowMs: number) => reads.selectFrom("invitations").selectAll().where("expires_at", ">", nowMs);
  return {
    async create({ uuid, accountId, tokenHash, email, role, createdAtMs, expiresAtMs }) {
      const rest = { uuid, token_hash: tokenHash, email, role, created_at: createdAtMs, expires_at: expiresAtMs };
      await db
        .insertInto("invitations")
        .values({ ...rest, account_id: accountId, email_key: emailKey(email) })
        .onConflict((same) => same.columns(["account_id", "email_key"]).doUpdateSet(rest))
        .execute();
    },
    async list(accountId, nowMs) {
      return (await pending(nowMs).where("account_id", "=", accountId).orderBy("email_key").execute()).map(invitationOf);
    },
    async byTokenHash(tokenHash, nowMs) {
      const row = await pending(nowMs).where("token_hash", "=", tokenHash).executeTakeFirst();
      return row && invitationOf(row);
    },
    async remove(accountId, uuid) {
      const gone = db.deleteFrom("invitations").where("account_id", "=", accountId).where("uuid", "=", uuid);
      return (await gone.executeTakeFirst()).numDeletedRows > 0n;
    },
    accept: (tokenHash, user, nowMs, identity) =>
      engine.transaction(async (trx) => {
        const member = await accept(trx, tokenHash, user, nowMs);
        const row = identity && member && { ...identity, user_id: member.id, created_at: nowMs };
        if (row !== undefined) await trx.insertInto("user_identities").values(row).execute();
        return member;
      }),
    async prune(nowMs, limit) {
      const expired = await reads.selectFrom("invitations").select("uuid").where("expires_at", "<=", nowMs).limit(limit).execute();
      const ids = expired.map(({ uuid }) => uuid);
      if (ids.length > 0) await db.deleteFrom("invitations").where(engine.isAny("uuid", ids)).execute();
      return ids.length;
    },
  };
}

/** Who deletes the invitation has it: of two at once the second one finds none. */
async function accept(
  trx: Trx,
  tokenHash: string,
  user: Parameters<InvitationStore["accept"]>[1],
  nowMs: number,
): Promise<UserRow | undefined> {
  const taken = trx.deleteFrom("invitations").where("token_hash", "=", tokenHash).where("expires_at", ">", nowMs);
  const invitation = await taken.returningAll().executeTakeFirst();
  if (invitation === undefined) return undefined;
  const member =
    "id" in user ? user : userOf(await trx.insertInto("users").values(userValues(user)).returningAll().executeTakeFirstOrThrow());
  const { account_id, role } = invitation;
  await trx.insertInto("memberships").values({ account_id, role, user_id: member.id, created_at: nowMs }).execute();
  return member;
}

function invitationOf(row: Selectable<Tables["invitations"]>): InvitationRow {
  return {
    uuid: row.uuid,
    accountId: row.account_id,
    email: row.email,
    role: row.role,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
  };
}
