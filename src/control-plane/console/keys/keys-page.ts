import type { ApiKey, NewApiKey } from "#contract/api-keys.ts";
import { roleIncludes, roleNames } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { timeElement } from "../../pages/public/units.ts";
import { asksAgain } from "../asks-again.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

export interface KeysView {
  readonly keys: readonly ApiKey[];
  readonly done?: string | null;
  /** Just now: it is shown once. */
  readonly made?: NewApiKey;
  /** What was typed of a new one, and what is wrong with it. */
  readonly draft?: { readonly name: string; readonly role: string; readonly kind: string };
  readonly problems?: FormProblems;
  readonly status?: number;
}

const doneTexts: Readonly<Record<string, string>> = { revoked: "The key is revoked; nobody gets in with it any more." };

const kindTexts = { service: "service key", user: "user key" } as const;
const kinds = [
  ["service", "Service key: bound to this account"],
  ["user", "User key: each request names the account"],
] as const;

export function keysPage(visit: Visit, view: KeysView): FormAnswer {
  const { keys, done = null, made, problems = {}, status = 200 } = view;
  const body = html`<h1>API keys</h1>
<p class="lead">What programs call the <a href="/docs">API</a> with. Keys of agents are on the pages of their <a href="/locations">locations</a>.</p>
${problemBox(problems[""])}
${doneBox(doneTexts, done)}
${made && madeBox(made)}
${keys.length === 0 ? html`<p class="box">There is no key.</p>` : html`<ul class="list">${keys.map((key) => row(visit, key))}</ul>`}
<section class="more"><h2>Make a key</h2>${form(visit, view)}</section>`;
  return { ...consolePage(visit, { title: "API keys", style: tellStyle, body }), status };
}

function madeBox({ name, rawKey }: NewApiKey): Html {
  return html`<div class="box good" role="status"><strong>The key ${name} is made.</strong> It is shown only now:<br><code>${rawKey}</code></div>`;
}

function row(visit: Visit, { id, name, kind, role, maskedKey, created_at: createdAt, lastUsedAt }: ApiKey): Html {
  const isOwn = "keyId" in visit.actor && visit.actor.keyId === id;
  const title = name === "" ? maskedKey : name;
  const used = lastUsedAt === null ? "never used" : html`last used ${timeElement(Date.parse(lastUsedAt))}`;
  const question = `Revoke ${title}? Whatever uses it is refused from then on.${isOwn ? " You are signed in with it." : ""}`;
  return html`<li><div class="who"><strong>${title}${isOwn && " (yours)"}</strong><span><code>${maskedKey}</code> · ${role} · ${kindTexts[kind]}</span>
<span>made ${timeElement(Date.parse(createdAt))} · ${used}</span></div>
<div class="does">${roleIncludes(visit.role, role) && asksAgain(visit.csrf, `/keys/${id}/revoke`, question, "Revoke", title)}</div></li>`;
}

function form(visit: Visit, { draft = { name: "", role: "READ_ONLY", kind: "service" }, problems = {} }: KeysView): Html {
  const roles = roleNames.filter((name) => roleIncludes(visit.role, name)).map((name) => [name, name] as const);
  const content = html`${field({ name: "name", label: "What it is for", value: draft.name, autocomplete: "off", maxLength: 100, problems })}
<div class="pair">${select({ name: "role", label: "Role", value: draft.role, options: roles })}
${select({ name: "kind", label: "Kind", value: draft.kind, options: kinds })}</div>
<p class="hint">READ_ONLY reads all but keys and the audit log. READ_RUN also runs checks, READ_WRITE changes what is monitored, ADMIN also manages keys and members.</p>
<div class="send"><button>Make the key</button></div>`;
  return postForm("/keys", visit.csrf, content, "form");
}
