import type { CheckResult } from "#contract/check-results.ts";
import { resultPageTexts } from "../../texts/result-page.ts";
import { type Html, html } from "../../view/html.ts";
import { durationText } from "../../view/units.ts";
import { detailsOf } from "../check-types/details-of.ts";

/** A part of an attempt, in the order of time. */
export interface Phase {
  readonly name: string;
  readonly ms: number;
}

const texts = resultPageTexts.phases;

/** A phase as people read it, by its name on the wire. */
export function phaseName(name: string): string {
  return texts.names[name] ?? name;
}

/** The phases that an attempt went through; none where it did not come so far as to tell them. */
export function phasesOf(result: CheckResult): readonly Phase[] {
  const { total: _total, ...phases } = detailsOf(result).phases;
  return Object.entries(phases).map(([name, ms]) => ({ name: phaseName(name), ms }));
}

/** One bar below the other, each where the one before it ended; the numbers stand beside them as text. */
export function waterfall(phases: readonly Phase[]): Html {
  const totalMs = phases.reduce((sum, { ms }) => sum + ms, 0);
  if (totalMs === 0) return html``;
  let beforeMs = 0;
  const rows = phases.map(({ name, ms }, index) => {
    const from = (100 * beforeMs) / totalMs;
    beforeMs += ms;
    // What took any time at all is seen.
    const width = ms === 0 ? 0 : Math.max(0.5, (100 * ms) / totalMs);
    return html`<tr><th scope="row">${name}</th><td class="time">${durationText(ms)}</td><td class="bar"><svg width="100%" height="14" aria-hidden="true"><rect class="p${index}" x="${Math.min(from, 99.5).toFixed(2)}%" width="${width.toFixed(2)}%" height="14" rx="2"/></svg></td></tr>`;
  });
  return html`<table class="waterfall"><caption class="hidden">${texts.caption}</caption><tbody>${rows}
<tr class="total"><th scope="row">${texts.total}</th><td class="time">${durationText(totalMs)}</td><td></td></tr></tbody></table>`;
}
