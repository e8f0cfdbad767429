import { fittingComparisons } from "#domain/assertions/fitting.ts";
import { checkFormTexts } from "../../texts/check-form.ts";
import { assertionTitle } from "../../view/assertion-words.ts";
import { type Html, html } from "../../view/html.ts";
import type { AssertionChoices } from "../check-types/check-type.ts";
import type { FormProblems } from "../form-view.ts";
import type { AssertionRow } from "./assertion-rows.ts";
import { valueAt } from "./value-at.ts";

const texts = checkFormTexts.assertion;

/** The path under which an assertion is refused. */
export function assertionPlace(index: number): string {
  return `request.assertions[${index}]`;
}

/** Two rows are left for more, and a script adds others, and leaves only comparisons that fit the source; a row without a source counts for nothing. */
export function assertionTable(
  { sources, comparisons }: AssertionChoices,
  body: Readonly<Record<string, unknown>>,
  problems: FormProblems,
): Html {
  const stored = valueAt(body, "request.assertions");
  const rows: readonly AssertionRow[] = Array.isArray(stored) ? (stored as readonly AssertionRow[]) : [];
  const empty = { source: "", property: "", comparison: "EQUALS", target: "" };
  const options = (all: readonly string[], chosen: string): Html =>
    html`${all.map((one) => html`<option value="${one}"${one === chosen && html` selected`}>${one === "" ? texts.none : assertionTitle(one)}</option>`)}`;
  const row = (one: AssertionRow, index: number): Html => {
    const number = index + 1;
    const place = assertionPlace(index);
    const problem = problems[place];
    const marks = problem !== undefined && html` id="${place}" aria-invalid="true" aria-describedby="${place}-problem"`;
    return html`<tr><td><select name="assertion.source" aria-label="${texts.sourceOf(number)}">${options(["", ...sources], one.source)}</select></td>
<td><input name="assertion.property" value="${one.property}" aria-label="${texts.propertyOf(number)}"></td>
<td><select name="assertion.comparison" aria-label="${texts.comparisonOf(number)}">${options(comparisons, one.comparison)}</select></td>
<td><input name="assertion.target" value="${String(one.target)}" aria-label="${texts.targetOf(number)}"${marks}>${problem !== undefined && html`<p class="problem" id="${place}-problem">${problem}</p>`}</td>
<td class="scripted"><button type="button" class="quiet" name="drop" aria-label="${texts.remove(number)}">×</button></td></tr>`;
  };
  const heads = [texts.source, texts.property, texts.comparison, texts.target];
  return html`<fieldset><legend>${checkFormTexts.whatMustHold}</legend>
<div class="wide"><table class="assertions" data-fits="${JSON.stringify(fittingComparisons)}"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}<td class="scripted"></td></tr></thead><tbody>${[...rows, empty, empty].map(row)}</tbody></table></div><p class="scripted"><button type="button" class="quiet" id="add-assertion">${texts.add}</button></p></fieldset>`;
}
