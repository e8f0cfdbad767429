import { isPinged } from "#contract/checks/traits.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import { spanElements } from "../../view/units.ts";
import { checkbox } from "../form-inputs.ts";
import { field, hidden } from "../form-view.ts";
import { placesAtMost } from "./figures.ts";
import type { Looked, Measured } from "./measured.ts";
import { daysBefore, inputTime, ranges } from "./range.ts";

const texts = checkPageTexts.range;
const placeTexts = checkPageTexts.places;

/** What an address of the page says beside the check. */
export interface Asked {
  readonly range?: string;
  readonly after?: string;
  readonly isCompared?: boolean;
}

/** The page of the same check for the locations that are chosen, and for the same time unless another one is given. */
export function addressOf({ check, range, chosen, asked }: Looked, { range: name, after, isCompared = asked.isCompared }: Asked): string {
  const query = new URLSearchParams();
  if (name !== undefined) query.set("range", name);
  else if (range.name !== null) query.set("range", range.name);
  else for (const [edge, given] of [["from", asked.from] as const, ["to", asked.to] as const]) if (given !== "") query.set(edge, given);
  for (const place of chosen) query.append("location", place);
  if (isCompared) query.set("compare", "week");
  if (after !== undefined) query.set("after", after);
  return `/checks/${check.id}?${query.toString()}`;
}

/** Which time the page looks at, and how to look at another one. */
export function rangeSection(view: Looked): Html {
  const { check, range, chosen, asked } = view;
  const tabs = ranges.map(
    ({ name }) =>
      html`<li><a href="${addressOf(view, { range: name })}"${name === range.name && html` aria-current="page"`}>${texts.names[name]}</a></li>`,
  );
  const isOwn = range.name === null;
  const hasProblem = Object.keys(asked.problems).length > 0;
  const from = hasProblem ? asked.from : inputTime(range.fromMs);
  const to = hasProblem ? asked.to : inputTime(range.toMs);
  const problems = asked.problems;
  return html`<div class="when"><nav aria-label="${texts.label}"><ul class="ranges">${tabs}</ul></nav>
<details class="other"${(isOwn || hasProblem) && html` open`}><summary>${texts.other}</summary>
<form method="get" action="/checks/${check.id}" class="span" data-span>${chosen.map((place) => hidden("location", place))}${asked.isCompared && hidden("compare", "week")}
${field({ name: "from", label: texts.from, type: "datetime-local", value: from, autocomplete: "off", problems })}
${field({ name: "to", label: texts.to, type: "datetime-local", value: to, autocomplete: "off", isOptional: true, problems })}
<button class="quiet">${texts.show}</button></form></details>
${!isPinged(check.checkType) && html`<a class="week" href="${addressOf(view, { isCompared: !asked.isCompared })}">${asked.isCompared ? texts.compared : texts.compare(daysBefore(range))}</a>`}</div>
${isOwn && html`<p class="chosen"><span>${spanElements(range.fromMs, range.toMs, texts.until)}</span> <a href="${addressOf(view, { range: "24h" })}">${texts.back}</a></p>`}`;
}

/** Which locations are compared; nothing where there is one. */
export function placeSection({ check, figures, chosen, range, asked }: Measured): Html {
  const { places = [], lines = [] } = figures ?? {};
  if (places.length < 2) return html``;
  const shown = new Set(lines.map(({ code }) => code));
  const left = (chosen.length === 0 ? places : places.filter(({ code }) => chosen.includes(code))).length - shown.size;
  const boxes = places.map(({ code, name }) => checkbox({ name: "location", label: name, value: code, isOn: shown.has(code) }));
  const time = range.name === null ? [hidden("from", asked.from), hidden("to", asked.to)] : [hidden("range", range.name)];
  const kept = [...time, asked.isCompared && hidden("compare", "week")];
  return html`<form method="get" action="/checks/${check.id}" class="compare">${kept}<fieldset><legend>${placeTexts.title}</legend>${boxes}<button class="quiet">${placeTexts.compare}</button></fieldset>
${left > 0 && html`<p class="hint">${placeTexts.leftOut(placesAtMost, left)}</p>`}</form>`;
}
