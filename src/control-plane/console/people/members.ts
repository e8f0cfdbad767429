import { AppError, hasCode } from "#domain/app-error.ts";
import { roleIncludes, roleNames } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { Letters } from "../../mail/letters.ts";
import { invitationMail } from "../../mail/person-mail.ts";
import type { AccountStore, InvitationStore, MemberRow, MemberStore, Role } from "../../storage/storage.ts";
import { memberTexts as texts } from "../../texts/people.ts";
import { roleTexts } from "../../texts/roles.ts";
import { lengthText } from "../../view/units.ts";
import { isOperator } from "../accounts/account-pages.ts";
import { hasProblem } from "../form-view.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { type CountInvitation, createInvitationLimits, type TooManyInvitations } from "./invitation-limits.ts";
import { invitationHash, newInvitationToken } from "./invitation-token.ts";
import { type MembersView, membersPage } from "./members-page.ts";
import { emailProblem, typed } from "./person-fields.ts";

export interface MembersDeps {
  readonly members: Pick<MemberStore, "list" | "find" | "changeRole" | "remove">;
  readonly invitations: Pick<InvitationStore, "list" | "create" | "remove">;
  readonly accounts: Pick<AccountStore, "list">;
  readonly letters: Pick<Letters, "canSend" | "send">;
  readonly hashOf: (secret: string) => string;
  readonly publicUrl: () => string;
  readonly nowMs: () => number;
}

/** How long the link of an invitation is good for. */
const invitationMs = 7 * 86_400_000;
const access = "admin";

/** Who is in the account. Nobody gives or takes a role above his own. */
export function memberPages(deps: MembersDeps): readonly ConsolePage[] {
  const count = createInvitationLimits(deps.nowMs);
  return [
    { method: "GET", path: "/members", access, answer: (visit) => show(deps, visit, { done: visit.request.query.get("done") }) },
    { method: "POST", path: "/members/invitations", access, answer: (visit) => invite(deps, visit, count) },
    { method: "POST", path: "/members/invitations/{id}/remove", access, answer: (visit) => withdraw(deps, visit) },
    { method: "POST", path: "/members/{id}/role", access, answer: (visit) => changeRole(deps, visit) },
    { method: "POST", path: "/members/{id}/remove", access, answer: (visit) => remove(deps, visit) },
  ];
}

async function show(
  { members, invitations, accounts, nowMs }: MembersDeps,
  visit: Visit,
  view: Omit<MembersView, "members" | "invitations" | "operates">,
): Promise<FormAnswer> {
  const { id } = visit.account;
  const operates = await isOperator({ accounts }, visit);
  return membersPage(visit, { members: await members.list(id), invitations: await invitations.list(id, nowMs()), operates, ...view });
}

async function invite(deps: MembersDeps, visit: Visit, count: CountInvitation): Promise<FormAnswer> {
  const { form } = visit.request;
  const email = typed(form, "email");
  const role = roleOf(form);
  const members = await deps.members.list(visit.account.id);
  const isMember = members.some((member) => member.email.toLowerCase() === email.toLowerCase());
  const problems = { email: emailProblem(email) ?? (isMember ? texts.isMember : undefined) };
  if (hasProblem(problems)) return show(deps, visit, { email, role, problems, status: 400 });
  refuseAbove(visit, role);
  const tooMany = deps.letters.canSend ? count(visit.account.uuid, email) : undefined;
  if (tooMany !== undefined) return refuseMail(deps, visit, { email, role }, tooMany);
  const token = newInvitationToken();
  const createdAtMs = deps.nowMs();
  const invitation = {
    uuid: crypto.randomUUID(),
    accountId: visit.account.id,
    email,
    role,
    createdAtMs,
    expiresAtMs: createdAtMs + invitationMs,
  };
  await deps.invitations.create({ ...invitation, tokenHash: invitationHash(deps.hashOf, token) });
  await visit.audit("inviteMember", invitation.uuid, ["email", "role"]);
  const link = `${deps.publicUrl()}/join/${token}`;
  const mail = invitationMail({ account: visit.account.name, by: visit.user?.name ?? null, role: roleTexts[role] }, link);
  const isMailed = deps.letters.canSend ? await deps.letters.send(email, mail) : null;
  return show(deps, visit, { invited: { email, link, isMailed } });
}

async function refuseMail(
  deps: MembersDeps,
  visit: Visit,
  typed: Pick<MembersView, "email" | "role">,
  { limit, seconds }: TooManyInvitations,
): Promise<FormAnswer> {
  const wait = lengthText(seconds * 1_000);
  const problems = limit === "account" ? { "": texts.tooManyMails(wait) } : { email: texts.tooManyMailsTo(wait) };
  const answer = await show(deps, visit, { ...typed, problems, status: 429 });
  return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } };
}

async function withdraw({ invitations, nowMs }: MembersDeps, visit: Visit): Promise<FormAnswer> {
  const uuid = idOf(visit);
  const invitation = (await invitations.list(visit.account.id, nowMs())).find((one) => one.uuid === uuid);
  if (invitation === undefined) throw missing(texts.noInvitation);
  refuseAbove(visit, invitation.role);
  await invitations.remove(visit.account.id, uuid);
  await visit.audit("withdrawInvitation", uuid);
  return redirect("/members?done=withdrawn");
}

async function changeRole(deps: MembersDeps, visit: Visit): Promise<FormAnswer> {
  const member = await memberOf(deps, visit);
  const role = roleOf(visit.request.form);
  refuseAbove(visit, role);
  if (role === member.role) return redirect("/members");
  return changed(deps, visit, async () => {
    if (!(await deps.members.changeRole(visit.account.id, member.uuid, role))) throw missing(texts.noMember);
    const change = { field: "role", before: roleTexts[member.role], after: roleTexts[role], isHidden: false };
    await visit.audit("changeMemberRole", member.uuid, ["role"], [change]);
    return redirect(isSelf(visit, member) && !roleIncludes(role, "ADMIN") ? "/" : "/members?done=changed");
  });
}

async function remove(deps: MembersDeps, visit: Visit): Promise<FormAnswer> {
  const member = await memberOf(deps, visit);
  return changed(deps, visit, async () => {
    if (!(await deps.members.remove(visit.account.id, member.uuid))) throw missing(texts.noMember);
    await visit.audit("removeMember", member.uuid);
    return redirect(isSelf(visit, member) ? "/sign-in" : "/members?done=removed");
  });
}

/** The page with the reason, where the last OWNER would go. */
async function changed(deps: MembersDeps, visit: Visit, change: () => Promise<FormAnswer>): Promise<FormAnswer> {
  try {
    return await change();
  } catch (error) {
    if (hasCode(error, "conflict")) return show(deps, visit, { problems: { "": texts.lastOwner }, status: 409 });
    throw error;
  }
}

/** @throws {AppError} not_found also for members of other accounts; forbidden for one whose role is higher */
async function memberOf({ members }: MembersDeps, visit: Visit): Promise<MemberRow> {
  const member = await members.find(visit.account.id, idOf(visit));
  if (member === undefined) throw missing(texts.noMember);
  refuseAbove(visit, member.role);
  return member;
}

function refuseAbove({ role }: Visit, other: Role): void {
  if (!roleIncludes(role, other)) throw new AppError("forbidden", texts.aboveYours(roleTexts[role], roleTexts[other]));
}

function isSelf({ user }: Visit, { uuid }: MemberRow): boolean {
  return user?.uuid === uuid;
}

function idOf({ request: { params } }: Visit): string {
  return (params["id"] ?? "").toLowerCase();
}

/** @throws {AppError} invalid_input for what no form of ours sends */
function roleOf(form: URLSearchParams): Role {
  const role = roleNames.find((name) => name === form.get("role"));
  if (role === undefined) throw new AppError("invalid_input", `"role" must be one of ${roleNames.join(", ")}.`);
  return role;
}

function missing(message: string): AppError {
  return new AppError("not_found", message);
}
