import { roleIncludes, roleNames } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import type { InvitationRow, MemberRow, Role } from "../../storage/storage.ts";
import { asksAgain } from "../asks-again.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";

export interface MembersView {
  readonly members: readonly MemberRow[];
  readonly invitations: readonly InvitationRow[];
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

const doneTexts: Readonly<Record<string, string>> = {
  changed: "The role is changed; it counts from now on.",
  removed: "The member is removed and signed out.",
  withdrawn: "The invitation is withdrawn; its link leads nowhere.",
};

export function membersPage(visit: Visit, view: MembersView): FormAnswer {
  const { members, invitations, done = null, invited, problems = {}, status = 200 } = view;
  const doneText = done !== null && Object.hasOwn(doneTexts, done) ? doneTexts[done] : undefined;
  const body = html`<h1>Members</h1>
<p class="lead">People who can sign in to ${visit.account.name}.</p>
${problemBox(problems[""])}
${doneText !== undefined && html`<p class="box good" role="status">${doneText}</p>`}
${invited && invitedBox(invited)}
<section aria-label="Members"><ul class="list">${members.map((member) => memberRow(visit, member))}</ul></section>
${
  invitations.length > 0 &&
  html`<section><h2>Invitations</h2>
<ul class="list">${invitations.map((invitation) => invitationRow(visit, invitation))}</ul></section>`
}
<section><h2>Invite somebody</h2>${inviteForm(visit, view)}</section>`;
  return { ...consolePage(visit, { title: "Members", body }), status };
}

function invitedBox({ email, link, isMailed }: NonNullable<MembersView["invited"]>): Html {
  const mailed = html`<strong>A mail with a link was handed over for ${email}.</strong> Should it not arrive, send the link yourself.`;
  const unmailed = html`${isMailed === false && "The mail server did not take the mail. "}<strong>Send this link to ${email}.</strong>`;
  return html`<div class="box good" role="status">${isMailed === true ? mailed : unmailed} It is shown only now, and is good for 7 days:<br>
<code>${link}</code></div>`;
}

function memberRow(visit: Visit, { uuid, name, email, role }: MemberRow): Html {
  const isSelf = visit.user?.uuid === uuid;
  const mayChange = roleIncludes(visit.role, role);
  return html`<li><div class="who"><strong>${name}${isSelf && " (you)"}</strong><span>${email}</span></div>
<div class="does">${mayChange ? roleForm(visit, uuid, name, role) : html`<span class="fixed">${role}</span>`}
${mayChange && asksAgain(visit.csrf, `/members/${uuid}/remove`, isSelf ? "Leave this account?" : `Remove ${name} from this account?`, isSelf ? "Leave" : "Remove", name)}</div></li>`;
}

function roleForm(visit: Visit, uuid: string, name: string, role: Role): Html {
  const label = `Role of ${name}`;
  const choice = select({ name: "role", id: `role-${uuid}`, label, isLabelHidden: true, value: role, options: roleOptions(visit) });
  return postForm(
    `/members/${uuid}/role`,
    visit.csrf,
    html`${choice}<button class="quiet">Change<span class="hidden"> the role of ${name}</span></button>`,
  );
}

function invitationRow(visit: Visit, { uuid, email, role, expiresAtMs }: InvitationRow): Html {
  const until = new Date(expiresAtMs).toISOString();
  return html`<li><div class="who"><strong>${email}</strong><span>${role} · until <time datetime="${until}">${until.slice(0, 10)}</time></span></div>
<div class="does">${roleIncludes(visit.role, role) && asksAgain(visit.csrf, `/members/invitations/${uuid}/remove`, `Withdraw the invitation of ${email}?`, "Withdraw", email)}</div></li>`;
}

function inviteForm(visit: Visit, { email = "", role = "READ_WRITE", problems = {} }: MembersView): Html {
  const content = html`${field({ name: "email", label: "E-mail address", type: "email", value: email, autocomplete: "off", problems })}
${select({ name: "role", label: "Role", value: role, options: roleOptions(visit) })}
<button>Invite</button>`;
  return html`${postForm("/members/invitations", visit.csrf, content, "row")}
<p class="roles">READ_ONLY sees everything but keys and the audit log. READ_RUN also runs checks, READ_WRITE changes what is monitored, ADMIN manages
members and keys, OWNER also other owners.</p>`;
}

function roleOptions({ role }: Visit): readonly (readonly [string, string])[] {
  return roleNames.filter((name) => roleIncludes(role, name)).map((name) => [name, name]);
}
