import { roleAllows } from "#domain/key.ts";
import { bulkTexts as texts } from "../../texts/bulk.ts";
import { type Html, html } from "../../view/html.ts";
import { hidden, select } from "../form-view.ts";
import { addressOf, type Filter } from "./filter.ts";
import type { Member } from "./row-acts.ts";

const formId = "bulk";

/** What to do with the checks that are ticked, or with all that match. It asks for a preview, so it needs no token. */
export function bulkBar({ role }: Member, filter: Filter, total: number): Html {
  if (!roleAllows(role, "write")) return html``;
  const [, query = ""] = addressOf(filter, { page: filter.page }).split("?");
  const options = Object.entries(texts.acts);
  return html`<form id="${formId}" class="bulk" method="get" action="/checks/bulk" aria-label="${texts.label}">
${[...new URLSearchParams(query)].map(([name, value]) => hidden(name, value))}
${select({ name: "act", label: texts.act, value: "pause", options, isLabelHidden: true })}
<input name="value" aria-label="${texts.tag}" placeholder="${texts.tag}" maxlength="255" autocomplete="off">
<button class="quiet" name="scope" value="chosen">${texts.chosen}</button>
<button class="quiet" name="scope" value="all">${texts.matching(total)}</button></form>`;
}

/** @param form the id of the form that takes the checks that are ticked */
export function bulkTick({ role }: Member, uuid: string, name: string, form = formId): Html | false {
  return (
    roleAllows(role, "write") &&
    html`<input type="checkbox" name="check" form="${form}" value="${uuid}" aria-label="${texts.pick(name)}" autocomplete="off">`
  );
}
