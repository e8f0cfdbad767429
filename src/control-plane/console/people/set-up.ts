import { hasCode } from "#domain/app-error.ts";
import { keyKind } from "#domain/key.ts";
import { firstAccount } from "../../accounts/setup.ts";
import { auditRequest } from "../../http/audit.ts";
import type { FormRequest, FormRoute } from "../../http/form-routes.ts";
import type { PageAnswer } from "../../http/page-routes.ts";
import { isSameText } from "../../keys/same-text.ts";
import type { AccountRow, AccountStore, KeyStore, MemberStore, NewAuditEntry } from "../../storage/storage.ts";
import { peopleTexts, setUpTexts as texts } from "../../texts/people.ts";
import { signInTexts } from "../../texts/sign-in.ts";
import { html } from "../../view/html.ts";
import { type FormProblems, field, hasProblem, hidden, postForm, problemBox } from "../form-view.ts";
import { cardPage } from "../shell.ts";
import type { EntranceDeps } from "../sign-in/entrance.ts";
import { passwordProblem } from "../sign-in/password-rules.ts";
import { isForPeople } from "../sign-in/signed-in.ts";
import { redirect } from "../visit.ts";
import { emailProblem, nameProblem, newPasswordField, typed } from "./person-fields.ts";
import { setUpToken } from "./set-up-token.ts";

export interface SetUpDeps extends EntranceDeps {
  readonly accounts: Pick<AccountStore, "list">;
  readonly members: Pick<MemberStore, "hasOwner" | "addFirstOwner">;
  readonly keys: Pick<KeyStore, "byHash">;
  readonly audit: (entry: NewAuditEntry) => Promise<void>;
  readonly nowMs: () => number;
}

/** Makes the first OWNER, as long as there is none. Who may do it shows the token of the log, or an OWNER's API key. */
export function setUpRoutes(deps: SetUpDeps): readonly FormRoute[] {
  return [
    {
      method: "GET",
      path: "/set-up",
      answer: async (request) => {
        if ((await ownerless(deps)) === undefined) return redirect("/sign-in");
        return deps.visitors.show(request, (csrf) => setUpPage({ csrf, token: request.query.get("token") ?? "" }));
      },
    },
    {
      method: "POST",
      path: "/set-up",
      judge: deps.visitors.judge,
      answer: async (request) => {
        deps.visitors.refuseForged(request);
        const account = await ownerless(deps);
        return account === undefined ? redirect("/sign-in") : setUp(deps, account, request);
      },
    },
  ];
}

/** The account that has nobody yet who could sign in and invite others. */
async function ownerless({ accounts, members }: Pick<SetUpDeps, "accounts" | "members">): Promise<AccountRow | undefined> {
  const account = await firstAccount({ accounts });
  return account === undefined || (await members.hasOwner(account.id)) ? undefined : account;
}

async function setUp(deps: SetUpDeps, account: AccountRow, request: FormRequest): ReturnType<FormRoute["answer"]> {
  const { form, ip, headers } = request;
  const [token, name, email, password] = [typed(form, "token"), typed(form, "name"), typed(form, "email"), form.get("password") ?? ""];
  const show = (problems: FormProblems, status: number) =>
    deps.visitors.show(request, (csrf) => setUpPage({ csrf, token, name, email, problems, status }));
  const problems = {
    token: token === "" ? texts.noToken : undefined,
    name: nameProblem(name),
    email: emailProblem(email),
    password: passwordProblem(password, [name, email]),
  };
  if (hasProblem(problems)) return show(problems, 400);
  const begun = deps.attempts.begin(ip, null);
  if ("pauseSeconds" in begun) return show({ "": signInTexts.pause(begun.pauseSeconds) }, 429);
  if (!(await isAllowed(deps, account, token))) return show({ token: texts.wrongToken }, 401);
  begun.takeBack();
  const fresh = { uuid: crypto.randomUUID(), name, email, passwordHash: await deps.passwords.hash(password), createdAtMs: deps.nowMs() };
  const owner = await deps.members.addFirstOwner(account.id, fresh).catch((error: unknown) => {
    if (hasCode(error, "conflict")) return null;
    throw error;
  });
  if (owner === null) return show({ email: texts.emailTaken }, 409);
  if (owner === undefined) return redirect("/sign-in");
  await deps.audit({
    accountId: account.id,
    atMs: deps.nowMs(),
    operation: "createFirstOwner",
    resourceId: owner.uuid,
    fields: ["name", "email", "password"],
    actor: { userId: owner.uuid, userName: owner.email, role: "OWNER" },
    request: auditRequest("POST", request, 303),
  });
  const cookies = await deps.signIns.open(headers, account.id, { userId: owner.id, method: "password" });
  return redirect("/", [...cookies, deps.browsers.remember(owner.email)]);
}

async function isAllowed({ hashOf, keys }: SetUpDeps, account: AccountRow, token: string): Promise<boolean> {
  if (isSameText(token, setUpToken(hashOf, account.uuid))) return true;
  const key = keyKind(token) === null ? undefined : await keys.byHash(hashOf(token));
  return key?.role === "OWNER" && isForPeople(key) && key.accountId === account.id;
}

interface SetUpView {
  readonly csrf: string;
  readonly token: string;
  readonly name?: string;
  readonly email?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function setUpPage({ csrf, token, name = "", email = "", problems = {}, status = 200 }: SetUpView): PageAnswer {
  const knowsToken = token !== "" && problems["token"] === undefined;
  const tokenField = field({
    name: "token",
    label: texts.token,
    type: "password",
    autocomplete: "off",
    hint: texts.tokenHint,
    problems,
    isFirst: true,
  });
  const content = html`${knowsToken ? hidden("token", token) : tokenField}
${field({ name: "name", label: peopleTexts.yourName, value: name, autocomplete: "name", problems, isFirst: knowsToken })}
${field({ name: "email", label: peopleTexts.email, type: "email", value: email, autocomplete: "username", problems })}
${newPasswordField(problems)}
<button>${texts.create}</button>`;
  const body = html`<h1>${texts.heading}</h1>
<p class="lead">${texts.lead}</p>
${problemBox(problems[""])}
${postForm("/set-up", csrf, content)}`;
  return cardPage({ title: texts.title, body, status });
}
