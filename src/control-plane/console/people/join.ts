import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import type { AccountRow, AccountStore, InvitationRow, MemberStore, NewUser, UserRow, UserStore } from "../../storage/storage.ts";
import { peopleTexts, joinTexts as texts } from "../../texts/people.ts";
import { roleTexts } from "../../texts/roles.ts";
import { connectTexts } from "../../texts/second-factor.ts";
import { signInTexts } from "../../texts/sign-in.ts";
import { html } from "../../view/html.ts";
import { type FormProblems, field, hasProblem, postForm, problemBox } from "../form-view.ts";
import { cardPage } from "../shell.ts";
import type { EntranceDeps } from "../sign-in/entrance.ts";
import { passwordProblem } from "../sign-in/password-rules.ts";
import type { SecondFactors } from "../sign-in/second-factors.ts";
import { redirect } from "../visit.ts";
import { type AcceptDeps, accept, gone } from "./accept-invitation.ts";
import { invitationHash } from "./invitation-token.ts";
import { nameProblem, newPasswordField, typed } from "./person-fields.ts";

export interface JoinDeps extends EntranceDeps, AcceptDeps {
  readonly accounts: Pick<AccountStore, "byId">;
  readonly users: Pick<UserStore, "byEmail">;
  readonly members: Pick<MemberStore, "ofUser">;
  readonly secondFactors: Pick<SecondFactors, "isOn">;
  /** The provider with which an invited person may join; null where there is none. */
  readonly ssoName: string | null;
  /** Whether a forgotten password is replaced by mail. */
  readonly canReset: boolean;
}

interface Invited {
  readonly tokenHash: string;
  readonly invitation: InvitationRow;
  readonly account: AccountRow;
  /** Who has the address already, as a member of another account. */
  readonly known: UserRow | undefined;
  /** He is signed in here, and has nothing more to show. */
  readonly isHere: boolean;
}

/** Where the link of an invitation leads: a new user chooses a name and a password, one that exists shows his. */
export function joinRoutes(deps: JoinDeps): readonly FormRoute[] {
  return [
    {
      method: "GET",
      path: "/join/{token}",
      answer: async (request) => {
        const invited = await invitedBy(deps, request);
        return deps.visitors.show(request, (csrf) => joinPage({ ...invited, csrf, token: tokenOf(request), ...offered(deps) }));
      },
    },
    {
      method: "POST",
      path: "/join/{token}",
      judge: deps.visitors.judge,
      answer: async (request) => {
        deps.visitors.refuseForged(request);
        const invited = await invitedBy(deps, request);
        const joining = await joiningWith(deps, invited, request);
        if ("user" in joining) return join(deps, invited, joining.user, request);
        if ("answer" in joining) return joining.answer;
        const view = { ...invited, ...joining, token: tokenOf(request), ...offered(deps), name: typed(request.form, "name") };
        return deps.visitors.show(request, (csrf) => joinPage({ ...view, csrf }));
      },
    },
  ];
}

function offered({ ssoName, canReset }: JoinDeps): Pick<JoinView, "ssoName" | "canReset"> {
  return { ssoName, canReset };
}

function tokenOf({ params }: FormRequest): string {
  return params["token"] ?? "";
}

/** @throws {AppError} not_found for one that there is not, that expired, or that was used */
async function invitedBy({ invitations, accounts, users, signIns, hashOf, nowMs }: JoinDeps, request: FormRequest): Promise<Invited> {
  const tokenHash = invitationHash(hashOf, tokenOf(request));
  const invitation = await invitations.byTokenHash(tokenHash, nowMs());
  const account = invitation && (await accounts.byId(invitation.accountId));
  if (invitation === undefined || account === undefined) throw gone();
  const known = await users.byEmail(invitation.email);
  const here = known && (await signIns.look(request.headers));
  return { tokenHash, invitation, account, known, isHere: here !== undefined && here.user?.id === known?.id };
}

function joiningWith(deps: JoinDeps, invited: Invited, request: FormRequest): Promise<Joining> {
  const { known, isHere } = invited;
  if (known === undefined) return newUser(deps, invited, request);
  return isHere ? Promise.resolve({ user: known }) : proven(deps, known, request);
}

type Joining =
  | { readonly user: NewUser | UserRow }
  /** The page that asks for the second factor. */
  | { readonly answer: FormAnswer }
  | { readonly problems: FormProblems; readonly status: number };

async function newUser({ passwords, nowMs }: JoinDeps, { invitation: { email } }: Invited, { form }: FormRequest): Promise<Joining> {
  const [name, password] = [typed(form, "name"), form.get("password") ?? ""];
  const problems = { name: nameProblem(name), password: passwordProblem(password, [name, email]) };
  if (hasProblem(problems)) return { problems, status: 400 };
  return { user: { uuid: crypto.randomUUID(), name, email, passwordHash: await passwords.hash(password), createdAtMs: nowMs() } };
}

/** The link alone makes nobody a user who exists: whoever invited has it, too. With a second factor he signs in first, and comes back. */
async function proven(deps: JoinDeps, known: UserRow, request: FormRequest): Promise<Joining> {
  const { attempts, browsers, passwords, entering, members } = deps;
  const { form, headers, ip } = request;
  const password = form.get("password") ?? "";
  if (password === "") return { problems: { password: texts.noPassword }, status: 400 };
  const begun = attempts.begin(ip, known.email, browsers.find(headers, known.email));
  if ("pauseSeconds" in begun) return { problems: { "": signInTexts.pause(begun.pauseSeconds) }, status: 429 };
  if (!(await passwords.verify(password, known.passwordHash))) return { problems: { password: texts.wrongPassword }, status: 401 };
  begun.takeBack();
  const [first] = await members.ofUser(known.id);
  if (first === undefined || !(await deps.secondFactors.isOn(known))) return { user: known };
  const { isIn: _, ...answer } = await entering.enter(request, known, first.accountId, `/join/${encodeURIComponent(tokenOf(request))}`);
  return { answer };
}

async function join(deps: JoinDeps, invited: Invited, user: NewUser | UserRow, request: FormRequest): Promise<FormAnswer> {
  const before = invited.isHere ? await deps.signIns.look(request.headers) : undefined;
  const member = await accept(deps, request, { ...invited, user });
  const method = before?.method ?? "password";
  const cookies = await deps.signIns.open(request.headers, invited.account.id, { userId: member.id, method });
  return redirect("/", [...cookies, deps.browsers.remember(member.email)]);
}

interface JoinView extends Invited {
  readonly csrf: string;
  readonly token: string;
  readonly canReset: boolean;
  readonly ssoName: string | null;
  readonly name?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function joinPage(view: JoinView): PageAnswer {
  const { csrf, token, account, invitation, known, isHere, canReset, ssoName, name = "", problems = {}, status = 200 } = view;
  const asNew = html`${field({ name: "name", label: peopleTexts.yourName, value: name, autocomplete: "name", problems, isFirst: true })}
${newPasswordField(problems)}`;
  const asKnown = field({
    name: "password",
    label: texts.yourPassword,
    type: "password",
    autocomplete: "current-password",
    hint: texts.isKnown,
    problems,
    isFirst: true,
  });
  const body = html`<h1>${texts.title(account.name)}</h1>
<p class="lead">${texts.lead(roleTexts[invitation.role], invitation.email)}</p>
${problemBox(problems[""])}
${postForm(
  `/join/${encodeURIComponent(token)}`,
  csrf,
  html`<input class="hidden" type="email" name="email" value="${invitation.email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${known === undefined ? asNew : !isHere && asKnown}
<button>${texts.join}</button>
${known !== undefined && !isHere && canReset && html`<p class="forgotten"><a href="/forgotten-password">${signInTexts.forgotten}</a></p>`}`,
)}
${ssoName !== null && !isHere && html`<p class="sso"><a href="/join/${encodeURIComponent(token)}/sso">${connectTexts.joinWith(ssoName)}</a></p>`}`;
  return cardPage({ title: texts.title(account.name), body, status });
}
