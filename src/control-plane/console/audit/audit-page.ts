import type { AuditLogEntry } from "#contract/audit-log.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { auditTexts as texts } from "../../texts/audit.ts";
import { roleTexts } from "../../texts/roles.ts";
import { type Html, html } from "../../view/html.ts";
import { momentElement } from "../../view/units.ts";
import { hidden, select } from "../form-view.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { type AuditAsked, auditAddress, choiceOf, operationChoices, operationTitle } from "./audit-query.ts";
import { auditStyle as style } from "./audit-style.ts";
import type { NamedResource } from "./resource-names.ts";

interface AuditView {
  readonly asked: AuditAsked;
  readonly entries: readonly AuditLogEntry[];
  readonly named: (entry: AuditLogEntry) => NamedResource | null;
  /** Where earlier ones begin; null: there are none. */
  readonly nextId: string | null;
  /** Who is there now: what the filter says of each, and the name. */
  readonly whos: readonly (readonly [who: string, name: string])[];
}

export function auditPage(visit: Visit, view: AuditView): FormAnswer {
  const { asked, entries, nextId, whos } = view;
  const names = new Map(whos);
  const isAll = Object.values({ ...asked, after: "" }).every((value) => value === "");
  const body = html`<h1>${texts.title}</h1>
<p class="lead">${texts.lead}</p>
${filter(view, isAll)}
${asked.resource !== "" && html`<p class="box">${texts.onlyOf(nameOf(view))}</p>`}
${
  entries.length === 0
    ? html`<p class="box">${isAll && asked.after === "" ? texts.none : texts.noneSuch}</p>`
    : html`<ul class="events">${entries.map((entry) => row(entry, asked, names, view.named(entry)))}</ul>`
}
${pages(asked, nextId)}`;
  return consolePage(visit, { title: texts.title, style, body });
}

/** Of what the page is about alone: by the newest entry that names it, or else its id. */
function nameOf({ asked, entries, named }: AuditView): Html | string {
  const resource = entries.map(named).find((one) => one !== null);
  return resource === undefined ? texts.id(asked.resource) : html`<a href="${resource.href}">${resource.name}</a>`;
}

function filter({ asked, whos }: AuditView, isAll: boolean): Html {
  const { operation, who, resource, from, to } = asked;
  const all = (text: string) => ["", text] as const;
  const own = (value: string, options: readonly (readonly [string, string])[]) =>
    options.some(([one]) => one === value) ? options : [...options, [value, value.replace(/^(key|user):/, "")] as const];
  const time = (name: "from" | "to", label: string, value: string): Html =>
    html`<div class="field"><label for="${name}">${label}</label><input id="${name}" name="${name}" type="datetime-local" value="${value}" autocomplete="off"></div>`;
  return html`<form class="filter" method="get" action="/audit" aria-label="${actionTexts.filter}">${resource !== "" && hidden("resource", resource)}
${select({ name: "operation", label: texts.operation, value: choiceOf(operation), options: own(choiceOf(operation), [all(texts.anyOperation), ...operationChoices]) })}
${select({ name: "who", label: texts.who, value: who, options: own(who, [all(texts.anybody), ...whos]) })}
${time("from", texts.from, from)}${time("to", texts.before, to)}
<button class="quiet">${actionTexts.filter}</button>${!isAll && html`<a class="button" href="/audit">${texts.allChanges}</a>`}</form>`;
}

function row(entry: AuditLogEntry, asked: AuditAsked, names: ReadonlyMap<string, string>, resource: NamedResource | null): Html {
  const { created_at: at, operation, resourceId, fields, changes, method, path, remoteAddress } = entry;
  const only = auditAddress({ ...asked, operation, after: "" });
  return html`<li><div class="what"><p>${momentElement(Date.parse(at))}</p></div>
<div class="which"><a class="name" href="${only}" title="${operation}">${operationTitle(operation)}</a>${resource !== null && html` <a href="${resource.href}">${resource.name}</a>`}
<p class="about">${resource === null && resourceId !== null && html`<span>${texts.id(resourceId)}</span>`}${fields.length > 0 && html`<span>${texts.fields(fields.join(", "))}</span>`}${resourceId !== null && asked.resource === "" && html`<a href="${auditAddress({ ...asked, resource: resourceId, after: "" })}">${texts.onlyThis}</a>`}</p>${changes.length > 0 && changeTable(changes)}</div>
<div class="sent">${actor(entry, asked, names)}<p class="about">${path !== null && html`<span>${method} ${path}</span>`}${remoteAddress !== null && html`<span>${texts.sentFrom(remoteAddress)}</span>`}</p></div></li>`;
}

/** A few are seen at once, many are folded. */
function changeTable(changes: AuditLogEntry["changes"]): Html {
  const value = (text: string | null): Html => html`<td class="free">${text ?? texts.noValue}</td>`;
  const row = ({ field, before, after, hidden }: AuditLogEntry["changes"][number]): Html =>
    html`<tr><th scope="row">${field}</th>${hidden ? html`<td class="free" colspan="2">${texts.changedOnly}</td>` : html`${value(before)}${value(after)}`}</tr>`;
  return html`<details class="changes"${changes.length <= openUpTo && html` open`}><summary>${texts.changes(changes.length)}</summary><div class="wide" tabindex="0" role="region" aria-label="${texts.changes(changes.length)}"><table><thead><tr><th scope="col">${texts.field}</th><th scope="col">${texts.valueBefore}</th><th scope="col">${texts.valueAfter}</th></tr></thead><tbody>${changes.map(row)}</tbody></table></div></details>`;
}

const openUpTo = 4;

/** Who asked, where there is no actor. */
const askedWithout: Readonly<Record<string, string>> = { askRootCauseModel: texts.alert, askAgenticModel: texts.agent };

function actor({ actor: one, path, operation }: AuditLogEntry, asked: AuditAsked, names: ReadonlyMap<string, string>): Html {
  const byItself = one.type === "command-line" ? askedWithout[operation] : undefined;
  if (byItself !== undefined) return html`<p>${byItself}</p>`;
  if (one.type === "command-line") return html`<p>${path === null ? texts.commandLine : texts.linkInMessage}</p>`;
  const who = one.type === "key" ? `key:${one.keyId}` : `user:${one.userId}`;
  const name = names.get(who) ?? one.userName ?? texts.key(one.maskedKey ?? "");
  return html`<p><a class="who" href="${auditAddress({ ...asked, who, after: "" })}">${name}</a>${one.role !== null && html` <span class="soft">${roleTexts[one.role]}</span>`}</p>`;
}

function pages(asked: AuditAsked, nextId: string | null): Html {
  if (nextId === null && asked.after === "") return html``;
  return html`<nav class="pages" aria-label="${texts.pages}">${asked.after !== "" && html`<a href="${auditAddress({ ...asked, after: "" })}">${texts.newest}</a>`}
${nextId !== null && html`<a href="${auditAddress({ ...asked, after: nextId })}" rel="next">${texts.earlier}</a>`}</nav>`;
}
