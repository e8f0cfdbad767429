import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CheckAlert } from "#contract/check-alerts.ts";
import type { CheckGap } from "#contract/check-gaps.ts";
import type { CheckResult } from "#contract/check-results.ts";
import { partsOf } from "#domain/ids.ts";
import { problemsOfSlots, toldSlots } from "../../test/faults/slot-oracle.ts";
import type { Rest } from "../support/rest.ts";
import { flaps, type Installation, periodMs } from "./installation.ts";

/** When a check was there, by the control plane's clock. */
interface Life {
  readonly fromMs: number;
  /** It was told to end. */
  readonly toMs: number;
  /** That had been done. */
  readonly goneMs: number;
}

/** What REST tells of one check in the end. */
interface Story extends Life {
  readonly number: number;
  readonly results: readonly CheckResult[];
  readonly gaps: readonly CheckGap[];
  readonly alerts: readonly CheckAlert[];
}

export interface Verdict {
  readonly problems: readonly string[];
  /** How slots ended, and what was told, by words. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Ends the schedule of all checks. @returns when each was made and ended, epoch ms on the control plane's clock */
/** A slot between the instant that ended the check and the answer that says so may have run, or not. */
export async function endChecks(site: Installation): Promise<readonly Life[]> {
  return inTens(site.checkIds, async (id) => {
    const askedMs = performance.now();
    const ended = (await site.rest()("PUT", `/v1/checks/api/${id}`, { activated: false })) as { created_at: string; updated_at: string };
    const toMs = Date.parse(ended.updated_at);
    return { fromMs: Date.parse(ended.created_at), toMs, goneMs: toMs + performance.now() - askedMs };
  });
}

/** Whether a result or an alert is still to come. @returns what, or null */
export async function pending(site: Installation): Promise<string | null> {
  const rest = site.rest();
  const inProgress = (await readAll<{ status: string }>(rest, "/v1/alert-notifications?hasFailures=false")).filter(
    ({ status }) => status === "IN_PROGRESS",
  );
  if (inProgress.length > 0) return `${inProgress.length} alerts to tell`;
  return null;
}

export async function judge(
  site: Installation,
  lives: Awaited<ReturnType<typeof endChecks>>,
  shown: ReadonlySet<string>,
  folder: string,
): Promise<Verdict> {
  const numbers = site.checkIds.map((_, number) => number);
  const stories = await inTens(numbers, (number) => storyOf(site, number, lives[number] ?? { fromMs: 0, toMs: 0, goneMs: 0 }));
  const results = stories.flatMap((story) => story.results);
  const known = new Set(results.map(({ id }) => id));
  const notTold = await notificationsMissing(site, stories);
  const told = site.receiver.timesTold();
  const flapping = stories.filter(({ number }) => flaps(number));
  const raised = flapping.reduce((sum, { alerts }) => sum + alerts.length, 0);
  const named = flapping.reduce((sum, { number }) => sum + (told.get(number)?.length ?? 0), 0);
  const alerts = [
    ...flapping.flatMap((story) => problemsOfAlerts(story, told.get(story.number)?.length ?? 0)),
    ...(named + site.receiver.timesUnnamed() === raised
      ? []
      : [`${raised} alerts were told ${named + site.receiver.timesUnnamed()} times`]),
  ];
  const troubled = stories.filter((story) => problemsOf(story).length > 0 || problemsOfAlerts(story, 0).length > 0);
  writeFileSync(join(folder, "troubled.json"), JSON.stringify(troubled)); // with what REST told, to find out why
  return {
    problems: [
      ...stories.flatMap((story) => problemsOf(story).map((problem) => `check ${story.number}: ${problem}`)),
      ...[...shown].filter((id) => !known.has(id)).map((id) => `result ${id} was shown, and is gone`),
      ...site.acknowledged.lost(results).map((attempt) => `attempt ${attempt} was acknowledged, and is gone`),
      ...alerts,
      ...notTold,
    ],
    counts: countsOf(stories, results),
  };
}

function problemsOf({ fromMs, toMs, goneMs, results, gaps }: Story): readonly string[] {
  const isMeanwhile = (slotMs: number): boolean => slotMs > toMs && slotMs <= goneMs;
  const ends = results.filter(({ resultType, checkRunId }) => resultType !== "ATTEMPT" && !isMeanwhile(checkRunId));
  // The first run is dated to its slot; those of time that is lived again are some milliseconds off theirs.
  const [first] = ends.toSorted((a, b) => numberOf(a) - numberOf(b));
  if (first === undefined) return ["it never ran"];
  const phaseMs = first.checkRunId % periodMs;
  const runs = Map.groupBy(results, ({ sequenceId }) => sequenceId);
  const twice = [...runs].filter(([, run]) => new Set(run.map(({ attempts }) => attempts)).size < run.length);
  return [
    ...problemsOfSlots(toldSlots(ends, gaps), { eras: [{ fromMs, toMs, periodMs, phaseMs }], pauses: [], runParallel: false }),
    ...twice.map(([id]) => `run ${id} has an attempt twice`),
  ];
}

const numberOf = ({ sequenceId }: CheckResult): number => partsOf(sequenceId ?? "")?.n ?? Number.NaN;

/** One alert for each change between passing and failing, in the true order of the runs, and none told twice. What is stored after the check's end tells nobody. */
function problemsOfAlerts({ number, toMs, results, alerts }: Story, timesTold: number): readonly string[] {
  const runs = inTrueOrder(
    results.filter(({ resultType, late, created_at }) => resultType === "FINAL" && !late && Date.parse(created_at) <= toMs),
  );
  const expected: string[] = [];
  let isFailing = false;
  for (const { hasFailures, hasErrors } of runs) {
    if ((hasFailures || hasErrors) === isFailing) continue;
    isFailing = !isFailing;
    expected.push(isFailing ? "ALERT_FAILURE" : "ALERT_RECOVERY");
  }
  const byNumber = alerts.toSorted((a, b) => (partsOf(a.id)?.n ?? 0) - (partsOf(b.id)?.n ?? 0)); // lists follow the wall clock
  const raised = byNumber.map(({ alertType }) => alertType);
  return [
    ...(String(raised) === String(expected)
      ? []
      : [`check ${number}: ${expected.length} alerts were due, and raised were ${raised.join(", ")}`]),
    ...(timesTold <= raised.length ? [] : [`check ${number}: ${raised.length} alerts were told ${timesTold} times`]),
  ];
}

/** As their target saw them. One that it did not see, or whose answer was lost, comes after the one that was planned before it. */
function inTrueOrder(runs: readonly CheckResult[]): readonly CheckResult[] {
  let last = 0;
  const placed = runs
    .toSorted((a, b) => numberOf(a) - numberOf(b))
    .map((run) => {
      const nth = nthOf(run);
      last = Number.isNaN(nth) ? last : nth;
      return { run, place: Number.isNaN(nth) ? last + 0.5 : nth };
    });
  return placed.toSorted((a, b) => a.place - b.place).map(({ run }) => run);
}

function nthOf({ apiCheckResult }: CheckResult): number {
  return Number((apiCheckResult as { response?: { headers?: Record<string, string> } } | null)?.response?.headers?.["x-nth"] ?? Number.NaN);
}

async function notificationsMissing(site: Installation, stories: readonly Story[]): Promise<readonly string[]> {
  const sent = await readAll<{ checkAlertId?: string; status: string }>(site.rest(), "/v1/alert-notifications?");
  const ofAlert = Map.groupBy(sent, ({ checkAlertId }) => checkAlertId);
  return stories.flatMap(({ alerts }) =>
    alerts.flatMap(({ id }) => {
      const arrived = (ofAlert.get(id) ?? []).filter(({ status }) => status === "SUCCESS").length;
      return arrived === 1 ? [] : [`alert ${id} arrived ${arrived} times`];
    }),
  );
}

async function storyOf(site: Installation, number: number, { fromMs, toMs, goneMs }: Life): Promise<Story> {
  const [rest, id] = [site.rest(), site.checkIds[number]];
  const fields = flaps(number) ? "" : "&fields=id,checkRunId,runLocation,resultType,sequenceId,attempts,late,missedReason,queuedMs";
  const results: CheckResult[] = [];
  for (let nextId: string | null = ""; nextId !== null; ) {
    const from: string = nextId === "" ? "" : `&nextId=${encodeURIComponent(nextId)}`;
    const page = (await rest("GET", `/v2/check-results/${id}?resultType=ALL&limit=100${fields}${from}`)) as {
      entries: CheckResult[];
      nextId: string | null;
    };
    results.push(...page.entries);
    nextId = page.nextId;
  }
  const gaps = await readAll<CheckGap>(rest, `/v1/checks/${id}/gaps?`);
  const alerts = flaps(number) ? await readAll<CheckAlert>(rest, `/v1/check-alerts/${id}?`) : [];
  return { number, fromMs, toMs, goneMs, results, gaps, alerts };
}

function countsOf(stories: readonly Story[], results: readonly CheckResult[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const add = (words: string, count = 1): void => void counts.set(words, (counts.get(words) ?? 0) + count);
  for (const { resultType, missedReason, late } of results) {
    add(resultType === "MISSED" ? `MISSED: ${missedReason}` : resultType);
    if (late) add("late");
  }
  for (const gap of stories.flatMap(({ gaps }) => gaps)) {
    add(`gap rows`);
    add(`slots in gaps: ${gap.reason}`, gap.slots);
  }
  add(
    "alerts",
    stories.reduce((sum, { alerts }) => sum + alerts.length, 0),
  );
  return counts;
}

async function readAll<T>(rest: Rest, path: string): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; ; page += 1) {
    const items = (await rest("GET", `${path}&limit=100&page=${page}`)) as readonly T[];
    all.push(...items);
    if (items.length < 100) return all;
  }
}

async function inTens<T, R>(of: readonly T[], each: (item: T) => Promise<R>): Promise<readonly R[]> {
  const all: R[] = [];
  for (let first = 0; first < of.length; first += 10) all.push(...(await Promise.all(of.slice(first, first + 10).map(each))));
  return all;
}
