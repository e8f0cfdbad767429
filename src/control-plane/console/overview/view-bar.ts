import { roleAllows } from "#domain/key.ts";
import { overviewTexts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { field, hidden, postForm } from "../form-view.ts";
import type { Visit } from "../visit.ts";
import { addressOf, type Filter } from "./filter.ts";
import { problemText, type SavedView, savedViews } from "./saved-views.ts";
import { foldLinks } from "./section-list.ts";

const { views: names, saved: texts } = overviewTexts;

/** List or matrix, what groups the list, the views that the account keeps, and keeping this one. */
export function viewBar(visit: Visit, filter: Filter, live: Html | false): Html {
  const kept = savedViews(visit.account);
  const address = addressOf(filter, {});
  const link = (to: string, name: string, isCurrent: boolean): Html =>
    html`<li><a href="${to}"${isCurrent && html` aria-current="true"`}>${name}</a></li>`;
  const current = kept.find((view) => view.address === address);
  const list = link(addressOf(filter, { view: null }), names.list, filter.view === null);
  const matrix = link(addressOf(filter, { view: "matrix" }), names.matrix, filter.view === "matrix");
  const none = link(addressOf(filter, { by: null, isFolded: false, except: [] }), overviewTexts.noGrouping, filter.by === null);
  const groupings = Object.entries(overviewTexts.groupings).map(([name, text]) => {
    const by = name as NonNullable<Filter["by"]>; // the names of the texts are the groupings
    return link(addressOf(filter, { by, isFolded: false, except: [] }), text, filter.by === by);
  });
  const mayKeep = roleAllows(visit.role, "write");
  return html`<div class="views"><nav aria-label="${names.label}"><ul class="ranges">${list}${matrix}</ul></nav>
${live}${filter.view === null && html`<nav aria-label="${overviewTexts.grouping}"><ul class="ranges"><li><span aria-hidden="true">${overviewTexts.grouping}</span></li>${none}${groupings}</ul></nav>`}
${filter.view === null && filter.by !== null && foldLinks(filter)}
${kept.length > 0 && html`<nav aria-label="${texts.label}"><ul class="ranges">${kept.map((view) => link(view.address, view.name, view === current))}</ul></nav>`}
${mayKeep && (current === undefined ? address !== "/checks" && keepForm(visit, address) : dropForm(visit, current))}</div>`;
}

function keepForm({ csrf, request }: Visit, address: string): Html {
  const problem = problemText(request.query.get("unsaved"));
  const [, query = ""] = address.split("?");
  const problems = problem === null ? {} : { name: problem };
  const content = html`${hidden("list", query)}${field({ name: "name", id: "view-name", label: texts.name, hint: texts.nameHint, autocomplete: "off", maxLength: 60, problems })}<button class="quiet">${texts.submit}</button>`;
  return html`<details${problem !== null && html` open`}><summary>${texts.save}</summary>${postForm("/checks/views", csrf, content)}</details>`;
}

function dropForm({ csrf }: Visit, { name }: SavedView): Html {
  return postForm("/checks/views/delete", csrf, html`${hidden("name", name)}<button class="quiet">${texts.drop(name)}</button>`);
}
