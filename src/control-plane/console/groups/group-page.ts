import { roleAllows } from "#domain/key.ts";
import type { FormAnswer } from "../../http/form-routes.ts";
import type { ShownCheck } from "../../pages/dashboards/shown-checks.ts";
import type { IndexedCheck } from "../../storage/storage.ts";
import { actionTexts } from "../../texts/actions.ts";
import { groupTexts as texts } from "../../texts/groups.ts";
import { overviewTexts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { confirmedAction } from "../confirmed-action.ts";
import { doneBox } from "../done-box.ts";
import { factList } from "../facts.ts";
import { hidden, select } from "../form-view.ts";
import { addressOf, type Filter } from "../overview/filter.ts";
import { checkRow } from "../overview/list-parts.ts";
import type { Listing } from "../overview/listing.ts";
import { rowForm } from "../overview/row-acts.ts";
import { pageLinks } from "../page-links.ts";
import { consolePage } from "../shell.ts";
import type { Visit } from "../visit.ts";
import type { StoredGroup } from "./all-groups.ts";
import { channelsOfGroup, type Names, placesOfGroup, sums, worstLabel } from "./group-words.ts";
import { findForm, looseRows } from "./groups-page.ts";
import { groupPageStyle } from "./groups-style.ts";
import { carried, dropButton, handle, moveForm, noGroup } from "./handle.ts";
import type { RollUp } from "./roll-up.ts";

export interface GroupView {
  readonly group: StoredGroup;
  readonly rollUp: RollUp;
  readonly names: Names;
  /** Its checks on this page, what needs somebody first. */
  readonly rows: readonly ShownCheck[];
  readonly listing: Pick<Listing, "filter" | "total">;
  readonly pageSize: number;
  readonly otherGroups: readonly StoredGroup[];
  /** Checks of elsewhere whose names have the words; null: nobody searched. */
  readonly found: { readonly words: string; readonly checks: readonly IndexedCheck[]; readonly total: number } | null;
  readonly nowMs: number;
}

const [memberForm, addForm] = ["members", "add"];

export function groupPage(visit: Visit, view: GroupView): FormAnswer {
  const { group, rollUp } = view;
  const { id, name } = group;
  const mayWrite = roleAllows(visit.role, "write");
  const body = html`${doneBox({ ...overviewTexts.done, ...texts.done }, visit.request.query.get("done"))}
<p class="crumbs"><a href="/groups">${texts.title}</a></p>
<div class="head"><h1>${name}</h1>${worstLabel(rollUp)}${mayWrite && html`<div class="does"><a class="button" href="/groups/${id}/edit">${actionTexts.edit}</a>${rollUp.checks === 0 && confirmedAction(visit.csrf, `/groups/${id}/delete`, texts.delete(name), actionTexts.delete, name)}</div>`}</div>
${settings(view)}
${memberSection(visit, view, mayWrite)}
${mayWrite && otherSection(visit, view)}
${mayWrite && addSection(visit, view)}
${mayWrite && rollUp.checks > 0 && html`<p class="hint">${texts.notEmpty(rollUp.checks)}</p>`}`;
  const modules = mayWrite ? ["groups"] : [];
  return consolePage(visit, { title: name, style: groupPageStyle, modules, isPacked: true, body });
}

function settings({ group, names }: GroupView): Html {
  const { activated, muted, tags, concurrency } = group;
  const [places, channels] = [placesOfGroup(group, names), channelsOfGroup(group, names)];
  return html`<section><h2>${texts.settings}</h2>${factList([
    [texts.active, activated ? texts.isActive : texts.isInactive],
    [texts.alerts, muted ? texts.sendsNone : texts.sendsAlerts],
    [texts.locations, places.length === 0 ? texts.ownLocations : places.join(", ")],
    [texts.channels, channels.length === 0 ? texts.noChannels : channels.join(", ")],
    [
      texts.tags,
      tags.length > 0 && html`${tags.map((tag) => html`<a class="chip" href="/checks?tag=${encodeURIComponent(tag)}">${tag}</a> `)}`,
    ],
    [texts.concurrency, concurrency],
  ])}</section>`;
}

function memberSection(visit: Visit, view: GroupView, mayWrite: boolean): Html {
  const { group, rollUp, rows, listing, pageSize, otherGroups, nowMs } = view;
  const filter: Filter = { ...listing.filter, page: 1 };
  const place = { form: memberForm, more: (check: IndexedCheck) => handle(visit, check) };
  const options = [[noGroup, texts.noGroup] as const, ...otherGroups.map(({ id, name }) => [String(id), name] as const)];
  const to = html`${hidden("from", String(group.id))}${select({ name: "to", label: texts.move, value: noGroup, options })}<button class="quiet">${texts.moveSelected}</button>`;
  const list = html`<p class="sums">${sums(rollUp, group.name)}<a href="${addressOf(filter, { group: group.name })}">${texts.inList}</a></p>
${rowForm(visit, group.id)}
<ol class="checks">${rows.map((check) => checkRow(check, filter, nowMs, visit, place))}</ol>
${pageLinks({ path: `/groups/${group.id}`, query: { q: view.found?.words ?? "" }, page: listing.filter.page, pageSize, total: listing.total, counted: texts.checks })}
${mayWrite && moveForm(visit, memberForm, group.id, to)}`;
  return html`<section data-group="${group.id}"><h2>${texts.members}</h2>
${rows.length === 0 ? html`<p class="box">${texts.noMembers}</p>` : list}${dropButton(visit, group.name)}</section>`;
}

/** Where checks can be dragged to from here. */
function otherSection(visit: Visit, { rows, found, otherGroups }: GroupView): Html {
  if (rows.length === 0 && found === null) return carried;
  const target = (id: string, name: string, label: Html | string): Html =>
    html`<li data-group="${id}"><span>${label}</span>${dropButton(visit, name)}</li>`;
  return html`<section class="others"><h2>${texts.otherGroups}</h2><p class="hint">${texts.dragHint}</p>${carried}
<ul class="targets">${target(noGroup, texts.noGroup, texts.noGroup)}${otherGroups.map(({ id, name }) => target(String(id), name, html`<a href="/groups/${id}">${name}</a>`))}</ul></section>`;
}

function addSection(visit: Visit, { group, found, nowMs }: GroupView): Html {
  const add = html`${hidden("to", String(group.id))}<button class="quiet">${texts.addSelected}</button>`;
  const { checks, total } = found ?? { checks: [], total: 0 };
  return html`<section id="add-checks"><h2>${texts.add}</h2><p class="hint">${texts.addHint}</p>
${findForm(`/groups/${group.id}`, found?.words ?? "")}
${found !== null && (checks.length === 0 ? html`<p class="box">${texts.nothingFound}</p>` : looseRows(visit, checks, addForm, nowMs))}
${total > checks.length && html`<p class="hint">${texts.firstOf(checks.length, total)}</p>`}
${checks.length > 0 && moveForm(visit, addForm, group.id, add)}</section>`;
}
