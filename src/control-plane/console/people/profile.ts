import type { FormAnswer } from "../../http/form-routes.ts";
import { html } from "../../pages/html.ts";
import type { UserRow, UserStore } from "../../storage/storage.ts";
import { peopleTexts, profileTexts as texts } from "../../texts/people.ts";
import { signInTexts } from "../../texts/sign-in.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, field, hasProblem, hidden, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { Attempts } from "../sign-in/attempts.ts";
import type { Passwords } from "../sign-in/password.ts";
import { passwordProblem } from "../sign-in/password-rules.ts";
import type { SignIns } from "../sign-in/signed-in.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { nameProblem, newPasswordField, typed } from "./person-fields.ts";

export interface ProfileDeps {
  readonly users: Pick<UserStore, "setPassword" | "rename">;
  readonly signIns: SignIns;
  readonly attempts: Attempts;
  readonly passwords: Passwords;
}

/** What people change of themselves. */
export function profilePages(deps: ProfileDeps): readonly ConsolePage[] {
  const access = "read";
  return [
    { method: "GET", path: "/profile", access, answer: async (visit) => profilePage(visit, { done: visit.request.query.get("done") }) },
    { method: "POST", path: "/profile/name", access, answer: (visit) => ofUser(visit, (user) => rename(deps, visit, user)) },
    { method: "POST", path: "/profile/password", access, answer: (visit) => ofUser(visit, (user) => changePassword(deps, visit, user)) },
  ];
}

async function ofUser(visit: Visit, change: (user: UserRow) => Promise<FormAnswer>): Promise<FormAnswer> {
  return visit.user === null ? redirect("/profile") : change(visit.user);
}

async function rename({ users }: ProfileDeps, visit: Visit, user: UserRow): Promise<FormAnswer> {
  const name = typed(visit.request.form, "name");
  const problems = { name: nameProblem(name) };
  if (hasProblem(problems)) return profilePage(visit, { name, problems, status: 400 });
  await users.rename(user.id, name);
  await visit.audit("renameUser", user.uuid, ["name"]);
  return redirect("/profile?done=name");
}

/** Ends all sign-ins of the user; here it goes on under a new one. */
async function changePassword({ users, attempts, passwords, signIns }: ProfileDeps, visit: Visit, user: UserRow): Promise<FormAnswer> {
  const { form, ip, headers } = visit.request;
  const [old, password] = [form.get("current") ?? "", form.get("password") ?? ""];
  const problems = {
    current: old === "" ? texts.noCurrent : undefined,
    password: passwordProblem(password, [user.name, user.email]),
  };
  if (hasProblem(problems)) return profilePage(visit, { problems, status: 400 });
  // Where one is signed in nobody else's guesses count.
  const begun = attempts.begin(ip, user.email, visit.tokenHash);
  if ("pauseSeconds" in begun) return profilePage(visit, { problems: { "": signInTexts.pause(begun.pauseSeconds) }, status: 429 });
  if (!(await passwords.verify(old, user.passwordHash)))
    return profilePage(visit, { problems: { current: texts.wrongCurrent }, status: 401 });
  begun.takeBack();
  await users.setPassword(user.id, await passwords.hash(password));
  await visit.audit("changePassword", user.uuid, ["password"]);
  return redirect("/profile?done=password", await signIns.open(headers, visit.account.id, { userId: user.id }));
}

interface ProfileView {
  readonly done?: string | null;
  readonly name?: string;
  readonly problems?: FormProblems;
  readonly status?: number;
}

function profilePage(visit: Visit, { done = null, name, problems = {}, status = 200 }: ProfileView): FormAnswer {
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
${doneBox(texts.done, done)}
<section class="narrow"><h2>${peopleTexts.name}</h2>${postForm("/profile/name", csrf, nameForm)}</section>
<section class="narrow"><h2>${peopleTexts.password}</h2>
<p class="hint">${texts.passwordHint}</p>
${postForm("/profile/password", csrf, passwordForm)}</section>`;
  return { ...consolePage(visit, { title: texts.title, body }), status };
}
