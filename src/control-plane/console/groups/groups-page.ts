import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { groupTexts as texts } from "../../texts/groups.ts";
import { overviewTexts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { doneBox } from "../done-box.ts";
import { field, select } from "../form-view.ts";
import { bulkTick } from "../overview/bulk-bar.ts";
import { stateInList } from "../overview/filter.ts";
import { stateInListTones } from "../overview/list-parts.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import type { StoredGroup } from "./all-groups.ts";
import { channelsOfGroup, type Names, placesOfGroup, sums, worstLabel } from "./group-words.ts";
import { groupsStyle } from "./groups-style.ts";
import { carried, dropButton, handle, moveForm } from "./handle.ts";
import type { RollUp } from "./roll-up.ts";

/** A group with how its checks stand. */
export interface ShownGroup {
  readonly group: StoredGroup;
  readonly rollUp: RollUp;
}

export interface GroupsView {
  /** Those of this page. */
  readonly shown: readonly ShownGroup[];
  /** All of the account. */
  readonly groups: readonly StoredGroup[];
  readonly names: Names;
  readonly page: number;
  readonly pageSize: number;
  /** Checks without a group: the first of those whose names have the words. */
  readonly loose: { readonly words: string; readonly checks: readonly IndexedCheck[]; readonly total: number };
  readonly nowMs: number;
}

export const looseForm = "loose";

export function groupsPage(visit: Visit, view: GroupsView): FormAnswer {
  const { shown, groups, names } = view;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`<div class="head"><h1>${texts.title}</h1>${mayWrite && html`<a class="button strong" href="/groups/new">${texts.newButton}</a>`}</div>
<p class="lead">${texts.lead}</p>
${doneBox(texts.done, visit.request.query.get("done"))}
${groups.length === 0 ? html`<p class="box">${texts.none}</p>` : html`<ul class="events groups">${shown.map((one) => row(visit, one, names))}</ul>`}
${pageLinks({ ...view, path: "/groups", query: { q: view.loose.words }, total: groups.length, counted: texts.counted })}
${groups.length > 0 && looseSection(visit, view, mayWrite)}`;
  const modules = mayWrite && groups.length > 0 ? ["groups"] : [];
  return consolePage(visit, { title: texts.title, style: groupsStyle, modules, isPacked: true, body });
}

function row(visit: Visit, { group, rollUp }: ShownGroup, names: Names): Html {
  const { id, name, tags, activated, muted } = group;
  const tone = rollUp.worst === null ? "" : stateInListTones[rollUp.worst];
  const channels = channelsOfGroup(group, names);
  return html`<li class="${tone}" data-group="${id}"><div class="what">${worstLabel(rollUp)}<p>${texts.checks(rollUp.checks)}</p></div>
<div class="which"><a class="name" href="/groups/${id}">${name}</a><p class="sums">${sums(rollUp, name)}</p></div>
<p class="about">${!activated && html`<span>${texts.switchedOff}</span>`}${muted && html`<span>${texts.isMuted}</span>`}${placesOfGroup(group, names).map((place) => html`<span>${place}</span>`)}${channels.length > 0 && html`<span>${channels.join(", ")}</span>`}${tags.map((tag) => html`<span class="chip">${tag}</span>`)}</p>
<div class="does">${dropButton(visit, name)}</div></li>`;
}

function looseSection(visit: Visit, { loose, groups, nowMs }: GroupsView, mayWrite: boolean): Html {
  const { words, checks, total } = loose;
  if (total === 0 && words === "") return html``;
  const options = groups.map(({ id, name }) => [String(id), name] as const);
  const to = html`${select({ name: "to", label: texts.move, value: options[0]?.[0] ?? "", options })}<button class="quiet">${texts.moveSelected}</button>`;
  return html`<section><h2>${texts.ungrouped}</h2>${mayWrite && html`<p class="hint">${texts.ungroupedHint} ${texts.dragHint}</p>`}
${findForm("/groups", words)}
${checks.length === 0 ? html`<p class="box">${texts.nothingFound}</p>` : looseRows(visit, checks, looseForm, nowMs)}
${total > checks.length && html`<p class="hint">${texts.firstOf(checks.length, total)}</p>`}
${mayWrite && checks.length > 0 && moveForm(visit, looseForm, null, to)}${mayWrite && carried}</section>`;
}

export function findForm(action: string, words: string): Html {
  return html`<form class="find" method="get" action="${action}" role="search">${field({ name: "q", label: texts.search, value: words, autocomplete: "off", isOptional: true, maxLength: 200 })}<button class="quiet">${texts.find}</button></form>`;
}

/** Checks that can be moved, a line each. @param form the id of the form that takes those that are ticked */
export function looseRows(visit: Visit, checks: readonly IndexedCheck[], form: string, nowMs: number): Html {
  return html`<ul class="loose">${checks.map((check) => {
    const { uuid, name, type, groupName } = check;
    const state = stateInList(check, nowMs);
    return html`<li data-id="${uuid}">${stateLabel(stateInListTones[state], overviewTexts.states[state])}
<div class="which"><a href="/checks/${uuid}">${name}</a><span class="soft">${checkTypeTexts[type].name}</span>${groupName !== null && html`<span class="soft">${texts.inGroup(groupName)}</span>`}</div>
<div class="pick">${bulkTick(visit, uuid, name, form)}${handle(visit, check)}</div></li>`;
  })}</ul>`;
}
