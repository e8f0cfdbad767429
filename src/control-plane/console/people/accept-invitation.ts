import { AppError, hasCode } from "#domain/app-error.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormRequest } from "../../http/form-routes.ts";
import type { Identity, InvitationRow, InvitationStore, NewAuditEntry, NewUser, UserRow } from "../../storage/storage.ts";
import { joinTexts } from "../../texts/people.ts";

export interface AcceptDeps {
  readonly invitations: Pick<InvitationStore, "byTokenHash" | "accept">;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

interface Accepted {
  readonly tokenHash: string;
  readonly invitation: InvitationRow;
  readonly user: NewUser | UserRow;
  readonly identity?: Identity | undefined;
}

/** Takes the invitation. @throws {AppError} not_found, conflict */
export async function accept(
  { invitations, audit, nowMs }: AcceptDeps,
  request: FormRequest,
  { tokenHash, invitation, user, identity }: Accepted,
): Promise<UserRow> {
  const member = await invitations.accept(tokenHash, user, nowMs(), identity).catch((cause: unknown) => {
    if (hasCode(cause, "conflict")) throw new AppError("conflict", joinTexts.isMember, { cause });
    throw cause;
  });
  if (member === undefined) throw gone();
  await audit({
    accountId: invitation.accountId,
    atMs: nowMs(),
    operation: "joinAccount",
    resourceId: member.uuid,
    fields: identity === undefined ? [] : ["identity"],
    actor: { userId: member.uuid, userName: member.email, role: invitation.role },
    request: { ...auditRequest(request.method, request, 303), path: "/join" }, // the rest of it is the token
  });
  return member;
}

export function gone(): AppError {
  return new AppError("not_found", joinTexts.gone);
}
