import { checkPageTexts } from "../../texts/check-page.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText, momentElement } from "../../view/units.ts";
import { part } from "../facts.ts";
import { outcomeOf } from "../result/outcome.ts";
import { table } from "../table.ts";
import type { CheckView } from "./check-view.ts";
import { addressOf } from "./range-section.ts";
import { type RunRow } from "./run-row.ts";

const texts = checkPageTexts.runs;

export const runsOfPage = 20;

export function runSection(view: CheckView): Html {
  const { check, results, nextId, range } = view;
  const isOwn = range.name === null;
  if (results.length === 0) return html`<p class="box">${isOwn ? texts.noneThen : texts.none}</p>`;
  const earlier = addressOf(view, { after: nextId ?? "" });
  const rows = results.map((result) => runRow(check.id, result));
  return part(
    isOwn ? texts.ofTime : texts.latest,
    html`<div id="runs">${table(texts.columns, rows)}</div>`,
    nextId === null ? html`` : html`<p class="pages"><a href="${earlier}">${texts.earlier}</a></p>`,
  );
}

/** How the check stands, by its newest finished run. */
export function standingLabel(results: readonly RunRow[]): Html {
  const newest = results.find(({ resultType }) => resultType === "FINAL");
  const { tone, text } = newest === undefined ? ({ tone: "none", text: texts.noData } as const) : outcomeOf(newest);
  return stateLabel(tone, text);
}

export function runRow(checkId: string, result: RunRow): Html {
  const { tone, text } = outcomeOf(result);
  const at = momentElement(Date.parse(result.startedAt ?? result.created_at));
  const took = result.resultType === "MISSED" ? texts.notMeasured : durationText(result.responseTime);
  const outcome = stateLabel(tone, result.resultType === "ATTEMPT" ? texts.retried(text) : text);
  return html`<tr data-id="${result.id}"><td><a href="/checks/${checkId}/results/${result.id}">${at}</a></td><td>${outcome}</td><td>${result.runLocation}</td><td>${took}</td><td class="free">${result.errorMessage ?? ""}</td></tr>`;
}
