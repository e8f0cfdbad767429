import type { FormAnswer } from "../../http/form-routes.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { bulkTexts as texts } from "../../texts/bulk.ts";
import { overviewTexts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { field, hidden, postForm, select } from "../form-view.ts";
import { addressOf, type Filter } from "../overview/filter.ts";
import { asRefused, consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { type BulkAct, type BulkActName, type BulkChoices, longestTag, undoOf } from "./bulk-act.ts";
import type { BulkOutcome } from "./perform.ts";

export interface PreviewView {
  readonly act: BulkAct;
  readonly changes: readonly { readonly check: IndexedCheck; readonly change: readonly [from: string, to: string] }[];
  readonly already: number;
  readonly filter: Filter;
}

/** More than these nobody reads; all of them are counted and sent. */
const mostShown = 200;

export function previewPage(visit: Visit, { act, changes, already, filter }: PreviewView): FormAnswer {
  const ids = changes.map(({ check }) => check.uuid);
  const rows = changes.slice(0, mostShown).map(({ check, change: [from, to] }) => {
    const name = html`<a href="/checks/${check.uuid}">${check.name}</a>`;
    return html`<li>${from === "" ? texts.set(name, to) : texts.becomes(name, from, to)}</li>`;
  });
  const body = html`${crumbs(filter)}<h1>${texts.title(actText(act))}</h1>
<p>${texts.will(changes.length)}${already > 0 && html` ${texts.already(already)}`}</p>
${rows.length > 0 && html`<ul>${rows}</ul>`}${changes.length > mostShown && html`<p>${texts.more(changes.length - mostShown)}</p>`}
${undoOf(act) === null && html`<p class="box">${isOverwriting(act) ? texts.noUndoOfValues : texts.noUndo}</p>`}
${ids.length > 0 && actForm(visit, { act, ids, filter, label: texts.confirm(actText(act), ids.length), isDanger: act.name === "delete" })}
<p><a href="${listAddress(filter)}">${texts.back}</a></p>`;
  return consolePage(visit, { title: texts.title(actText(act)), body, isPacked: true });
}

/** Asks for the value of an act, with the selection as the list said it. */
export function choicePage(visit: Visit, name: BulkActName, choices: BulkChoices, filter: Filter): FormAnswer {
  const [first] = choices;
  const form = first && valueForm(visit, select({ name: "value", label: texts.choose, value: first[0], options: choices }));
  return askingPage(visit, name, filter, form ?? html`<p class="box">${texts.nothingToChoose}</p>`);
}

/** Asks for the tag, which the list's field did not say. */
export function tagPage(visit: Visit, name: BulkActName, filter: Filter): FormAnswer {
  const value = visit.request.query.get("value") ?? "";
  const tag = { name: "value", label: texts.tagOf, value, autocomplete: "off", maxLength: longestTag, isFirst: true };
  const form = valueForm(visit, field({ ...tag, problems: { value: texts.noTag } }));
  return { ...asRefused(askingPage(visit, name, filter, form)), status: 400 };
}

/** Where nothing is ticked, or nothing matches any more. */
export function nothingPage(visit: Visit, name: BulkActName, filter: Filter): FormAnswer {
  return { ...asRefused(askingPage(visit, name, filter, html`<p class="box bad" role="alert">${texts.nothing}</p>`)), status: 400 };
}

/** The selection goes along as the list said it. */
function valueForm({ request }: Visit, input: Html): Html {
  const said = [...request.query].filter(([name]) => name !== "value").map(([name, value]) => hidden(name, value));
  return html`<form method="get" action="/checks/bulk" class="narrow">${said}
${input}<button>${texts.preview}</button></form>`;
}

function askingPage(visit: Visit, name: BulkActName, filter: Filter, content: Html): FormAnswer {
  const body = html`${crumbs(filter)}<h1>${texts.acts[name]}</h1>
${content}
<p><a href="${listAddress(filter)}">${texts.back}</a></p>`;
  return consolePage(visit, { title: texts.acts[name], body });
}

export interface DoneView {
  readonly act: BulkAct;
  readonly outcome: BulkOutcome;
  /** Of some that were refused, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  readonly filter: Filter;
}

export function donePage(visit: Visit, { act, outcome, names, filter }: DoneView): FormAnswer {
  const { changed, unchanged, refused, left, trouble } = outcome;
  const undo = undoOf(act);
  const why = refused
    .slice(0, 100)
    .map(({ id, why: reason }) => html`<li><a href="/checks/${id}">${names.get(id) ?? id}</a>: ${reason}</li>`);
  const body = html`${crumbs(filter)}<h1>${texts.doneTitle(actText(act))}</h1>
<p class="box good" role="status">${texts.changed(changed.length)}${unchanged > 0 && html` ${texts.unchanged(unchanged)}`}</p>
${refused.length > 0 && html`<div class="box bad"><p>${texts.refused(refused.length)}</p><ul>${why}</ul>${refused.length > why.length && html`<p>${texts.more(refused.length - why.length)}</p>`}</div>`}
${left.length > 0 && html`<p class="box bad" role="alert">${texts.left(left.length, trouble)}</p>${actForm(visit, { act, ids: left, filter, label: texts.goOn(left.length) })}`}
${undo !== null && changed.length > 0 && actForm(visit, { act: undo, ids: changed, filter, label: texts.undo(actText(undo), changed.length), isQuiet: true })}
<p><a href="${listAddress(filter)}">${texts.back}</a></p>`;
  return consolePage(visit, { title: texts.doneTitle(actText(act)), body });
}

interface ActForm {
  readonly act: BulkAct;
  readonly ids: readonly string[];
  readonly filter: Filter;
  readonly label: string;
  readonly isDanger?: boolean;
  readonly isQuiet?: boolean;
}

/** The ids in one field: ten thousand of a field each would be more than a form may have. */
function actForm({ csrf }: Visit, { act, ids, filter, label, isDanger = false, isQuiet = false }: ActForm): Html {
  const [, list = ""] = listAddress(filter).split("?");
  const fields = html`${hidden("act", act.name)}${hidden("value", act.value)}${hidden("ids", ids.join(","))}${hidden("list", list)}`;
  return postForm(
    "/checks/bulk",
    csrf,
    html`${fields}<button class="${isDanger ? "danger" : isQuiet ? "quiet" : "main"}">${label}</button>`,
  );
}

function actText({ name, text }: BulkAct): string {
  return text === "" ? texts.acts[name] : texts.withValue(texts.acts[name], text);
}

/** Checks had different values before, which are not kept. */
function isOverwriting({ name }: BulkAct): boolean {
  return name === "group" || name === "frequency";
}

function listAddress(filter: Filter): string {
  return addressOf(filter, { page: filter.page });
}

function crumbs(filter: Filter): Html {
  return html`<p class="crumbs"><a href="${listAddress(filter)}">${overviewTexts.title}</a></p>`;
}
