import { roleAllows } from "#domain/key.ts";
import type { SubscriptionDefinition } from "#domain/status-pages.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { DocumentRow, Followers } from "../../storage/storage.ts";
import { actionTexts } from "../../texts/actions.ts";
import { publishedTexts } from "../../texts/published.ts";
import { subscriberTexts as texts } from "../../texts/subscribers.ts";
import { type Html, html } from "../../view/html.ts";
import { numberText, timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { checkbox, textArea } from "../form-inputs.ts";
import { type FormProblems, postForm, problemBox } from "../form-view.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";
import type { StatusPageRead } from "./page-words.ts";

export interface SubscribersView extends Followers {
  readonly page: StatusPageRead;
  /** Part of an address that is looked for. */
  readonly search: string;
  /** Which page of the list, from 1. */
  readonly at: number;
  readonly pageSize: number;
  readonly canSendMail: boolean;
  readonly done?: string | null;
  /** What was typed of new ones. */
  readonly addresses?: string;
  readonly autoVerify?: boolean;
  readonly problems?: FormProblems;
  readonly status?: number;
}

/** Who follows a status page. */
export function subscribersPage(visit: Visit, view: SubscribersView): FormAnswer {
  const { page, items, total, verified, pending, search, at, pageSize, done = null, problems = {}, status = 200 } = view;
  const all = verified + pending;
  const mayWrite = roleAllows(visit.role, "write");
  const path = pathOf(page);
  const back = html`<a href="/pages">${publishedTexts.title}</a>${mayWrite && html` / <a href="/pages/status/${page.id}">${page.name}</a>`}`;
  const body = html`<p class="crumbs">${back}</p>
<h1>${texts.heading}</h1>
<p class="lead">${texts.lead} ${all > 0 && texts.counts(numberText(verified), numberText(pending))}</p>
${!view.canSendMail && html`<p class="box warn">${texts.noMail}</p>`}
${problemBox(problems[""])}
${doneBox(texts.done, done)}
${all > pageSize && searchForm(path, search)}
${items.length === 0 ? html`<p class="box">${all === 0 ? texts.none : texts.noneFound}</p>` : html`<ul class="list">${items.map((one) => row(visit, path, one, mayWrite))}</ul>`}
${pageLinks({ path, query: { q: search }, page: at, pageSize, total, counted: texts.counted })}
${mayWrite && addForm(visit, path, view)}`;
  return { ...consolePage(visit, { title: texts.title(page.name), style: tellStyle, body }), status };
}

export function pathOf({ id }: StatusPageRead): string {
  return `/pages/status/${id}/subscribers`;
}

function searchForm(path: string, search: string): Html {
  return html`<form class="filter" method="get" action="${path}"><label><span class="hidden">${texts.search}</span><input type="search" name="q" value="${search}" placeholder="${texts.search}" maxlength="254"></label>
<button class="quiet">${texts.show}</button></form>`;
}

function row(visit: Visit, path: string, { uuid, definition, createdAtMs }: DocumentRow<SubscriptionDefinition>, mayWrite: boolean): Html {
  const { address, status } = definition;
  return html`<li><div class="who"><strong>${address}</strong><span>${texts.since[status](timeElement(createdAtMs))}</span></div>
<div class="does">${mayWrite && confirmedAction(visit.csrf, `${path}/${uuid}/remove`, texts.end(address), actionTexts.remove, address)}</div></li>`;
}

function addForm(visit: Visit, path: string, { addresses = "", autoVerify = false, problems = {} }: SubscribersView): Html {
  const content = html`${textArea({ name: "subscriptions", label: texts.addresses, hint: texts.addressesHint, value: addresses, rows: 4, maxLength: 30_000, isProse: true, problems })}
${checkbox({ name: "autoVerify", label: texts.autoVerify, isOn: autoVerify })}
<div class="send"><button>${texts.subscribe}</button></div>`;
  return html`<section class="more"><h2>${texts.add}</h2>${postForm(path, visit.csrf, content, "form")}</section>`;
}
