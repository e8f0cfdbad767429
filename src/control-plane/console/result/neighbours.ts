import { checkAnalytics } from "#contract/analytics.ts";
import { analyticsPathOf } from "#contract/analytics-metrics.ts";
import { type CheckResult, listCheckResultsV2 } from "#contract/check-results.ts";
import { maxWindowDays } from "#domain/time-range.ts";
import { resultPageTexts as texts } from "../../texts/result-page.ts";
import type { Ask } from "../ask.ts";
import { frequencyOf } from "../check/figures.ts";
import type { CheckRead } from "../check-types/check-type.ts";
import { checkTypesInConsole } from "../check-types/index.ts";
import type { Visit } from "../visit.ts";

/* What a run is compared with: the runs before and after it at the same location, and what is usual there. */

export interface Neighbours {
  readonly previous: string | null;
  readonly next: string | null;
}

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** Ids of the final results before and after. */
export async function neighboursOf(ask: Ask, visit: Visit, check: CheckRead, result: CheckResult): Promise<Neighbours> {
  const { checkId, checkRunId, runLocation: location, sequenceId } = result;
  const others = { location, resultType: "FINAL", fields: "id,sequenceId" };
  const list = async (query: object): Promise<ListPart> => {
    const { entries, nextId } = await ask(visit, listCheckResultsV2, { params: { checkId }, query: { ...others, ...query } });
    return { ids: entries.filter((entry) => entry.sequenceId !== sequenceId).map(({ id }) => id ?? ""), isWhole: nextId === null };
  };
  const within = (fromMs: number, toMs: number): Promise<ListPart> => list({ from: String(fromMs), to: String(toMs), limit: "100" });
  const next = async (): Promise<string | null> => {
    for (const spanMs of [(3 * frequencyOf(check) + 2) * minuteMs, 3 * dayMs, maxWindowDays * dayMs]) {
      const first = await oldestWithin(within, checkRunId + 1, checkRunId + spanMs);
      if (first !== null) return first;
    }
    return null;
  };
  const [before, after] = await Promise.all([list({ to: String(checkRunId), limit: "2" }), next()]);
  return { previous: before.ids[0] ?? null, next: after };
}

/** Results of a time, the newest first, as many as an answer has. */
export interface ListPart {
  readonly ids: readonly string[];
  /** There are no others in this time. */
  readonly isWhole: boolean;
}

/** Lists begin with the newest: where there are too many for one, the time is halved until the oldest of them is in it. */
export async function oldestWithin(
  list: (fromMs: number, toMs: number) => Promise<ListPart>,
  fromMs: number,
  toMs: number,
): Promise<string | null> {
  let [lowMs, highMs, endMs] = [fromMs, toMs, toMs];
  for (;;) {
    const { ids, isWhole } = await list(lowMs, highMs);
    const last = ids.at(-1);
    if (isWhole && last === undefined) {
      if (highMs === endMs) return null;
      [lowMs, highMs] = [highMs, endMs];
    } else if (isWhole || highMs - lowMs < 2) return last ?? null;
    else {
      endMs = highMs;
      highMs = lowMs + Math.floor((highMs - lowMs) / 2);
    }
  }
}

/** How long runs take at this location: the median of the week before; null where there were none. Milliseconds. */
export async function usualOf(ask: Ask, visit: Visit, { checkType, id }: CheckRead, result: CheckResult): Promise<number | null> {
  const path = analyticsPathOf(checkType);
  if (path === undefined || path === "heartbeat-checks") return null;
  const { measures } = checkTypesInConsole[checkType];
  if (measures === null) return null;
  const metric = `${measures.time}_p50`;
  const query = { from: String(result.checkRunId - 7 * dayMs), to: String(result.checkRunId), groupBy: "runLocation", metrics: metric };
  const { series } = await ask(visit, checkAnalytics[path], { params: { id }, query });
  const { data = [] } = series.find(({ runLocation }) => runLocation === result.runLocation) ?? {};
  const row = Array.isArray(data) ? data[0] : data;
  const value = row?.[metric];
  return typeof value === "number" && value > 0 ? value : null;
}

/** `90 % faster than usual (7-day median: 91 ms)`, or that it is as usual. */
export function comparedText(took: number, usual: number, usualText: string): string {
  const times = took / usual;
  if (times > 1 / 1.2 && times < 1.2) return texts.about(usualText);
  if (times < 1) return texts.faster(Math.round((1 - times) * 100), usualText);
  if (times < 2) return texts.slower(Math.round((times - 1) * 100), usualText);
  return texts.times(times < 10 ? times.toFixed(1) : String(Math.round(times)), usualText);
}
