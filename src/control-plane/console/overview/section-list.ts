import { availability } from "#domain/statistics/aggregate.ts";
import type { ShownCheck } from "../../pages/dashboards/shown-checks.ts";
import { checkTypeTexts } from "../../texts/check-fields.ts";
import { overviewTexts } from "../../texts/overview.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { percentText } from "../../view/units.ts";
import { addressOf, type Filter } from "./filter.ts";
import { checkRow, stateInListTones } from "./list-parts.ts";
import type { Member } from "./row-acts.ts";
import type { ShownSection } from "./sections.ts";

const texts = overviewTexts.sections;

export interface SectionListView {
  readonly filter: Filter;
  readonly sections: readonly ShownSection[];
  readonly rows: readonly ShownCheck[];
  readonly nowMs: number;
}

/** The list in sections, each under a heading that says how its checks stand together and folds it. */
export function sectionList({ filter, sections, rows, nowMs }: SectionListView, member: Member): Html {
  const byId = new Map(rows.map((row) => [row.id, row]));
  const section = (one: ShownSection): Html => {
    const checks = one.rows.flatMap(({ id }) => byId.get(id) ?? []);
    const tone = one.rollUp.worst === null ? "none" : stateInListTones[one.rollUp.worst];
    return html`<section class="${tone}" aria-labelledby="${idOf(one)}"><div class="roll">${heading(one, filter)}${sums(one)}${only(one, filter)}</div>
${checks.length > 0 && html`<ol class="checks">${checks.map((check) => checkRow(check, filter, nowMs, member))}</ol>`}</section>`;
  };
  return html`<div class="sections">${sections.map(section)}</div>`;
}

/** All of them at once. */
export function foldLinks(filter: Filter): Html {
  const link = (isFolded: boolean, text: string): Html => {
    const isCurrent = filter.isFolded === isFolded && filter.except.length === 0;
    return html`<li><a href="${addressOf(filter, { isFolded, except: [] })}"${isCurrent && html` aria-current="true"`}>${text}</a></li>`;
  };
  return html`<nav aria-label="${texts.label}"><ul class="ranges">${link(false, texts.openAll)}${link(true, texts.foldAll)}</ul></nav>`;
}

/** Its link is the same list with this section the other way. */
function heading(section: ShownSection, filter: Filter): Html {
  const { key, isFolded, isContinued } = section;
  const except = filter.except.includes(key) ? filter.except.filter((one) => one !== key) : [...filter.except, key];
  const address = `${addressOf(filter, { except, page: filter.page })}#${idOf(section)}`;
  return html`<h2 id="${idOf(section)}"><a href="${address}" aria-expanded="${String(!isFolded)}">${nameOf(section, filter)}</a>${isContinued && html` <span class="soft">${texts.continued}</span>`}</h2>`;
}

function sums({ rollUp, counted }: ShownSection): Html {
  const { worst, counts, checks, muted } = rollUp;
  const share = counted === null ? null : availability(counted);
  return html`<p>${worst !== null && stateLabel(stateInListTones[worst], overviewTexts.states[worst])}
<span>${texts.failing(counts.get("failing") ?? 0, checks)}</span>
${counted !== null && html`<span>${share === null ? texts.noRuns : texts.available(percentText(share))}</span>`}${muted > 0 && html`<span>${texts.muted(muted)}</span>`}</p>`;
}

/** The list of its checks alone, where the filter can say so. */
function only({ name }: ShownSection, filter: Filter): Html | false {
  const { by } = filter;
  if (name === null || by === null || by === "location") return false;
  const address = addressOf(filter, { [by]: name, by: null, isFolded: false, except: [] });
  return html`<a class="only" href="${address}">${texts.only}<span class="hidden">: ${nameOf({ name }, filter)}</span></a>`;
}

function nameOf({ name }: Pick<ShownSection, "name">, { by }: Filter): string {
  if (name === null) return by === null ? "" : texts.without[by];
  if (by !== "type") return name;
  return Object.entries(checkTypeTexts).find(([type]) => type === name)?.[1].name ?? name;
}

function idOf({ key }: Pick<ShownSection, "key">): string {
  return `s-${key}`;
}
