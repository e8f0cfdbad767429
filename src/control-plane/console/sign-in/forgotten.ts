import { randomBytes } from "node:crypto";
import { AppError } from "#domain/app-error.ts";
import { passwordResetMail } from "#domain/person-mail.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import type { Letters } from "../../mail/letters.ts";
import { html } from "../../pages/html.ts";
import type { MemberStore, NewAuditEntry, PasswordResetStore, Role, UserRow, UserStore } from "../../storage/storage.ts";
import { type FormProblems, field, hasProblem, postForm, problemBox } from "../form-view.ts";
import { emailProblem, newPasswordField, newPasswordProblem, typed } from "../people/person-fields.ts";
import { cardPage } from "../shell.ts";
import { redirect } from "../visit.ts";
import { type Attempts, pauseText } from "./attempts.ts";
import type { KnownBrowsers } from "./known-browser.ts";
import type { Passwords } from "./password.ts";
import type { SignIns } from "./signed-in.ts";
import type { Visitors } from "./visitors.ts";

export interface ForgottenDeps {
  readonly users: Pick<UserStore, "byEmail">;
  readonly members: Pick<MemberStore, "ofUser">;
  readonly passwordResets: Pick<PasswordResetStore, "create" | "byTokenHash" | "use">;
  readonly letters: Letters;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly hashOf: (secret: string) => string;
  readonly publicUrl: () => string;
  readonly signIns: SignIns;
  readonly visitors: Visitors;
  readonly attempts: Attempts;
  readonly browsers: KnownBrowsers;
  readonly passwords: Passwords;
  readonly nowMs: () => number;
}

/** How long the link is good for. */
const resetMs = 3_600_000;
/** Whoever asks again sooner gets no second mail, so nobody's mailbox is flooded. */
const againMs = 5 * 60_000;

const askPath = "/forgotten-password";
const setPath = "/new-password";

/** A new password for who proves by a mail that the address is his; nothing where no mails are sent. */
export function forgottenRoutes(deps: ForgottenDeps): readonly FormRoute[] {
  if (!deps.letters.canSend) return [];
  return [
    {
      method: "GET",
      path: askPath,
      answer: async (request) => deps.visitors.show(request, (csrf) => askPage({ csrf })),
    },
    { method: "POST", path: askPath, answer: async (request) => ask(deps, request) },
    {
      method: "GET",
      path: `${setPath}/{token}`,
      answer: async (request) => {
        const { email } = await whose(deps, request);
        return deps.visitors.show(request, (csrf) => setPage({ csrf, token: tokenOf(request), email }));
      },
    },
    { method: "POST", path: `${setPath}/{token}`, answer: (request) => set(deps, request) },
  ];
}

/** The same for every address, in words and in time: it is looked up after the answer. */
function ask(deps: ForgottenDeps, request: FormRequest): FormAnswer {
  deps.visitors.refuseForged(request);
  const email = typed(request.form, "email");
  const shown = (view: Omit<AskView, "csrf">): FormAnswer => deps.visitors.show(request, (csrf) => askPage({ csrf, email, ...view }));
  const problems = { email: emailProblem(email) };
  if (hasProblem(problems)) return shown({ problems, status: 400 });
  // For itself: whoever asks for somebody else holds up nobody's signing in.
  const begun = deps.attempts.begin(request.ip, `password of ${email}`);
  if ("pauseSeconds" in begun) {
    const answer = shown({ problems: { "": pauseText(begun.pauseSeconds) }, status: 429 });
    return { ...answer, headers: { ...answer.headers, "retry-after": String(begun.pauseSeconds) } };
  }
  deps.letters.behind(() => sendLink(deps, email));
  return askedPage(email);
}

async function sendLink({ users, passwordResets, letters, hashOf, publicUrl, nowMs }: ForgottenDeps, email: string): Promise<void> {
  const user = await users.byEmail(email);
  if (user === undefined) return;
  const token = randomBytes(24).toString("base64url");
  const createdAtMs = nowMs();
  const reset = { userId: user.id, tokenHash: resetHash(hashOf, token), createdAtMs, expiresAtMs: createdAtMs + resetMs };
  if (!(await passwordResets.create(reset, createdAtMs - againMs))) return;
  // To the address that is known: what was typed may only look like it.
  await letters.send(user.email, passwordResetMail(`${publicUrl()}${setPath}/${token}`));
}

async function set(deps: ForgottenDeps, request: FormRequest): Promise<FormAnswer> {
  deps.visitors.refuseForged(request);
  const { email, name } = await whose(deps, request);
  const password = request.form.get("password") ?? "";
  const problems = { password: newPasswordProblem(password, [name, email]) };
  if (hasProblem(problems)) {
    return deps.visitors.show(request, (csrf) => setPage({ csrf, token: tokenOf(request), email, problems, status: 400 }));
  }
  const hash = await deps.passwords.hash(password);
  const user = await deps.passwordResets.use(resetHash(deps.hashOf, tokenOf(request)), hash, deps.nowMs());
  if (user === undefined) throw gone();
  const accounts = await deps.members.ofUser(user.id);
  for (const { accountId, role } of accounts) await deps.audit(entryOf(user, accountId, role, request, deps.nowMs()));
  const [first] = accounts;
  if (first === undefined) return redirect("/sign-in");
  const cookies = await deps.signIns.open(request.headers, first.accountId, { userId: user.id });
  return redirect("/", [...cookies, deps.browsers.remember(user.email)]);
}

/** @throws {AppError} not_found for a link that was used, replaced or has expired */
async function whose({ passwordResets, hashOf, nowMs }: ForgottenDeps, request: FormRequest): Promise<UserRow> {
  const user = await passwordResets.byTokenHash(resetHash(hashOf, tokenOf(request)), nowMs());
  if (user === undefined) throw gone();
  return user;
}

function gone(): AppError {
  return new AppError(
    "not_found",
    "This link was used, replaced by a newer one, or is older than an hour. Ask for another one where you sign in.",
  );
}

function tokenOf({ params }: FormRequest): string {
  return params["token"] ?? "";
}

function resetHash(hashOf: (secret: string) => string, token: string): string {
  return hashOf(`password-reset:${token}`);
}

function entryOf({ uuid, email }: UserRow, accountId: number, role: Role, request: FormRequest, atMs: number): NewAuditEntry {
  return {
    accountId,
    atMs,
    operation: "resetPassword",
    resourceId: uuid,
    fields: ["password"],
    actor: { userId: uuid, userName: email, role },
    request: { ...auditRequest("POST", request, 303), path: setPath }, // the rest of it is the token
  };
}

interface AskView {
  readonly csrf: string;
  readonly email?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function askPage({ csrf, email = "", problems = {}, status = 200 }: AskView): PageAnswer {
  const body = html`<h1>Forgot your password?</h1>
<p class="lead">A link to set a new one is sent to your address.</p>
${problemBox(problems[""])}
${postForm(
  askPath,
  csrf,
  html`${field({ name: "email", label: "E-mail address", type: "email", value: email, autocomplete: "username", problems, isFirst: true })}
<button>Send the link</button>`,
)}
<p class="sso"><a href="/sign-in">Back to signing in</a></p>`;
  return cardPage({ title: "Forgot your password?", body, status });
}

function askedPage(email: string): PageAnswer {
  const body = html`<h1>Look into your mailbox</h1>
<p class="lead">If somebody signs in with ${email} here, a mail with a link is on its way. The link is good for an hour.</p>
<p class="lead">Nothing there after some minutes? Look where your mail program keeps spam, or ask again
after five minutes.</p>
<p class="sso"><a href="/sign-in">Back to signing in</a></p>`;
  return cardPage({ title: "Look into your mailbox", body });
}

interface SetView {
  readonly csrf: string;
  readonly token: string;
  readonly email: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function setPage({ csrf, token, email, problems = {}, status = 200 }: SetView): PageAnswer {
  const body = html`<h1>Set a new password</h1>
<p class="lead">For ${email}. You are signed out everywhere else then.</p>
${postForm(
  `${setPath}/${encodeURIComponent(token)}`,
  csrf,
  html`<input class="hidden" type="email" name="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${newPasswordField(problems, "New password")}
<button>Set the password</button>`,
)}`;
  return cardPage({ title: "Set a new password", body, status });
}
