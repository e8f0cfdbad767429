import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { ShownCheck } from "../../pages/dashboards/shown-checks.ts";
import type { IndexedCheck, PlaceStanding } from "../../storage/storage.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { overviewTexts as texts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { checkListStyle } from "../check-style.ts";
import { doneBox } from "../done-box.ts";
import { hidden } from "../form-view.ts";
import { liveBar, liveStyle } from "../live/live-bar.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import { bulkBar } from "./bulk-bar.ts";
import { type FoundByError, foundByError } from "./by-error.ts";
import { addressOf, sorts } from "./filter.ts";
import { type FirstSteps, firstStepList } from "./first-steps.ts";
import { keyDialog } from "./key-dialog.ts";
import { checkRow, counters, pageLinks } from "./list-parts.ts";
import type { Listing } from "./listing.ts";
import { matrixTable } from "./matrix.ts";
import { rowForm } from "./row-acts.ts";
import { sectionList } from "./section-list.ts";
import type { ShownSection } from "./sections.ts";
import { viewBar } from "./view-bar.ts";

export interface OverviewView extends Omit<Listing, "chosen"> {
  readonly rows: readonly ShownCheck[];
  /** Undefined: the list is one. */
  readonly sections?: readonly ShownSection[];
  /** In its view: how the checks of this page stand everywhere. */
  readonly matrix: { readonly checks: readonly IndexedCheck[]; readonly standings: ReadonlyMap<number, readonly PlaceStanding[]> } | null;
  /** What the words find in errors alone. */
  readonly byError: readonly FoundByError[];
  readonly choices: { readonly types: readonly string[]; readonly tags: readonly string[]; readonly groups: readonly string[] };
  readonly hasChecks: boolean;
  /** Null: they are over. */
  readonly steps: FirstSteps | null;
  readonly nowMs: number;
}

export function overviewPage(visit: Visit, view: OverviewView): FormAnswer {
  const { filter, matrix, hasChecks, steps, sections } = view;
  const isLive = hasChecks && matrix === null && sections === undefined;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`${doneBox(texts.done, visit.request.query.get("done"))}<h1 class="hidden">${texts.title}</h1>
${steps !== null && firstStepList(visit, steps)}
${counters(view)}
${hasChecks ? filterForm(view, mayWrite) : noChecks(mayWrite)}
${hasChecks && viewBar(visit, filter, isLive && liveBar(`/live${addressOf(filter, { page: filter.page })}`, keyDialog))}
${hasChecks && found(visit, view)}`;
  return consolePage(visit, {
    title: texts.tabTitle(view.counts.get("failing") ?? 0),
    style: checkListStyle + liveStyle,
    modules: isLive ? ["overview"] : [],
    isPacked: true,
    body,
  });
}

/** What the filter finds, in its view. */
function found(visit: Visit, view: OverviewView): Html {
  const { filter, rows, sections, matrix, total, byError, nowMs } = view;
  const list =
    sections === undefined
      ? rows.length > 0 && html`<ol class="checks">${rows.map((check) => checkRow(check, filter, nowMs, visit))}</ol>`
      : sectionList({ ...view, sections }, visit);
  return html`${total === 0 && byError.length === 0 && html`<p class="box">${texts.nothingFound} <a href="/checks">${texts.showAll}</a></p>`}
${(rows.length > 0 || sections !== undefined) && total > 0 && [rowForm(visit, filter), bulkBar(visit, filter, total)]}
${list}${matrix !== null && total > 0 && matrixTable(matrix.checks, matrix.standings, nowMs)}
${pageLinks(view)}
${foundByError(byError, total > 0, nowMs)}`;
}

function filterForm({ filter, choices }: OverviewView, mayWrite: boolean): Html {
  const select = (
    name: "type" | "tag" | "group",
    label: string,
    options: readonly string[],
    named = (value: string): string => value,
  ): Html =>
    options.length === 0
      ? html``
      : html`<label><span class="hidden">${label}</span><select name="${name}"><option value="">${texts.all(label)}</option>${options.map(
          (value) => html`<option value="${value}"${value === filter[name] && html` selected`}>${named(value)}</option>`,
        )}</select></label>`;
  return html`<form class="filter" method="get" action="/checks" role="search">
${filter.state !== null && hidden("state", filter.state)}${filter.view !== null && hidden("view", filter.view)}${filter.by !== null && hidden("by", filter.by)}
<label class="search"><span class="hidden">${texts.words}</span><input type="search" name="q" value="${filter.words}" placeholder="${texts.search}" maxlength="200"></label>
<div class="more">${select("type", texts.type, choices.types, typeName)}${select("group", texts.group, choices.groups)}${select("tag", texts.tag, choices.tags)}
<label><span class="hidden">${texts.sort}</span><select name="sort"><option value="">${texts.attentionFirst}</option>${sorts.map(
    (sort) => html`<option value="${sort}"${sort === filter.sort && html` selected`}>${texts.sorts[sort]}</option>`,
  )}</select></label><button class="quiet">${texts.show}</button></div>
${mayWrite && html`<a class="new" href="/checks/new">${texts.newCheck}</a>`}</form>`;
}

function typeName(type: string): string {
  return Object.entries(checkTypeTexts).find(([name]) => name === type)?.[1].name ?? type;
}

function noChecks(mayWrite: boolean): Html {
  const command = html`<code>${texts.command}</code>`;
  const form = html`<a href="/checks/new">${texts.makeFirst}</a>`;
  const api = html`<a href="/docs">${texts.restApi}</a>`;
  return html`<div class="box"><h2>${texts.noChecks}</h2>
<p>${mayWrite ? texts.makeOrBring(form, api, command) : texts.bring(command)}</p></div>`;
}
