import type { ApiKey, NewApiKey } from "#contract/api-keys.ts";
import { scopeResources } from "#contract/key-scopes.ts";
import { roleIncludes, roleNames } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { apiKeyTexts as texts } from "../../texts/api-keys.ts";
import { roleTexts } from "../../texts/roles.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { type FormProblems, field, postForm, problemBox, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

/** What a new key is made of, as it is typed: a day, and lists with blanks or commas between. */
export const draftFields = ["name", "role", "kind", "expiresAt", "allowedNetworks", "scopes"] as const;
export type KeyDraft = Readonly<Record<(typeof draftFields)[number], string>>;

const newDraft: KeyDraft = { name: "", role: "READ_ONLY", kind: "service", expiresAt: "", allowedNetworks: "", scopes: "" };

export interface KeysView {
  readonly keys: readonly ApiKey[];
  readonly done?: string | null;
  /** Just now: it is shown once. */
  readonly made?: NewApiKey;
  /** What was typed of a new one, and what is wrong with it. */
  readonly draft?: KeyDraft;
  readonly problems?: FormProblems;
  readonly status?: number;
}

export function keysPage(visit: Visit, view: KeysView): FormAnswer {
  const { keys, done = null, made, problems = {}, status = 200 } = view;
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead(
    (text) => html`<a href="/docs">${text}</a>`,
    (text) => html`<a href="/locations">${text}</a>`,
  )}</p>
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${made && madeBox(made)}
${keys.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="list">${keys.map((key) => row(visit, key))}</ul>`}
<section class="more"><h2>${texts.makeHeading}</h2>${form(visit, view)}</section>`;
  return { ...consolePage(visit, { title: texts.title, style: tellStyle, body }), status };
}

function madeBox({ name, rawKey }: NewApiKey): Html {
  return html`<div class="box good" role="status"><strong>${texts.made(name)}</strong> ${texts.shownOnce}<br><code>${rawKey}</code></div>`;
}

function row(visit: Visit, key: ApiKey): Html {
  const { id, name, kind, role, maskedKey, created_at: createdAt, lastUsedAt } = key;
  const isOwn = "keyId" in visit.actor && visit.actor.keyId === id;
  const title = name === "" ? maskedKey : name;
  const made = timeElement(Date.parse(createdAt));
  const used = lastUsedAt === null ? texts.neverUsed(made) : texts.lastUsed(made, timeElement(Date.parse(lastUsedAt)));
  const question = isOwn ? texts.revokeOwnQuestion(title) : texts.revokeQuestion(title);
  return html`<li><div class="who"><strong>${isOwn ? texts.yours(title) : title}</strong><span><code>${maskedKey}</code> · ${roleTexts[role]} · ${texts.kinds[kind]}</span>
<span>${used}</span>${limitsOf(key)}</div>
<div class="does">${roleIncludes(visit.role, role) && confirmedAction(visit.csrf, `/keys/${id}/revoke`, question, actionTexts.revoke, title)}</div></li>`;
}

/** What the key may not, in a line; nothing where only its role says so. */
function limitsOf({ expiresAt, allowedNetworks, scopes }: ApiKey): Html | false {
  const limits = [
    expiresAt !== null && texts.expires(timeElement(Date.parse(expiresAt))),
    allowedNetworks !== null && html`${texts.onlyFrom(allowedNetworks.join(", "))}`,
    scopes !== null && html`${texts.onlyFor(scopes.join(", "))}`,
  ].filter((limit) => limit !== false);
  return limits.length > 0 && html`<span>${limits.map((limit, index) => html`${index > 0 && " · "}${limit}`)}</span>`;
}

function form(visit: Visit, { draft = newDraft, problems = {} }: KeysView): Html {
  const roles = roleNames.filter((name) => roleIncludes(visit.role, name)).map((name) => [name, roleTexts[name]] as const);
  const content = html`${field({ name: "name", label: texts.purpose, value: draft.name, autocomplete: "off", maxLength: 100, problems })}
<div class="pair">${select({ name: "role", label: texts.role, value: draft.role, options: roles })}
${select({ name: "kind", label: texts.kind, value: draft.kind, options: Object.entries(texts.kindChoices) })}</div>
<p class="hint">${texts.roles}</p>
${field({ name: "expiresAt", label: texts.lastDay, type: "date", value: draft.expiresAt, hint: texts.lastDayHint, autocomplete: "off", problems, isOptional: true })}
${field({ name: "allowedNetworks", label: texts.networks, value: draft.allowedNetworks, hint: texts.networksHint, autocomplete: "off", problems, isOptional: true, maxLength: 2_500 })}
${field({ name: "scopes", label: texts.scopes, value: draft.scopes, hint: texts.scopesHint(scopeResources.join(", ")), autocomplete: "off", problems, isOptional: true, maxLength: 5_000 })}
<div class="send"><button>${texts.makeIt}</button></div>`;
  return postForm("/keys", visit.csrf, content, "form");
}
