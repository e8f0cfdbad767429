import type { CheckGap } from "#contract/check-gaps.ts";
import { checkPageTexts } from "../../texts/check-page.ts";
import { gapTexts } from "../../texts/gaps.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { durationText, rowMomentElement } from "../../view/units.ts";
import { part } from "../facts.ts";
import { outcomeOf } from "../result/outcome.ts";
import { table } from "../table.ts";
import type { CheckView } from "./check-view.ts";
import { addressOf } from "./range-section.ts";
import { type RunRow } from "./run-row.ts";

const texts = checkPageTexts.runs;

export const runsOfPage = 20;

export function runSection(view: CheckView): Html {
  const { check, results, nextId, range, gaps } = view;
  const isOwn = range.name === null;
  if (results.length + gaps.length === 0) return html`<p class="box">${isOwn ? texts.noneThen : texts.none}</p>`;
  const earlier = addressOf(view, { after: nextId ?? "" });
  const rows = rowsOf(check.id, results, nextId === null ? gaps : gapsSince(results, gaps)).map((row) => row.html);
  return part(
    isOwn ? texts.ofTime : texts.latest,
    html`<div id="runs">${table(texts.columns, rows, "stacked", true)}</div>`,
    nextId === null ? html`` : html`<p class="pages"><a href="${earlier}">${texts.earlier}</a></p>`,
  );
}

/** Gaps that are not older than all of these runs. */
export function gapsSince(results: readonly RunRow[], gaps: readonly CheckGap[]): readonly CheckGap[] {
  const oldest = Math.min(...results.map(timeOf));
  return gaps.filter(({ lastSlot }) => Date.parse(lastSlot) >= oldest);
}

/** Runs, and times without any, the newest first. */
export function rowsOf(
  checkId: string,
  results: readonly RunRow[],
  gaps: readonly CheckGap[],
): readonly { readonly id: string; readonly html: Html }[] {
  const runs = results.map((result) => ({ id: result.id, atMs: timeOf(result), html: runRow(checkId, result) }));
  const without = gaps.map((gap) => ({ id: gap.firstSlot, atMs: Date.parse(gap.lastSlot), html: gapRow(gap) }));
  return without.length === 0 ? runs : [...runs, ...without].toSorted((a, b) => b.atMs - a.atMs);
}

function timeOf({ startedAt, created_at: createdAt }: RunRow): number {
  return Date.parse(startedAt ?? createdAt);
}

function gapRow({ firstSlot, lastSlot, reason, slots, locations }: CheckGap): Html {
  const [from, to] = [Date.parse(firstSlot), Date.parse(lastSlot)];
  const when = from === to ? rowMomentElement(from) : html`${rowMomentElement(from)} ${gapTexts.until} ${rowMomentElement(to)}`;
  return html`<tr class="gap" data-id="${firstSlot}"><td>${when}</td><td>${stateLabel("none", gapTexts.slots(slots))}</td><td>${locations.join(", ")}</td><td>${texts.notMeasured}</td><td class="free">${gapTexts.reasons[reason]}</td></tr>`;
}

function runRow(checkId: string, result: RunRow): Html {
  const { tone, text } = outcomeOf(result);
  const at = rowMomentElement(timeOf(result));
  const took = result.resultType === "MISSED" ? texts.notMeasured : durationText(result.responseTime);
  const outcome = stateLabel(tone, result.resultType === "ATTEMPT" ? texts.retried(text) : text);
  return html`<tr data-id="${result.id}"><td><a href="/checks/${checkId}/results/${result.id}">${at}</a></td><td>${outcome}</td><td>${result.runLocation}</td><td>${took}</td><td class="free">${result.errorMessage ?? ""}</td></tr>`;
}
