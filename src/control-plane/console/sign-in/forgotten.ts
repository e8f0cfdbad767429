import { randomBytes } from "node:crypto";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import type { Letters } from "../../mail/letters.ts";
import { passwordResetMail } from "../../mail/person-mail.ts";
import type { PasswordResetStore, UserStore } from "../../storage/storage.ts";
import { signInTexts as texts } from "../../texts/sign-in.ts";
import { html } from "../../view/html.ts";
import { type FormProblems, field, hasProblem, postForm, problemBox } from "../form-view.ts";
import { emailProblem, typed } from "../people/person-fields.ts";
import { cardPage } from "../shell.ts";
import type { Attempts } from "./attempts.ts";
import { newPasswordPath, resetHash } from "./password-reset-token.ts";
import type { Visitors } from "./visitors.ts";

export interface ForgottenDeps {
  readonly users: Pick<UserStore, "byEmail">;
  readonly passwordResets: Pick<PasswordResetStore, "create">;
  readonly letters: Letters;
  readonly hashOf: (secret: string) => string;
  readonly publicUrl: () => string;
  readonly visitors: Visitors;
  /** Of its own: whoever asks for somebody else holds up nobody's signing in. */
  readonly attempts: Attempts;
  readonly nowMs: () => number;
}

/** How long the link is good for. */
const resetMs = 3_600_000;
/** Whoever asks again sooner gets no second mail, so nobody's mailbox is flooded. */
const againMs = 5 * 60_000;

const askPath = "/forgotten-password";

/** A mail with a link to set a new password, for who says that he forgot his. */
export function forgottenRoutes(deps: ForgottenDeps): readonly FormRoute[] {
  return [
    { method: "GET", path: askPath, answer: async (request) => deps.visitors.show(request, (csrf) => askPage({ csrf })) },
    { method: "POST", path: askPath, judge: deps.visitors.judge, answer: async (request) => ask(deps, request) },
  ];
}

/** The same for every address, in words and in time: it is looked up after the answer. */
function ask(deps: ForgottenDeps, request: FormRequest): FormAnswer {
  deps.visitors.refuseForged(request);
  const email = typed(request.form, "email");
  const shown = (view: Omit<AskView, "csrf">): FormAnswer => deps.visitors.show(request, (csrf) => askPage({ csrf, email, ...view }));
  const problems = { email: emailProblem(email) };
  if (hasProblem(problems)) return shown({ problems, status: 400 });
  const begun = deps.attempts.begin(request.ip, email);
  if ("pauseSeconds" in begun) {
    const answer = shown({ problems: { "": texts.pause(begun.pauseSeconds) }, status: 429 });
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
  await letters.send(user.email, passwordResetMail(`${publicUrl()}${newPasswordPath}/${token}`));
}

interface AskView {
  readonly csrf: string;
  readonly email?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function askPage({ csrf, email = "", problems = {}, status = 200 }: AskView): PageAnswer {
  const body = html`<h1>${texts.forgotten}</h1>
<p class="lead">${texts.forgottenLead}</p>
${problemBox(problems[""])}
${postForm(
  askPath,
  csrf,
  html`${field({ name: "email", label: texts.email, type: "email", value: email, autocomplete: "username", problems, isFirst: true })}
<button>${texts.sendLink}</button>`,
)}
<p class="sso"><a href="/sign-in">${texts.back}</a></p>`;
  return cardPage({ title: texts.forgotten, body, status });
}

function askedPage(email: string): PageAnswer {
  const body = html`<h1>${texts.mailbox}</h1>
<p class="lead">${texts.mailSent(email)}</p>
<p class="lead">${texts.noMail}</p>
<p class="sso"><a href="/sign-in">${texts.back}</a></p>`;
  return cardPage({ title: texts.mailbox, body });
}
