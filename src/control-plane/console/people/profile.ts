import type { FormAnswer } from "../../http/form-routes.ts";
import { html } from "../../pages/html.ts";
import type { UserRow, UserStore } from "../../storage/storage.ts";
import { type FormProblems, field, hasProblem, hidden, postForm, problemBox } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { type Attempts, pauseText } from "../sign-in/attempts.ts";
import type { Passwords } from "../sign-in/password.ts";
import type { SignIns } from "../sign-in/signed-in.ts";
import { type ConsolePage, redirect, type Visit } from "../visit.ts";
import { nameProblem, newPasswordField, newPasswordProblem, typed } from "./person-fields.ts";

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
    current: old === "" ? "Enter your current password" : undefined,
    password: newPasswordProblem(password, [user.name, user.email]),
  };
  if (hasProblem(problems)) return profilePage(visit, { problems, status: 400 });
  const begun = attempts.begin(ip, user.email);
  if ("pauseSeconds" in begun) return profilePage(visit, { problems: { "": pauseText(begun.pauseSeconds) }, status: 429 });
  if (!(await passwords.verify(old, user.passwordHash)))
    return profilePage(visit, { problems: { current: "This is not your current password" }, status: 401 });
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

const doneTexts: Readonly<Record<string, string>> = {
  name: "Your name is changed.",
  password: "Your password is changed. You were signed out everywhere else.",
};

function profilePage(visit: Visit, { done = null, name, problems = {}, status = 200 }: ProfileView): FormAnswer {
  const { user, csrf } = visit;
  const doneText = done !== null && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined;
  if (user === null) {
    const text = html`<h1>Profile</h1>\n<p class="lead">An API key is signed in here. A key has no name or password to change.</p>`;
    return consolePage(visit, { title: "Profile", body: text });
  }
  const nameForm = html`${field({ name: "name", label: "Name", value: name ?? user.name, autocomplete: "name", problems })}
<button>Save the name</button>`;
  const passwordForm = html`${hidden("username", user.email)}
${field({ name: "current", label: "Current password", type: "password", autocomplete: "current-password", problems })}
${newPasswordField(problems, "New password")}
<button>Change the password</button>`;
  const body = html`<h1>Profile</h1>
<p class="lead">${user.email}</p>
${problemBox(problems[""])}
${doneText !== undefined && html`<p class="box good" role="status">${doneText}</p>`}
<section class="narrow"><h2>Name</h2>${postForm("/profile/name", csrf, nameForm)}</section>
<section class="narrow"><h2>Password</h2>
<p class="hint">A new password signs you out everywhere else.</p>
${postForm("/profile/password", csrf, passwordForm)}</section>`;
  return { ...consolePage(visit, { title: "Profile", body }), status };
}
