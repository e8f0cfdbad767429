import type { CheckGap } from "../../src/contract/check-gaps.ts";
import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CheckSession, CheckSessionWithResults } from "../../src/contract/check-sessions.ts";
import { until } from "./processes.ts";

/** A check that ran by its schedule from its creation until it was paused. */
export interface ScheduledCheck {
  readonly checkId: string;
  readonly periodMs: number;
  readonly locations: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** The runs that there must have been. */
export interface Runs {
  readonly sessions?: readonly CheckSession[];
  readonly scheduled?: readonly ScheduledCheck[];
}

/** What tells of runs: the REST API of a site. */
interface Ledger {
  results(checkId: string): Promise<CheckResult[]>;
  gaps(checkId: string): Promise<CheckGap[]>;
  session(id: string): Promise<CheckSessionWithResults>;
}

/** A slot so close to the edge of a window may lie on either side of it, ms. */
const edgeMs = 2_000;

/**
 * Waits until {scheduled slots} = {FINAL} ∪ {MISSED} ∪ {gaps} holds by what the REST API tells: each run ended once at each of
 * its locations, no hole, nothing twice. Fails with the list of what is wrong. @returns all results, by check
 */
export async function expectNothingLost(site: Ledger, runs: Runs, limitMs = 45_000): Promise<Map<string, CheckResult[]>> {
  let wrong: string[] = [];
  const results = new Map<string, CheckResult[]>();
  const isRight = async (): Promise<boolean> => {
    const checkIds = new Set([...(runs.sessions ?? []), ...(runs.scheduled ?? [])].map(({ checkId }) => checkId));
    for (const checkId of checkIds) results.set(checkId, await site.results(checkId));
    const all = [...results.values()].flat();
    const unended = await Promise.all((runs.sessions ?? []).map((session) => problemsOf(site, session, all)));
    const holes = (runs.scheduled ?? []).map(async (check) => problemsOfSlots(check, all, await site.gaps(check.checkId)));
    wrong = [...problemsOfRuns(all), ...unended.flat(), ...(await Promise.all(holes)).flat()];
    return wrong.length === 0;
  };
  await until("every run ended once", isRight, limitMs).catch((error: unknown) => {
    throw new Error(`${wrong.length} things are wrong with the results:\n${wrong.slice(0, 20).join("\n")}`, { cause: error });
  });
  return results;
}

/** Runs are told apart by their sequenceId: one at each location. */
function problemsOfRuns(results: readonly CheckResult[]): string[] {
  return [...Map.groupBy(results, ({ sequenceId }) => sequenceId)].flatMap(([id, run]) => {
    const ends = run.filter(({ resultType }) => resultType !== "ATTEMPT");
    const numbers = run.map(({ attempts }) => attempts);
    const last = Math.max(...numbers);
    return [
      ...(ends.length === 1 ? [] : [`run ${id} has ${ends.length} ends: ${told(run)}`]),
      ...(new Set(numbers).size === numbers.length ? [] : [`run ${id} has an attempt twice: ${told(run)}`]),
      ...(ends.some(({ resultType, attempts }) => resultType === "FINAL" && attempts !== last)
        ? [`run ${id} went on after its end: ${told(run)}`]
        : []),
      ...(ends.some(({ resultType, missedReason }) => resultType === "MISSED" && missedReason === null)
        ? [`run ${id} was missed without a reason`]
        : []),
    ];
  });
}

async function problemsOf(site: Ledger, { checkSessionId: id }: CheckSession, results: readonly CheckResult[]): Promise<string[]> {
  const session = await site.session(id);
  const ends = session.results.filter(({ resultType }) => resultType !== "ATTEMPT");
  const known = new Set(results.map((result) => result.id));
  return [
    ...(session.stoppedAt === null ? [`session ${id} has not ended: ${session.status}`] : []),
    ...(ends.length === session.runLocations.length
      ? []
      : [`session ${id} has ${ends.length} ends at ${session.runLocations.length} locations`]),
    ...(ends.every(({ checkResultId }) => known.has(checkResultId)) ? [] : [`session ${id} has results that its check has not`]),
  ];
}

/** Slots are the instants that differ from the latest run's own by whole periods: what came again after a clock was set back is dated apart. */
function problemsOfSlots(check: ScheduledCheck, all: readonly CheckResult[], gaps: readonly CheckGap[]): string[] {
  const results = all.filter(({ checkId, resultType }) => checkId === check.checkId && resultType !== "ATTEMPT");
  if (results.length === 0) return [`check ${check.checkId} never ran`];
  const latest = Math.max(...results.map(({ checkRunId }) => checkRunId));
  const accounted = [
    ...results.map(({ checkRunId, runLocation }) => `${checkRunId} ${runLocation}`),
    ...gaps.flatMap((gap) => slotsOf(gap, check.periodMs).flatMap((slot) => gap.locations.map((place) => `${slot} ${place}`))),
  ];
  const known = new Set(accounted);
  const problems = known.size === accounted.length ? [] : [`check ${check.checkId} has slots that are told twice`];
  const firstSlot = latest - Math.floor((latest - check.fromMs - edgeMs) / check.periodMs) * check.periodMs;
  for (let slot = firstSlot; slot < check.toMs - edgeMs; slot += check.periodMs) {
    for (const location of check.locations) {
      if (!known.has(`${slot} ${location}`))
        problems.push(`check ${check.checkId} has a hole at ${new Date(slot).toISOString()} at ${location}`);
    }
  }
  return problems;
}

function slotsOf({ firstSlot, slots }: CheckGap, periodMs: number): readonly number[] {
  return Array.from({ length: slots }, (_, index) => Date.parse(firstSlot) + index * periodMs);
}

function told(run: readonly CheckResult[]): string {
  return run.map(({ resultType, attempts, runLocation }) => `${resultType} ${attempts} at ${runLocation}`).join(", ");
}
