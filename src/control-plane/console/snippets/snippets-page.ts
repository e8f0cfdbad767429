import type { Snippet } from "#contract/snippets.ts";
import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import { type Html, html } from "../../pages/html.ts";
import { countText, timeElement } from "../../pages/public/units.ts";
import { asksAgain } from "../asks-again.ts";
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

const doneTexts: Readonly<Record<string, string>> = {
  created: "The snippet is made. An error in it shows in the first run of a check that uses it.",
  changed: "The snippet is changed; runs that start from now on use it.",
  deleted: "The snippet is deleted.",
};

export function snippetsPage(visit: Visit, view: SnippetsView): FormAnswer {
  const { snippets, done } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<div class="head"><h1>Snippets</h1>${mayWrite && html`<a class="button strong" href="/snippets/new">New snippet</a>`}</div>
<p class="lead">Code that scripts of checks share: a script takes one in with <code>require("./snippets/name.js")</code>.</p>
${doneBox(doneTexts, done)}
${snippets.length === 0 ? html`<p class="box">There is no snippet yet.</p>` : html`<ul class="list">${snippets.map((one) => row(visit, one, mayWrite))}</ul>`}
${pageLinks({ ...view, path: "/snippets", query: {}, noun: "snippet" })}`;
  return consolePage(visit, { title: "Snippets", style: tellStyle, body });
}

function row(visit: Visit, { id, name, script, created_at: createdAt, updated_at: updatedAt }: Snippet, mayWrite: boolean): Html {
  const lines = script.trimEnd().split("\n").length;
  const changed = timeElement(Date.parse(updatedAt ?? createdAt));
  return html`<li><div class="who"><strong>${name}</strong><span>${countText(lines, "line")} · ${updatedAt === null ? "made" : "changed"} ${changed}</span></div>
<div class="does"><a class="button" href="/snippets/${id}">${mayWrite ? "Edit" : "Show"}<span class="hidden"> ${name}</span></a>
${mayWrite && asksAgain(visit.csrf, `/snippets/${id}/delete`, `Delete ${name}? Scripts that use it fail from then on.`, "Delete", name)}</div></li>`;
}
