import { keyKind } from "#domain/key.ts";
import { firstAccount } from "../../accounts/setup.ts";
import type { AuditWriter } from "../../audit/write-audit.ts";
import { auditRequest, keyActor } from "../../http/audit.ts";
import type { FormAnswer, FormRequest, FormRoute } from "../../http/form-routes.ts";
import { isLimited } from "../../http/key-limits.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import type { AccountStore, AuditActor, KeyStore, MemberStore, MembershipRow, UserRow, UserStore } from "../../storage/storage.ts";
import { signInTexts as texts } from "../../texts/sign-in.ts";
import { html } from "../../view/html.ts";
import { type FormProblems, field, hasProblem, hidden, postForm, problemBox } from "../form-view.ts";
import { emailProblem, typed } from "../people/person-fields.ts";
import { cardPage } from "../shell.ts";
import { redirect } from "../visit.ts";
import type { EntranceDeps } from "./entrance.ts";
import { lostForm, returnTo } from "./return-to.ts";
import { isForPeople } from "./signed-in.ts";

export interface SignInPageDeps extends EntranceDeps {
  readonly accounts: Pick<AccountStore, "list">;
  readonly users: Pick<UserStore, "byEmail">;
  readonly members: Pick<MemberStore, "hasOwner" | "ofUser">;
  readonly keys: Pick<KeyStore, "byHash">;
  readonly note: AuditWriter["note"];
  readonly nowMs: () => number;
  /** Whether a forgotten password is replaced by mail. */
  readonly canReset: boolean;
  /** The provider with which members may sign in; null where there is none. */
  readonly ssoName: string | null;
}

export function signInRoutes(deps: SignInPageDeps): readonly FormRoute[] {
  return [
    {
      method: "GET",
      path: "/sign-in",
      answer: async (request) => {
        const to = returnTo(request.query.get("to"));
        if ((await deps.signIns.find(request.headers)) !== undefined) return redirect(to);
        const account = await firstAccount(deps);
        const hasOwner = account !== undefined && (await deps.members.hasOwner(account.id));
        return deps.visitors.show(request, (csrf) =>
          signInPage({ csrf, to, hasOwner, isFormLost: request.query.has(lostForm), ...offered(deps) }),
        );
      },
    },
    {
      method: "POST",
      path: "/sign-in",
      judge: deps.visitors.judge,
      answer: async (request) => {
        deps.visitors.refuseForged(request);
        const { form } = request;
        const attempt = form.has("key") ? await byKey(deps, request) : await byPassword(deps, request);
        if ("accountId" in attempt) return letIn(deps, request, attempt);
        noteSignIn(deps, request, attempt);
        const view = { to: returnTo(form.get("to")), email: typed(form, "email"), hasOwner: true, ...offered(deps), ...attempt };
        const answer = deps.visitors.show(request, (csrf) => signInPage({ csrf, ...view }));
        return { ...answer, headers: { ...answer.headers, ...attempt.headers } };
      },
    },
  ];
}

async function letIn(deps: SignInPageDeps, request: FormRequest, attempt: RightAttempt): Promise<FormAnswer> {
  const to = returnTo(request.form.get("to"));
  if ("user" in attempt) {
    const { isIn, ...answer } = await deps.entering.enter(request, attempt.user, attempt.accountId, to);
    noteSignIn(deps, request, attempt, isIn ? "signIn" : "beginSignIn");
    return answer;
  }
  noteSignIn(deps, request, attempt);
  const { keyId } = attempt;
  return redirect(to, await deps.signIns.open(request.headers, attempt.accountId, { keyId, method: "key" }));
}

/** The other ways in. */
function offered({ ssoName, canReset }: SignInPageDeps): Pick<SignInView, "ssoName" | "canReset"> {
  return { ssoName, canReset };
}

/** Whom somebody claims to be. */
interface Claim {
  readonly accountId: number;
  readonly actor: AuditActor;
}

type RightAttempt = Claim & ({ readonly user: UserRow } | { readonly keyId: string });

type Attempt =
  | RightAttempt
  | {
      readonly status: number;
      readonly problems: FormProblems;
      readonly headers?: FormAnswer["headers"];
      /** Absent where there is nobody of that name. */
      readonly claim?: Claim | undefined;
    };

/** What was typed wrong is nobody's attempt. Where nobody of that name is, the entry belongs to no account. */
function noteSignIn({ note, nowMs }: SignInPageDeps, request: FormRequest, attempt: Attempt, operation = "signIn"): void {
  if ("status" in attempt && attempt.status === 400) return;
  const { accountId = null, actor = null } = ("accountId" in attempt ? attempt : attempt.claim) ?? {};
  const by = request.form.has("key") ? "key" : "password";
  const told = auditRequest("POST", request, "accountId" in attempt ? 303 : attempt.status);
  note({ accountId, atMs: nowMs(), operation, resourceId: null, fields: [by], actor, request: told });
}

function claimOf(user: UserRow | undefined, membership: MembershipRow | undefined): Claim | undefined {
  if (user === undefined || membership === undefined) return undefined;
  return { accountId: membership.accountId, actor: { userId: user.uuid, userName: user.email, role: membership.role } };
}

/** The same for an address that nobody has and for a wrong password, in words and in work. */
async function byPassword(deps: SignInPageDeps, request: FormRequest): Promise<Attempt> {
  const { form } = request;
  const email = typed(form, "email");
  const password = form.get("password") ?? "";
  const problems = { email: emailProblem(email), password: password === "" ? texts.noPassword : undefined };
  if (hasProblem(problems)) return { status: 400, problems };
  return counted(deps, request, email, async () => {
    const user = await deps.users.byEmail(email);
    const isRight = await deps.passwords.verify(password, user?.passwordHash ?? null);
    const [first] = await deps.members.ofUser(user?.id ?? 0);
    const claim = claimOf(user, first);
    if (!isRight || user === undefined || claim === undefined) return { status: 401, problems: { "": texts.wrong }, claim };
    return { ...claim, user };
  });
}

async function byKey(deps: SignInPageDeps, request: FormRequest): Promise<Attempt> {
  const raw = typed(request.form, "key");
  if (raw === "") return { status: 400, problems: { key: texts.noKey } };
  return counted(deps, request, null, async () => {
    const key = keyKind(raw) === null ? undefined : await deps.keys.byHash(deps.hashOf(raw));
    if (key?.accountId == null || !isForPeople(key)) {
      const claim = key?.accountId == null ? undefined : { accountId: key.accountId, actor: keyActor(key) };
      return { status: 401, problems: { key: key !== undefined && isLimited(key) ? texts.limitedKey : texts.unknownKey }, claim };
    }
    return { accountId: key.accountId, actor: keyActor(key), keyId: key.id };
  });
}

async function counted(
  { attempts, browsers }: SignInPageDeps,
  { ip, headers }: FormRequest,
  email: string | null,
  attempt: () => Promise<Attempt>,
): Promise<Attempt> {
  const begun = attempts.begin(ip, email, email === null ? undefined : browsers.find(headers, email));
  if ("pauseSeconds" in begun) {
    const problems = { [email === null ? "key" : ""]: texts.pause(begun.pauseSeconds) };
    return { status: 429, problems, headers: { "retry-after": String(begun.pauseSeconds) } };
  }
  const done = await attempt();
  if ("accountId" in done) begun.takeBack();
  return done;
}

interface SignInView {
  readonly csrf: string;
  readonly to: string;
  readonly hasOwner: boolean;
  readonly ssoName: string | null;
  readonly canReset: boolean;
  /** Somebody sent a form after the sign-in had ended. */
  readonly isFormLost?: boolean;
  readonly email?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function signInPage(view: SignInView): PageAnswer {
  const { csrf, to, hasOwner, ssoName, canReset, isFormLost = false, email = "", problems = {}, status = 200 } = view;
  const back = to === "/" ? html`` : hidden("to", to);
  const byPassword = html`${back}
${field({ name: "email", label: texts.email, type: "email", value: email, autocomplete: "username", problems, isFirst: email === "" })}
${field({ name: "password", label: texts.password, type: "password", autocomplete: "current-password", problems, isFirst: email !== "" })}
<button>${texts.signIn}</button>
${canReset && html`<p class="forgotten"><a href="/forgotten-password">${texts.forgotten}</a></p>`}`;
  const byKey = html`${back}
${field({ name: "key", label: texts.key, type: "password", autocomplete: "off", problems })}
<button class="quiet">${texts.signInByKey}</button>`;
  const setUp = html`<p class="box">${texts.nobodyYet}</p>`;
  const body = html`<h1>${texts.title}</h1>
${!hasOwner && setUp}
${isFormLost && html`<p class="box warn" role="alert">${texts.formLost}</p>`}
${problemBox(problems[""])}
${postForm("/sign-in", csrf, byPassword)}
${ssoName !== null && html`<p class="sso"><a href="/sign-in/sso?to=${encodeURIComponent(to)}">${texts.byProvider(ssoName)}</a></p>`}
<details class="other"${(problems["key"] !== undefined || !hasOwner) && html` open`}><summary>${texts.byKey}</summary>
${postForm("/sign-in", csrf, byKey)}
</details>`;
  return cardPage({ title: texts.title, body, status });
}
