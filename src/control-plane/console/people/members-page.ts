import { roleIncludes, roleNames } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { InvitationRow, MemberRow, Role } from "../../storage/storage.ts";
import { accountTexts } from "../../texts/accounts.ts";
import { actionTexts } from "../../texts/actions.ts";
import { peopleTexts, memberTexts as texts } from "../../texts/people.ts";
import { roleTexts } from "../../texts/roles.ts";
import { accountRuleTexts } from "../../texts/second-factor.ts";
import { type Html, html } from "../../view/html.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";

export interface MembersView {
  readonly members: readonly MemberRow[];
  readonly invitations: readonly InvitationRow[];
  /** Who visits operates the installation. */
  readonly operates: boolean;
  /** What was done before this page. */
  readonly done?: string | null;
  /** Just now: the link is shown once. */
  readonly invited?: {
    readonly email: string;
    readonly link: string;
    /** Whether the mail server took a mail with it; null where no mails are sent. */
    readonly isMailed: boolean | null;
  };
  /** What was typed, and what is wrong with it. */
  readonly email?: string;
  readonly role?: Role;
  readonly problems?: FormProblems;
  readonly status?: number;
}

export function membersPage(visit: Visit, view: MembersView): FormAnswer {
  const { members, invitations, operates, done = null, invited, problems = {}, status = 200 } = view;
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead(visit.account.name)}</p>
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${invited && invitedBox(invited)}
<p><a href="/members/sign-in">${accountRuleTexts.link}</a>${operates && html` · <a href="/accounts">${accountTexts.link}</a>`}</p>
<section aria-label="${texts.title}"><ul class="list">${members.map((member) => memberRow(visit, member))}</ul></section>
${
  invitations.length > 0 &&
  html`<section><h2>${texts.invitations}</h2>
<ul class="list">${invitations.map((invitation) => invitationRow(visit, invitation))}</ul></section>`
}
<section><h2>${texts.inviteHeading}</h2>${inviteForm(visit, view)}</section>`;
  return { ...consolePage(visit, { title: texts.title, body }), status };
}

function invitedBox({ email, link, isMailed }: NonNullable<MembersView["invited"]>): Html {
  const told = isMailed === null ? texts.sendIt(email) : isMailed ? texts.mailed(email) : texts.notMailed(email);
  return html`<div class="box good" role="status">${told} ${texts.shownOnce}<br>
<code>${link}</code></div>`;
}

function memberRow(visit: Visit, { uuid, name, email, role, hasSecondFactor, isConnected }: MemberRow): Html {
  const isSelf = visit.user?.uuid === uuid;
  const mayChange = roleIncludes(visit.role, role);
  return html`<li><div class="who"><strong>${isSelf ? texts.you(name) : name}</strong><span>${[email, hasSecondFactor && texts.hasSecondFactor, isConnected && texts.isConnected].filter((part) => part !== false).join(" · ")}</span></div>
<div class="does">${mayChange ? roleForm(visit, uuid, name, role) : html`<span class="fixed">${roleTexts[role]}</span>`}
${mayChange && confirmedAction(visit.csrf, `/members/${uuid}/remove`, isSelf ? texts.askLeave : texts.askRemove(name), isSelf ? texts.leave : actionTexts.remove, name)}</div></li>`;
}

function roleForm(visit: Visit, uuid: string, name: string, role: Role): Html {
  const label = texts.roleOf(name);
  const choice = select({ name: "role", id: `role-${uuid}`, label, isLabelHidden: true, value: role, options: roleOptions(visit) });
  return postForm(
    `/members/${uuid}/role`,
    visit.csrf,
    html`${choice}<button class="quiet">${texts.changeRole}<span class="hidden"> ${texts.changeRoleOf(name)}</span></button>`,
  );
}

function invitationRow(visit: Visit, { uuid, email, role, expiresAtMs }: InvitationRow): Html {
  const until = new Date(expiresAtMs).toISOString();
  return html`<li><div class="who"><strong>${email}</strong><span>${texts.invitedAs(roleTexts[role], html`<time datetime="${until}">${until.slice(0, 10)}</time>`)}</span></div>
<div class="does">${roleIncludes(visit.role, role) && confirmedAction(visit.csrf, `/members/invitations/${uuid}/remove`, texts.askWithdraw(email), texts.withdraw, email)}</div></li>`;
}

function inviteForm(visit: Visit, { email = "", role = "READ_WRITE", problems = {} }: MembersView): Html {
  const content = html`${field({ name: "email", label: peopleTexts.email, type: "email", value: email, autocomplete: "off", problems })}
${select({ name: "role", label: peopleTexts.role, value: role, options: roleOptions(visit) })}
<button>${texts.invite}</button>`;
  return html`${postForm("/members/invitations", visit.csrf, content, "row")}
<p class="roles">${texts.roles}</p>`;
}

function roleOptions({ role }: Visit): readonly (readonly [string, string])[] {
  return roleNames.filter((name) => roleIncludes(role, name)).map((name) => [name, roleTexts[name]]);
}
