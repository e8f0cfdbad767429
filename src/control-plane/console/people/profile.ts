import type { FormAnswer } from "../../http/form-routes.ts";
import type { UserRow, UserStore } from "../../storage/storage.ts";
import { peopleTexts, profileTexts as texts } from "../../texts/people.ts";
import { accountRuleTexts } from "../../texts/second-factor.ts";
import { signInTexts } from "../../texts/sign-in.ts";
import { html } from "../../view/html.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, field, hasProblem, hidden, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { passwordProblem } from "../sign-in/password-rules.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { type ConnectDeps, connectPages, connectSection } from "./connect-pages.ts";
import { nameProblem, newPasswordField, typed } from "./person-fields.ts";
import { type SecondFactorPageDeps, secondFactorPages, secondFactorSection } from "./second-factor-pages.ts";

export interface ProfileDeps extends SecondFactorPageDeps, ConnectDeps {
  readonly users: Pick<UserStore, "setPassword" | "rename">;
}

/** What people change of themselves. */
export function profilePages(deps: ProfileDeps): readonly ConsolePage[] {
  const access = "read";
  const isForBarred = true;
  const back = (visit: Visit, problems: FormProblems, status: number): Promise<FormAnswer> =>
    profilePage(deps, visit, { problems, status });
  const done = (visit: Visit): Promise<FormAnswer> => profilePage(deps, visit, { done: visit.request.query.get("done") });
  return [
    { method: "GET", path: "/profile", access, isForBarred, answer: done },
    ...secondFactorPages(deps, back),
    ...connectPages(deps, back),
    { method: "POST", path: "/profile/name", access, isForBarred, answer: (visit) => ofUser(visit, (user) => rename(deps, visit, user)) },
    {
      method: "POST",
      path: "/profile/password",
      access,
      isForBarred,
      answer: (visit) => ofUser(visit, (user) => changePassword(deps, visit, user)),
    },
  ];
}

async function ofUser(visit: Visit, change: (user: UserRow) => Promise<FormAnswer>): Promise<FormAnswer> {
  return visit.user === null ? redirect("/profile") : change(visit.user);
}

async function rename(deps: ProfileDeps, visit: Visit, user: UserRow): Promise<FormAnswer> {
  const name = typed(visit.request.form, "name");
  const problems = { name: nameProblem(name) };
  if (hasProblem(problems)) return profilePage(deps, visit, { name, problems, status: 400 });
  await deps.users.rename(user.id, name);
  await visit.audit("renameUser", user.uuid, ["name"]);
  return redirect("/profile?done=name");
}

/** Ends all sign-ins of the user; here it goes on under a new one. */
async function changePassword(deps: ProfileDeps, visit: Visit, user: UserRow): Promise<FormAnswer> {
  const { users, attempts, passwords, signIns } = deps;
  const { form, ip, headers } = visit.request;
  const [old, password] = [form.get("current") ?? "", form.get("password") ?? ""];
  const problems = {
    current: old === "" ? texts.noCurrent : undefined,
    password: passwordProblem(password, [user.name, user.email]),
  };
  if (hasProblem(problems)) return profilePage(deps, visit, { problems, status: 400 });
  // Where one is signed in nobody else's guesses count.
  const begun = attempts.begin(ip, user.email, visit.tokenHash);
  if ("pauseSeconds" in begun) return profilePage(deps, visit, { problems: { "": signInTexts.pause(begun.pauseSeconds) }, status: 429 });
  if (!(await passwords.verify(old, user.passwordHash)))
    return profilePage(deps, visit, { problems: { current: texts.wrongCurrent }, status: 401 });
  begun.takeBack();
  await users.setPassword(user.id, await passwords.hash(password));
  await visit.audit("changePassword", user.uuid, ["password"]);
  return redirect("/profile?done=password", await signIns.open(headers, visit.account.id, { userId: user.id, method: visit.method }));
}

interface ProfileView {
  readonly done?: string | null;
  readonly name?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

async function profilePage(
  deps: ProfileDeps,
  visit: Visit,
  { done = null, name, problems = {}, status = 200 }: ProfileView,
): Promise<FormAnswer> {
  const { user, csrf } = visit;
  if (user === null) {
    const text = html`<h1>${texts.title}</h1>\n<p class="lead">${texts.ofKey}</p>`;
    return consolePage(visit, { title: texts.title, body: text });
  }
  const nameForm = html`${field({ name: "name", label: peopleTexts.name, value: name ?? user.name, autocomplete: "name", problems })}
<button>${texts.saveName}</button>`;
  const passwordForm = html`${hidden("username", user.email)}
${field({ name: "current", label: texts.currentPassword, type: "password", autocomplete: "current-password", problems })}
${newPasswordField(problems, texts.newPassword)}
<button>${texts.changePassword}</button>`;
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${user.email}</p>
${problemBox(problems[""])}
${visit.barred !== null && html`<p class="box bad" role="alert">${accountRuleTexts[visit.barred]}. ${visit.barred === "provider" && deps.oidc !== null && html`<a href="/sign-in/sso">${signInTexts.byProvider(deps.oidc.name)}</a>`}</p>`}
${doneBox(texts.done, done)}
<section class="narrow"><h2>${peopleTexts.name}</h2>${postForm("/profile/name", csrf, nameForm)}</section>
<section class="narrow"><h2>${peopleTexts.password}</h2>
<p class="hint">${texts.passwordHint}</p>
${postForm("/profile/password", csrf, passwordForm)}</section>
${secondFactorSection(visit, user, await deps.secondFactors.codesLeft(user), problems)}
${await connectSection(deps, visit, user, problems)}`;
  return { ...consolePage(visit, { title: texts.title, body }), status };
}
