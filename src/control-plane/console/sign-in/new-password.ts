import { AppError } from "#domain/app-error.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import type { MemberStore, NewAuditEntry, PasswordResetStore, Role, UserRow } from "../../storage/storage.ts";
import { signInTexts as texts } from "../../texts/sign-in.ts";
import { html } from "../../view/html.ts";
import { type FormProblems, hasProblem, postForm } from "../form-view.ts";
import { newPasswordField } from "../people/person-fields.ts";
import { cardPage } from "../shell.ts";
import { redirect } from "../visit.ts";
import type { EntranceDeps } from "./entrance.ts";
import { newPasswordPath, resetHash } from "./password-reset-token.ts";
import { passwordProblem } from "./password-rules.ts";

export interface NewPasswordDeps extends EntranceDeps {
  readonly members: Pick<MemberStore, "ofUser">;
  readonly passwordResets: Pick<PasswordResetStore, "byTokenHash" | "use">;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

/** Where the link of the mail leads. */
export function newPasswordRoutes(deps: NewPasswordDeps): readonly FormRoute[] {
  const path = `${newPasswordPath}/{token}` as const;
  return [
    {
      method: "GET",
      path,
      answer: async (request) => {
        const { email } = await whose(deps, request);
        return deps.visitors.show(request, (csrf) => setPage({ csrf, token: tokenOf(request), email }));
      },
    },
    { method: "POST", path, judge: deps.visitors.judge, answer: (request) => set(deps, request) },
  ];
}

async function set(deps: NewPasswordDeps, request: FormRequest): Promise<FormAnswer> {
  deps.visitors.refuseForged(request);
  const { email, name } = await whose(deps, request);
  const password = request.form.get("password") ?? "";
  const problems = { password: passwordProblem(password, [name, email]) };
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
  const { isIn: _, ...answer } = await deps.entering.enter(request, user, first.accountId, "/");
  return answer;
}

/** @throws {AppError} not_found for a link that was used, replaced or has expired */
async function whose({ passwordResets, hashOf, nowMs }: NewPasswordDeps, request: FormRequest): Promise<UserRow> {
  const user = await passwordResets.byTokenHash(resetHash(hashOf, tokenOf(request)), nowMs());
  if (user === undefined) throw gone();
  return user;
}

function gone(): AppError {
  return new AppError("not_found", texts.linkGone);
}

function tokenOf({ params }: FormRequest): string {
  return params["token"] ?? "";
}

function entryOf({ uuid, email }: UserRow, accountId: number, role: Role, request: FormRequest, atMs: number): NewAuditEntry {
  return {
    accountId,
    atMs,
    operation: "resetPassword",
    resourceId: uuid,
    fields: ["password"],
    actor: { userId: uuid, userName: email, role },
    request: { ...auditRequest("POST", request, 303), path: newPasswordPath }, // the rest of it is the token
  };
}

interface SetView {
  readonly csrf: string;
  readonly token: string;
  readonly email: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function setPage({ csrf, token, email, problems = {}, status = 200 }: SetView): PageAnswer {
  const body = html`<h1>${texts.newPasswordTitle}</h1>
<p class="lead">${texts.newPasswordOf(email)}</p>
${postForm(
  `${newPasswordPath}/${encodeURIComponent(token)}`,
  csrf,
  html`<input class="hidden" type="email" name="email" value="${email}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">
${newPasswordField(problems, texts.newPassword)}
<button>${texts.setPassword}</button>`,
)}`;
  return cardPage({ title: texts.newPasswordTitle, body, status });
}
