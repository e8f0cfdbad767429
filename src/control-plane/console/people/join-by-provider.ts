import { AppError } from "#domain/app-error.ts";
import type { FormAnswer, FormRequest } from "../../http/form-routes.ts";
import type { IdentityStore, InvitationRow, NewUser, UserStore } from "../../storage/storage.ts";
import { connectTexts } from "../../texts/second-factor.ts";
import type { KnownBrowsers } from "../sign-in/known-browser.ts";
import type { ProvidedPerson } from "../sign-in/oidc-provider.ts";
import type { SignIns } from "../sign-in/signed-in.ts";
import { redirect } from "../visit.ts";
import { type AcceptDeps, accept, gone } from "./accept-invitation.ts";
import { nameProblem } from "./person-fields.ts";

export interface JoinByProviderDeps extends AcceptDeps {
  readonly users: Pick<UserStore, "byEmail">;
  readonly identities: Pick<IdentityStore, "user">;
  readonly signIns: Pick<SignIns, "open">;
  readonly browsers: Pick<KnownBrowsers, "remember">;
  /** Of the token of a link. */
  readonly invitationHash: (token: string) => string;
}

/**
 * Somebody who was invited, and whose address the provider has verified, joins without a password. Who has a user here already must have connected the
 * provider before: whoever invites has the link, too, and may have got the address at the provider.
 */
export async function joinByProvider(
  deps: JoinByProviderDeps,
  request: FormRequest,
  tokenHash: string,
  person: ProvidedPerson,
): Promise<FormAnswer> {
  const invitation = await deps.invitations.byTokenHash(tokenHash, deps.nowMs());
  if (invitation === undefined) throw gone();
  if (person.email === null || !isSameAddress(person.email, invitation.email))
    throw new AppError("forbidden", connectTexts.notInvited(invitation.email));
  const user = await deps.identities.user(person);
  if (user === undefined && (await deps.users.byEmail(invitation.email)) !== undefined)
    throw new AppError("forbidden", connectTexts.notConnected(invitation.email));
  const { issuer, subject } = person;
  const accepted = {
    tokenHash,
    invitation,
    user: user ?? newUser(invitation, person, deps.nowMs()),
    identity: user === undefined ? { issuer, subject } : undefined,
  };
  const member = await accept(deps, request, accepted);
  const cookies = await deps.signIns.open(request.headers, invitation.accountId, { userId: member.id, method: "provider" });
  return redirect("/", [...cookies, deps.browsers.remember(member.email)]);
}

function isSameAddress(one: string, other: string): boolean {
  const [a, b] = [one, other].map((email) => email.normalize("NFC").toLowerCase());
  return a === b;
}

function newUser({ email }: InvitationRow, { name }: ProvidedPerson, createdAtMs: number): NewUser {
  const told = name?.trim() ?? "";
  const known = nameProblem(told) === undefined ? told : (email.split("@")[0] ?? email);
  return { uuid: crypto.randomUUID(), name: known, email, passwordHash: null, createdAtMs };
}
