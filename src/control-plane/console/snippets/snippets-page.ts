import type { Snippet } from "#contract/snippets.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { actionTexts } from "../../texts/actions.ts";
import { snippetTexts as texts } from "../../texts/snippets.ts";
import { type Html, html } from "../../view/html.ts";
import { timeElement } from "../../view/units.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import { tellStyle } from "../tell-style.ts";
import type { Visit } from "../visit.ts";

interface SnippetsView {
  readonly snippets: readonly Snippet[];
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  readonly done: string | null;
}

export function snippetsPage(visit: Visit, view: SnippetsView): FormAnswer {
  const { snippets, done } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<div class="head"><h1>${texts.title}</h1>${mayWrite && html`<a class="button strong" href="/snippets/new">${texts.newSnippet}</a>`}</div>
<p class="lead">${texts.lead}</p>
${doneBox(texts.done, done)}
${snippets.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="list">${snippets.map((one) => row(visit, one, mayWrite))}</ul>`}
${pageLinks({ ...view, path: "/snippets", query: {}, counted: texts.counted })}`;
  return consolePage(visit, { title: texts.title, style: tellStyle, body });
}

function row(visit: Visit, { id, name, script, created_at: createdAt, updated_at: updatedAt }: Snippet, mayWrite: boolean): Html {
  const lines = script.trimEnd().split("\n").length;
  const changed = timeElement(Date.parse(updatedAt ?? createdAt));
  return html`<li><div class="who"><strong>${name}</strong><span>${updatedAt === null ? texts.madeAt(lines, changed) : texts.changedAt(lines, changed)}</span></div>
<div class="does"><a class="button" href="/snippets/${id}">${mayWrite ? actionTexts.edit : actionTexts.show}<span class="hidden"> ${name}</span></a>
${mayWrite && confirmedAction(visit.csrf, `/snippets/${id}/delete`, texts.deleteQuestion(name), actionTexts.delete, name)}</div></li>`;
}
