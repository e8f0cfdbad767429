import { type CheckResult, listCheckResultsV2 } from "#contract/check-results.ts";
import { resultPageTexts as texts } from "../../texts/result-page.ts";
import { type Html, html } from "../../view/html.ts";
import { stateLabel } from "../../view/state-label.ts";
import { rowTimeElement } from "../../view/units.ts";
import type { Ask } from "../ask.ts";
import { frequencyOf, placesOf } from "../check/figures.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import type { Visit } from "../visit.ts";
import { outcomeOf } from "./outcome.ts";

const fields = ["id", "runLocation", "checkRunId", "hasFailures", "hasErrors", "isDegraded", "resultType", "isCancelled"] as const;

/** A run at another location. */
export type RunElsewhere = Pick<CheckResult, (typeof fields)[number]>;

const minuteMs = 60_000;

/** Of each other location the run that is nearest in time. Those that run in turn are as far apart as the check has locations. */
export async function elsewhereOf(ask: Ask, visit: Visit, check: CheckRead, result: CheckResult): Promise<readonly RunElsewhere[]> {
  const count = placesOf(check).length;
  if (count < 2) return [];
  const { checkId, checkRunId, runLocation } = result;
  const aroundMs = (frequencyOf(check) * count + 1) * minuteMs;
  const query = { from: String(checkRunId - aroundMs), to: String(checkRunId + aroundMs), limit: "100", fields: fields.join(",") };
  const { entries } = await ask(visit, listCheckResultsV2, { params: { checkId }, query });
  return nearest(entries as readonly RunElsewhere[], runLocation, checkRunId); // with the fields that were asked for
}

/** By location, in the order of their names. */
export function nearest(entries: readonly RunElsewhere[], runLocation: string, atMs: number): readonly RunElsewhere[] {
  const found = new Map<string, RunElsewhere>();
  const distance = ({ checkRunId }: RunElsewhere): number => Math.abs(checkRunId - atMs);
  for (const one of entries) {
    if (one.runLocation === runLocation) continue;
    const before = found.get(one.runLocation);
    if (before === undefined || distance(one) < distance(before)) found.set(one.runLocation, one);
  }
  return [...found.values()].toSorted((a, b) => a.runLocation.localeCompare(b.runLocation, "en"));
}

/** Whether it was so at the other locations, too. */
export function elsewhereLinks({ placeName }: Visit, checkId: string, runs: readonly RunElsewhere[]): Html {
  if (runs.length === 0) return html``;
  return html`<nav aria-label="${texts.elsewhere}"><ul class="attempts"><li class="soft">${texts.elsewhere}:</li>${runs.map((one) => {
    const { tone, text } = outcomeOf(one);
    return html`<li><a href="/checks/${checkId}/results/${one.id}">${placeName(one.runLocation)} ${stateLabel(tone, text)} ${rowTimeElement(one.checkRunId)}</a></li>`;
  })}</ul></nav>`;
}
