import {
  type AccountInvite,
  type AccountMember,
  type AccountMembersQuery,
  deleteMember,
  deleteOwnMember,
  listMembers,
  listOwnMembers,
  updateMember,
  updateOwnMember,
} from "#contract/account-members.ts";
import { AppError } from "#domain/app-error.ts";
import { roleIncludes } from "#domain/key.ts";
import { type AccountCaller, type Handler, handler } from "../http/handler.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { AccountRow, InvitationRow, InvitationStore, MemberRow, MemberStore, Role } from "../storage/storage.ts";

export interface MemberDeps {
  readonly members: Pick<MemberStore, "list" | "find" | "changeRole" | "remove">;
  readonly invitations: Pick<InvitationStore, "list">;
  readonly nowMs: () => number;
}

export function memberHandlers(deps: MemberDeps): readonly Handler[] {
  return [
    handler(listOwnMembers, ({ query }, { caller }) => list(deps, caller, query)),
    handler(listMembers, ({ params, query }, { caller }) => list(deps, own(caller, params.accountId), query)),
    handler(updateOwnMember, ({ params, body }, { caller }) => update(deps, caller, params.userId, body.role)),
    handler(updateMember, ({ params, body }, { caller }) => update(deps, own(caller, params.accountId), params.userId, body.role)),
    handler(deleteOwnMember, ({ params }, { caller }) => remove(deps, caller, params.userId)),
    handler(deleteMember, ({ params }, { caller }) => remove(deps, own(caller, params.accountId), params.userId)),
  ];
}

/** @throws {AppError} not_found for any other account */
function own(caller: AccountCaller, accountId: string): AccountCaller {
  if (caller.account.uuid !== accountId.toLowerCase()) throw notFound("account", accountId);
  return caller;
}

const mostEntries = 100;

async function list({ members, invitations, nowMs }: MemberDeps, { account }: AccountCaller, query: AccountMembersQuery) {
  const { search, type, role, status, limit = mostEntries, nextId } = query;
  const all: readonly (AccountMember | AccountInvite)[] = [
    ...(await members.list(account.id)).map((row) => memberView(account, row)),
    ...(await invitations.list(account.id, nowMs())).map((row) => invitationView(account, row)),
  ];
  const text = search?.toLowerCase();
  const wanted = all.filter(
    (one) =>
      (type === undefined || one.type === type) &&
      (role === undefined || one.role === role) &&
      (status === undefined || one.status === status) &&
      (text === undefined || `${"name" in one ? one.name : ""}\n${one.email}`.toLowerCase().includes(text)),
  );
  const start = nextId === undefined ? 0 : wanted.findIndex((one) => idOf(one) === nextId);
  const page = start === -1 ? [] : wanted.slice(start, start + limit);
  const next = start === -1 ? undefined : wanted[start + limit];
  return { members: page, length: page.length, nextId: next === undefined ? null : idOf(next) };
}

function idOf(one: AccountMember | AccountInvite): string {
  return one.type === "member" ? one.userId : one.id;
}

async function update({ members }: MemberDeps, { account, role: mine }: AccountCaller, userId: string, role: Role): Promise<AccountMember> {
  const member = await found(members, account, userId);
  refuseAbove(mine, role);
  refuseAbove(mine, member.role);
  if (!(await members.changeRole(account.id, member.uuid, role))) throw notFound("member", userId);
  return memberView(account, { ...member, role });
}

async function remove({ members }: MemberDeps, { account, role: mine }: AccountCaller, userId: string): Promise<undefined> {
  const member = await found(members, account, userId);
  refuseAbove(mine, member.role);
  if (!(await members.remove(account.id, member.uuid))) throw notFound("member", userId);
  return undefined;
}

/** @throws {AppError} not_found */
async function found(members: MemberDeps["members"], account: AccountRow, userId: string): Promise<MemberRow> {
  const member = await members.find(account.id, userId.toLowerCase());
  if (member === undefined) throw notFound("member", userId);
  return member;
}

/** @throws {AppError} forbidden */
function refuseAbove(mine: Role, other: Role): void {
  if (!roleIncludes(mine, other)) throw new AppError("forbidden", `The role ${mine} may neither give nor take the role ${other}`);
}

function memberView(account: AccountRow, row: MemberRow): AccountMember {
  return {
    type: "member",
    accountId: account.uuid,
    userId: row.uuid,
    name: row.name,
    email: row.email,
    role: row.role,
    status: "ACTIVE",
    createdAt: instant(row.joinedAtMs),
    updatedAt: instant(row.joinedAtMs),
    isSupportMembership: false,
    ssoEnabled: row.isConnected,
    mfaEnabled: row.hasSecondFactor,
  };
}

function invitationView(account: AccountRow, row: InvitationRow): AccountInvite {
  return {
    type: "invite",
    id: row.uuid,
    accountId: account.uuid,
    email: row.email,
    role: row.role,
    status: "PENDING",
    inviterEmail: "",
    createdAt: instant(row.createdAtMs),
    updatedAt: instant(row.createdAtMs),
    expiresAt: instant(row.expiresAtMs),
  };
}
