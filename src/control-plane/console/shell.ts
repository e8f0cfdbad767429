import { type RoleAccess, roleAllows } from "#domain/key.ts";
import type { ErrorTold, FormAnswer } from "../http/form-routes.ts";
import type { PageAnswer } from "../http/page-routes.ts";
import { page } from "../pages/page.ts";
import { findTexts } from "../texts/find.ts";
import { roleTexts } from "../texts/roles.ts";
import { shellTexts as texts } from "../texts/shell.ts";
import { type Html, html } from "../view/html.ts";
import { appearanceOf, appearanceStyle } from "./appearance/appearance.ts";
import { codeOwnerBox } from "./code/code-owner-box.ts";
import { cardStyle, consoleStyle, shellStyle } from "./console-style.ts";
import type { Findable } from "./find/found.ts";
import { hidden, postForm } from "./form-view.ts";
import type { Visit } from "./visit.ts";

interface Destination {
  readonly path: `/${keyof typeof texts.destinations}`;
  readonly access: RoleAccess;
}

/** The pages that the bar on top leads to. */
const navigation: readonly Destination[] = [
  { path: "/checks", access: "read" },
  { path: "/groups", access: "read" },
  { path: "/alerts", access: "read" },
  { path: "/incidents", access: "read" },
  { path: "/locations", access: "read" },
  { path: "/maintenance", access: "read" },
  { path: "/pages", access: "read" },
];

/** What is set up once and looked at now and then. */
const settings: readonly Destination[] = [
  { path: "/channels", access: "read" },
  { path: "/variables", access: "read" },
  { path: "/snippets", access: "read" },
  { path: "/certificates", access: "read" },
  { path: "/keys", access: "admin" },
  { path: "/members", access: "admin" },
  { path: "/audit", access: "admin" },
  { path: "/docs/guide", access: "read" },
  { path: "/docs", access: "read" },
];

export interface ContentView {
  readonly title: string;
  /** Beside the style of the console. */
  readonly style?: string;
  /** Modules of `pages/browser/`. */
  readonly modules?: readonly string[];
  readonly body: Html;
  /** Pictures and videos of ours. */
  readonly showsFiles?: boolean;
  /** It is large and shows no secret but its forms' token: it is sent packed. */
  readonly isPacked?: boolean;
}

/** A page inside the frame of the console: where one can go, which account it is, who is signed in. */
export function consolePage(
  visit: Visit,
  { title, style = "", modules = [], body, showsFiles = false, isPacked = false }: ContentView,
): FormAnswer {
  const frame = html`<a class="skip" href="#content">${texts.skip}</a>
<header class="bar"><div>
<a class="home" href="/checks">${texts.product}</a>
<nav aria-label="${texts.pages}"><ul>${destinations(visit, navigation)}<li>${settingsMenu(visit)}</li></ul></nav>
<a id="find" class="find" href="/find">${findTexts.open} <kbd>${findTexts.keys}</kbd></a>
${personMenu(visit)}
</div></header>
<dialog id="palette" aria-label="${findTexts.label}"><form role="search" method="get" action="/find"><label for="palette-words" class="hidden">${findTexts.label}</label><input id="palette-words" type="search" name="q" maxlength="200" autocomplete="off" placeholder="${findTexts.label}"></form><div id="found"><p class="hint">${findTexts.begin}</p></div></dialog>
<main class="content" id="content">
${codeOwnerBox(visit)}${body}
</main>`;
  return {
    ...page({
      title: texts.titleOf(title),
      style: consoleStyle + shellStyle + style + appearanceStyle(appearanceOf(visit.request.headers)),
      body: frame,
      hasForms: true,
      showsFiles,
      modules: ["palette", ...modules],
    }),
    ...(isPacked && { packedApart: [visit.csrf] }),
  };
}

/** A form that comes back with what is wrong with it: the title says so first, to those who hear it. */
export function asRefused(answer: FormAnswer): FormAnswer {
  const { body } = answer;
  return typeof body === "string" ? { ...answer, body: body.replace("<title>", `<title>${texts.refused}`) } : answer;
}

/** The pages that the search over everything knows. */
export function findablePages(): readonly Findable[] {
  const known = [...navigation, ...settings].map(
    ({ path, access }): Findable => ({ kind: "page", name: labelOf(path), href: path, access }),
  );
  return [...known, { kind: "page", name: texts.profile, href: "/profile", access: "read" }];
}

function destinations(visit: Visit, among: readonly Destination[]): readonly Html[] {
  return among
    .filter(({ access }) => roleAllows(visit.role, access))
    .map(({ path }) => html`<li><a href="${path}"${isHere(visit, path) && html` aria-current="page"`}>${labelOf(path)}</a></li>`);
}

const labelOf = (path: Destination["path"]): string => texts.destinations[path.slice(1) as keyof typeof texts.destinations];

function isHere({ request }: Visit, path: string): boolean {
  const here = request.url.split("?")[0] ?? "";
  return here === path || here.startsWith(`${path}/`);
}

/** Opening one menu of the bar shuts the other, without a script. */
const menuName = "bar";

function settingsMenu(visit: Visit): Html {
  const isInside = settings.some(({ path }) => isHere(visit, path));
  return html`<details class="menu" name="${menuName}"><summary${isInside && html` aria-current="true"`}>${texts.settings}</summary><ul>${destinations(visit, settings)}</ul></details>`;
}

function personMenu(visit: Visit): Html {
  const { user, actor, role, account, accounts, csrf } = visit;
  const name = user?.name ?? texts.keyName("keyId" in actor ? actor.maskedKey : "");
  const others = accounts.filter(({ accountUuid }) => accountUuid !== account.uuid);
  return html`<details class="me menu" name="${menuName}"><summary>${name}</summary><div>
<p>${user?.email ?? texts.signedInWithKey}<span>${texts.roleIn(roleTexts[role], account.name)}</span></p>
<div class="links">
${user !== null && html`<a href="/profile">${texts.profile}</a>`}
${others.map(({ accountUuid, accountName }) =>
  postForm("/account", csrf, html`${hidden("account", accountUuid)}<button class="quiet">${texts.goTo(accountName)}</button>`),
)}
${appearanceForm(visit)}
${postForm("/sign-out", csrf, html`<button class="quiet">${texts.signOut}</button>`)}
</div></div></details>`;
}

/** Each choice is a button: one click, with or without a script. */
function appearanceForm({ csrf, request }: Visit): Html {
  const now = appearanceOf(request.headers);
  const choices = <Name extends "theme" | "density">(name: Name, label: string, values: Readonly<Record<string, string>>): Html =>
    html`<div class="choose" role="group" aria-label="${label}"><span>${label}</span>${Object.entries(values).map(
      ([value, text]) =>
        html`<button class="quiet" name="${name}" value="${value}" aria-pressed="${now[name] === value ? "true" : "false"}">${text}</button>`,
    )}</div>`;
  const content = html`${hidden("to", request.method === "GET" ? request.url : "/")}${choices("theme", texts.theme, texts.themes)}${choices("density", texts.density, texts.densities)}`;
  return postForm("/appearance", csrf, content);
}

/** A page of somebody who is not signed in: one card. */
export function cardPage({
  title,
  body,
  style = "",
  status = 200,
}: {
  readonly title: string;
  readonly body: Html;
  /** Beside the style of cards. */
  readonly style?: string;
  readonly status?: number;
}): PageAnswer {
  const card = html`<main><p class="brand">${texts.product}</p>\n${body}</main>`;
  return { ...page({ title: texts.titleOf(title), style: consoleStyle + cardStyle + style, body: card, hasForms: true }), status };
}

/** What a person is told about an error. */
export function errorPage(told: ErrorTold): PageAnswer {
  const { status, isSignedIn = false } = told;
  const { title, text } = errorText(told);
  const body = html`${text}
<p><a href="/">${texts.toStart}</a>${status !== 404 && !isSignedIn && html` · <a href="/sign-in">${texts.signIn}</a>`}</p>`;
  return cardPage({ title, body, status });
}

/** The same inside the frame of the console. */
export function consoleErrorPage(visit: Visit, told: ErrorTold): FormAnswer {
  const { title, text } = errorText(told);
  const body = html`${text}\n<p><a href="/">${texts.toStart}</a></p>`;
  return { ...consolePage(visit, { title, body }), status: told.status };
}

function errorText({ status, message, againSeconds }: ErrorTold): { readonly title: string; readonly text: Html } {
  const title = texts.errors[status] ?? texts.error;
  const sentence = /[.!?]$/.test(message) ? message : `${message}.`;
  const again = againSeconds !== undefined && ` ${texts.comeBack(againSeconds)}`;
  return { title, text: html`<h1>${title}</h1>\n<p class="lead">${sentence}${again}</p>` };
}

/** Where nothing is. */
export function noPage(): PageAnswer {
  return errorPage({ status: 404, message: texts.noPage });
}
