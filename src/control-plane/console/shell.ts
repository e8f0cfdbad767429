import type { RoleAccess } from "#domain/key.ts";
import { roleAllows } from "#domain/key.ts";
import type { PageAnswer } from "../http/page-routes.ts";
import { type Html, html } from "../pages/html.ts";
import { page } from "../pages/page.ts";
import { cardStyle, consoleStyle, shellStyle } from "./console-style.ts";
import { hidden, postForm } from "./form-view.ts";
import type { Visit } from "./visit.ts";

interface Destination {
  readonly path: string;
  readonly label: string;
  readonly access: RoleAccess;
}

/** The pages that the bar on top leads to. */
const navigation: readonly Destination[] = [
  { path: "/checks", label: "Checks", access: "read" },
  { path: "/alerts", label: "Alerts", access: "read" },
  { path: "/incidents", label: "Incidents", access: "read" },
  { path: "/locations", label: "Locations", access: "read" },
  { path: "/maintenance", label: "Maintenance", access: "read" },
  { path: "/pages", label: "Pages", access: "read" },
];

/** What is set up once and looked at now and then. */
const settings: readonly Destination[] = [
  { path: "/channels", label: "Channels", access: "read" },
  { path: "/variables", label: "Variables", access: "read" },
  { path: "/snippets", label: "Snippets", access: "read" },
  { path: "/certificates", label: "Client certificates", access: "read" },
  { path: "/keys", label: "API keys", access: "admin" },
  { path: "/members", label: "Members", access: "admin" },
  { path: "/audit", label: "Audit log", access: "admin" },
  { path: "/docs", label: "API reference", access: "read" },
];

export interface ContentView {
  readonly title: string;
  /** Beside the style of the console. */
  readonly style?: string;
  /** Modules of `pages/browser/`. */
  readonly modules?: readonly string[];
  readonly body: Html;
}

/** A page inside the frame of the console: where one can go, which account it is, who is signed in. */
export function consolePage(visit: Visit, { title, style = "", modules = [], body }: ContentView): PageAnswer {
  const frame = html`<a class="skip" href="#content">Skip to the content</a>
<header class="bar"><div>
<a class="home" href="/checks">Outpost</a>
<nav aria-label="Pages"><ul>${destinations(visit, navigation)}<li>${settingsMenu(visit)}</li></ul></nav>
${personMenu(visit)}
</div></header>
<main class="content" id="content">
${body}
</main>`;
  return page({ title: `${title} · Outpost`, style: consoleStyle + shellStyle + style, body: frame, hasForms: true, modules });
}

function destinations(visit: Visit, among: readonly Destination[]): readonly Html[] {
  return among
    .filter(({ access }) => roleAllows(visit.role, access))
    .map(({ path, label }) => html`<li><a href="${path}"${isHere(visit, path) && html` aria-current="page"`}>${label}</a></li>`);
}

function isHere({ request }: Visit, path: string): boolean {
  const here = request.url.split("?")[0] ?? "";
  return here === path || here.startsWith(`${path}/`);
}

/** Opening one menu of the bar shuts the other, without a script. */
const menuName = "bar";

function settingsMenu(visit: Visit): Html {
  const isInside = settings.some(({ path }) => isHere(visit, path));
  return html`<details class="menu" name="${menuName}"><summary${isInside && html` aria-current="true"`}>Settings</summary><ul>${destinations(visit, settings)}</ul></details>`;
}

function personMenu({ user, actor, role, account, accounts, csrf }: Visit): Html {
  const name = user?.name ?? `Key ${"keyId" in actor ? actor.maskedKey : ""}`;
  const others = accounts.filter(({ accountUuid }) => accountUuid !== account.uuid);
  return html`<details class="me menu" name="${menuName}"><summary>${name}</summary><div>
<p>${user?.email ?? "Signed in with an API key"}<span>${role} of ${account.name}</span></p>
<div class="links">
${user !== null && html`<a href="/profile">Your profile</a>`}
${others.map(({ accountUuid, accountName }) =>
  postForm("/account", csrf, html`${hidden("account", accountUuid)}<button class="quiet">Go to ${accountName}</button>`),
)}
${postForm("/sign-out", csrf, html`<button class="quiet">Sign out</button>`)}
</div></div></details>`;
}

/** A page of somebody who is not signed in: one card. */
export function cardPage({
  title,
  body,
  status = 200,
}: {
  readonly title: string;
  readonly body: Html;
  readonly status?: number;
}): PageAnswer {
  const card = html`<main><p class="brand">Outpost</p>\n${body}</main>`;
  return { ...page({ title: `${title} · Outpost`, style: consoleStyle + cardStyle, body: card, hasForms: true }), status };
}

/** What a person is told about an error. */
export function errorPage(status: number, message: string): PageAnswer {
  const title = titles[status] ?? "Something went wrong";
  const text = /[.!?]$/.test(message) ? message : `${message}.`;
  const body = html`<h1>${title}</h1>\n<p class="lead">${text}</p>\n<p><a href="/">To the start</a> · <a href="/sign-in">Sign in</a></p>`;
  return cardPage({ title, body, status });
}

const titles: Readonly<Record<number, string>> = {
  400: "This cannot be taken",
  403: "Not allowed",
  404: "There is no such page",
  409: "This does not go",
  413: "Too large",
  429: "Too many attempts",
  503: "Not now",
};
