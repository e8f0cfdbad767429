import { AppError } from "#domain/app-error.ts";
import type { Engine } from "../../engine.ts";
import type { Trx } from "../../schema.ts";
import type { MemberRow, MemberStore, Role, UserRow } from "../../storage.ts";
import { userOf, userValues } from "./user-rows.ts";

export function memberStore(engine: Engine): MemberStore {
  const { reads } = engine;
  const members = (accountId: number) =>
    reads
      .selectFrom("memberships as m")
      .innerJoin("users as u", "u.id", "m.user_id")
      .select(["u.uuid", "u.email", "u.name", "m.role", "m.created_at as joinedAtMs"])
      .select((s) => [
        s.selectFrom("second_factors as f").select("f.is_on").whereRef("f.user_id", "=", "u.id").as("isOn"),
        s.selectFrom("user_identities as i").select("i.user_id").whereRef("i.user_id", "=", "u.id").limit(1).as("identity"),
      ])
      .where("m.account_id", "=", accountId);
  return {
    async hasOwner(accountId) {
      const owners = reads.selectFrom("memberships").select("user_id").where("account_id", "=", accountId).where("role", "=", "OWNER");
      return (await owners.limit(1).executeTakeFirst()) !== undefined;
    },
    addFirstOwner: (accountId, user) => engine.transaction((trx) => addFirstOwner(engine, trx, accountId, user)),
    async list(accountId): Promise<readonly MemberRow[]> {
      return (await members(accountId).orderBy("u.name").orderBy("u.id").execute()).map(memberOf);
    },
    async find(accountId, userUuid) {
      const row = await members(accountId).where("u.uuid", "=", userUuid).executeTakeFirst();
      return row && memberOf(row);
    },
    async ofUser(userId) {
      return reads
        .selectFrom("memberships as m")
        .innerJoin("accounts as a", "a.id", "m.account_id")
        .select(["a.id as accountId", "a.uuid as accountUuid", "a.name as accountName", "m.role"])
        .where("m.user_id", "=", userId)
        .orderBy("m.created_at")
        .orderBy("a.id")
        .execute();
    },
    changeRole: (accountId, userUuid, role) => engine.transaction((trx) => changeRole(engine, trx, accountId, userUuid, role)),
    remove: (accountId, userUuid) => engine.transaction((trx) => remove(engine, trx, accountId, userUuid)),
  };
}

function memberOf({
  isOn,
  identity,
  ...row
}: Omit<MemberRow, "hasSecondFactor" | "isConnected"> & { readonly isOn: number | null; readonly identity: number | null }): MemberRow {
  return { ...row, hasSecondFactor: isOn === 1, isConnected: identity !== null };
}

async function addFirstOwner(
  engine: Engine,
  trx: Trx,
  accountId: number,
  user: Parameters<MemberStore["addFirstOwner"]>[1],
): Promise<UserRow | undefined> {
  await engine.lockRows(trx.selectFrom("accounts").select("id").where("id", "=", accountId)).execute();
  const owners = trx.selectFrom("memberships").select("user_id").where("account_id", "=", accountId).where("role", "=", "OWNER");
  if ((await owners.executeTakeFirst()) !== undefined) return undefined;
  const row = await trx.insertInto("users").values(userValues(user)).returningAll().executeTakeFirstOrThrow();
  const membership = { account_id: accountId, user_id: row.id, role: "OWNER", created_at: user.createdAtMs } as const;
  await trx.insertInto("memberships").values(membership).execute();
  return userOf(row);
}

async function changeRole(engine: Engine, trx: Trx, accountId: number, userUuid: string, role: Role): Promise<boolean> {
  const userId = await lockedMember(engine, trx, accountId, userUuid, role === "OWNER");
  if (userId === undefined) return false;
  await trx.updateTable("memberships").set({ role }).where("account_id", "=", accountId).where("user_id", "=", userId).execute();
  return true;
}

async function remove(engine: Engine, trx: Trx, accountId: number, userUuid: string): Promise<boolean> {
  const userId = await lockedMember(engine, trx, accountId, userUuid, false);
  if (userId === undefined) return false;
  await trx.deleteFrom("memberships").where("account_id", "=", accountId).where("user_id", "=", userId).execute();
  await trx.deleteFrom("sign_ins").where("account_id", "=", accountId).where("user_id", "=", userId).execute();
  const isMember = await trx.selectFrom("memberships").select("account_id").where("user_id", "=", userId).executeTakeFirst();
  if (isMember === undefined) await trx.deleteFrom("users").where("id", "=", userId).execute();
  return true;
}

/**
 * The number of a member who is about to become something else. The account's memberships are locked, so that of two calls that take the last two
 * OWNERs one is refused.
 *
 * @throws {AppError} conflict for the last OWNER, unless an OWNER it stays
 */
async function lockedMember(
  engine: Engine,
  trx: Trx,
  accountId: number,
  userUuid: string,
  staysOwner: boolean,
): Promise<number | undefined> {
  const user = await trx.selectFrom("users").select("id").where("uuid", "=", userUuid).executeTakeFirst();
  const all = await engine
    .lockRows(trx.selectFrom("memberships").selectAll().where("account_id", "=", accountId).orderBy("user_id"))
    .execute();
  const member = all.find(({ user_id: id }) => id === user?.id);
  if (member === undefined) return undefined;
  const others = all.filter(({ user_id: id, role }) => role === "OWNER" && id !== member.user_id);
  if (member.role === "OWNER" && !staysOwner && others.length === 0)
    throw new AppError("conflict", "This is the account's last OWNER; make another member OWNER first");
  return member.user_id;
}
