import { AppError, hasCode } from "#domain/app-error.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import { html } from "../../pages/html.ts";
import type {
  AccountRow,
  AccountStore,
  InvitationRow,
  InvitationStore,
  NewAuditEntry,
  NewUser,
  UserRow,
  UserStore,
} from "../../storage/storage.ts";
import { peopleTexts, joinTexts as texts } from "../../texts/people.ts";
import { signInTexts } from "../../texts/sign-in.ts";
import { type FormProblems, field, hasProblem, postForm, problemBox } from "../form-view.ts";
import { cardPage } from "../shell.ts";
import type { EntranceDeps } from "../sign-in/entrance.ts";
import { passwordProblem } from "../sign-in/password-rules.ts";
import { redirect } from "../visit.ts";
import { invitationHash } from "./invitation-token.ts";
import { nameProblem, newPasswordField, typed } from "./person-fields.ts";

export interface JoinDeps extends EntranceDeps {
  readonly accounts: Pick<AccountStore, "byId">;
  readonly users: Pick<UserStore, "byEmail">;
  readonly invitations: Pick<InvitationStore, "byTokenHash" | "accept">;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  /** Whether a forgotten password is replaced by mail. */
  readonly canReset: boolean;
  readonly nowMs: () => number;
}

interface Invited {
  readonly tokenHash: string;
  readonly invitation: InvitationRow;
  readonly account: AccountRow;
  /** Who has the address already, as a member of another account. */
  readonly known: UserRow | undefined;
}

/** Where the link of an invitation leads: a new user chooses a name and a password, one that exists shows his. */
export function joinRoutes(deps: JoinDeps): readonly FormRoute[] {
  return [
    {
      method: "GET",
      path: "/join/{token}",
      answer: async (request) => {
        const invited = await invitedBy(deps, request);
        return deps.visitors.show(request, (csrf) => joinPage({ ...invited, csrf, token: tokenOf(request), canReset: deps.canReset }));
      },
    },
    {
      method: "POST",
      path: "/join/{token}",
      judge: deps.visitors.judge,
      answer: async (request) => {
        deps.visitors.refuseForged(request);
        const invited = await invitedBy(deps, request);
        const joining = await (invited.known === undefined ? newUser(deps, invited, request) : proven(deps, invited.known, request));
        if ("user" in joining) return join(deps, invited, joining.user, request);
        const view = { ...invited, ...joining, token: tokenOf(request), canReset: deps.canReset, name: typed(request.form, "name") };
        return deps.visitors.show(request, (csrf) => joinPage({ ...view, csrf }));
      },
    },
  ];
}

function tokenOf({ params }: FormRequest): string {
  return params["token"] ?? "";
}

/** @throws {AppError} not_found for one that there is not, that expired, or that was used */
async function invitedBy({ invitations, accounts, users, hashOf, nowMs }: JoinDeps, request: FormRequest): Promise<Invited> {
  const tokenHash = invitationHash(hashOf, tokenOf(request));
  const invitation = await invitations.byTokenHash(tokenHash, nowMs());
  const account = invitation && (await accounts.byId(invitation.accountId));
  if (invitation === undefined || account === undefined) throw gone();
  return { tokenHash, invitation, account, known: await users.byEmail(invitation.email) };
}

function gone(): AppError {
  return new AppError("not_found", texts.gone);
}

type Joining = { readonly user: NewUser | UserRow } | { readonly problems: FormProblems; readonly status: number };

async function newUser({ passwords, nowMs }: JoinDeps, { invitation: { email } }: Invited, { form }: FormRequest): Promise<Joining> {
  const [name, password] = [typed(form, "name"), form.get("password") ?? ""];
  const problems = { name: nameProblem(name), password: passwordProblem(password, [name, email]) };
  if (hasProblem(problems)) return { problems, status: 400 };
  return { user: { uuid: crypto.randomUUID(), name, email, passwordHash: await passwords.hash(password), createdAtMs: nowMs() } };
}

/** The link alone makes nobody a user who exists: whoever invited has it, too. */
async function proven({ attempts, browsers, passwords }: JoinDeps, known: UserRow, { form, headers, ip }: FormRequest): Promise<Joining> {
  const password = form.get("password") ?? "";
  if (password === "") return { problems: { password: texts.noPassword }, status: 400 };
  const begun = attempts.begin(ip, known.email, browsers.find(headers, known.email));
  if ("pauseSeconds" in begun) return { problems: { "": signInTexts.pause(begun.pauseSeconds) }, status: 429 };
  if (!(await passwords.verify(password, known.passwordHash))) return { problems: { password: texts.wrongPassword }, status: 401 };
  begun.takeBack();
  return { user: known };
}

async function join(
  deps: JoinDeps,
  { tokenHash, invitation, account }: Invited,
  user: NewUser | UserRow,
  request: FormRequest,
): ReturnType<FormRoute["answer"]> {
  const member = await deps.invitations.accept(tokenHash, user, deps.nowMs()).catch((cause: unknown) => {
    if (hasCode(cause, "conflict")) throw new AppError("conflict", texts.isMember, { cause });
    throw cause;
  });
  if (member === undefined) throw gone();
  await deps.audit({
    accountId: account.id,
    atMs: deps.nowMs(),
    operation: "joinAccount",
    resourceId: member.uuid,
    fields: [],
    actor: { userId: member.uuid, userName: member.email, role: invitation.role },
    request: { ...auditRequest("POST", request, 303), path: "/join" }, // the rest of it is the token
  });
  const cookies = await deps.signIns.open(request.headers, account.id, { userId: member.id });
  return redirect("/", [...cookies, deps.browsers.remember(member.email)]);
}

interface JoinView extends Invited {
  readonly csrf: string;
  readonly token: string;
  readonly canReset: boolean;
  readonly name?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function joinPage({ csrf, token, account, invitation, known, canReset, name = "", problems = {}, status = 200 }: JoinView): PageAnswer {
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
<p class="lead">${texts.lead(invitation.role, invitation.email)}</p>
${problemBox(problems[""])}
${postForm(
  `/join/${encodeURIComponent(token)}`,
  csrf,
  html`<input class="hidden" type="email" name="email" value="${invitation.email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${known === undefined ? asNew : asKnown}
<button>${texts.join}</button>
${known !== undefined && canReset && html`<p class="forgotten"><a href="/forgotten-password">${signInTexts.forgotten}</a></p>`}`,
)}`;
  return cardPage({ title: texts.title(account.name), body, status });
}
