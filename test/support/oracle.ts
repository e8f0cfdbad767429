import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CheckSession } from "../../src/contract/check-sessions.ts";
import { until } from "./processes.ts";
import type { Site } from "./site.ts";

/** A check that ran by its schedule from its creation until it was paused. */
export interface ScheduledCheck {
  readonly checkId: string;
  readonly periodMs: number;
  readonly locations: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  /** When the control plane was away: one run makes up for all slots in it. */
  readonly outages?: readonly { readonly fromMs: number; readonly toMs: number }[];
}

/** The runs that there must have been. */
export interface Runs {
  readonly sessions?: readonly CheckSession[];
  readonly scheduled?: readonly ScheduledCheck[];
}

/** A slot so close to the edge of a window may lie on either side of it, ms. */
const edgeMs = 2_000;

/**
 * Waits until {scheduled runs} = {FINAL} ∪ {MISSED} holds by what the REST API tells: each run ended once at each of
 * its locations, no hole, nothing twice. Fails with the list of what is wrong. @returns all results, by check
 */
export async function expectNothingLost(site: Site, runs: Runs, limitMs = 45_000): Promise<Map<string, CheckResult[]>> {
  let wrong: string[] = [];
  const results = new Map<string, CheckResult[]>();
  const isRight = async (): Promise<boolean> => {
    const checkIds = new Set([...(runs.sessions ?? []), ...(runs.scheduled ?? [])].map(({ checkId }) => checkId));
    for (const checkId of checkIds) results.set(checkId, await site.results(checkId));
    const all = [...results.values()].flat();
    const unended = await Promise.all((runs.sessions ?? []).map((session) => problemsOf(site, session, all)));
    wrong = [...problemsOfRuns(all), ...unended.flat(), ...(runs.scheduled ?? []).flatMap((check) => holesOf(check, all))];
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

async function problemsOf(site: Site, { checkSessionId: id }: CheckSession, results: readonly CheckResult[]): Promise<string[]> {
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

/** Slots are the instants that differ from any run's own by whole periods. */
function holesOf(check: ScheduledCheck, all: readonly CheckResult[]): string[] {
  const results = all.filter(({ checkId, resultType }) => checkId === check.checkId && resultType !== "ATTEMPT");
  const first = Math.min(...results.map(({ checkRunId }) => checkRunId));
  if (results.length === 0) return [`check ${check.checkId} never ran`];
  const ran = new Set(results.map(({ checkRunId, runLocation }) => `${checkRunId} ${runLocation}`));
  const isAway = (ms: number): boolean => check.outages?.some(({ fromMs, toMs }) => ms > fromMs - edgeMs && ms < toMs + edgeMs) ?? false;
  const holes: string[] = [];
  const firstSlot = first - Math.floor((first - check.fromMs - edgeMs) / check.periodMs) * check.periodMs;
  for (let slot = firstSlot; slot < check.toMs - edgeMs; slot += check.periodMs) {
    for (const location of check.locations) {
      if (!ran.has(`${slot} ${location}`) && !isAway(slot))
        holes.push(`check ${check.checkId} has a hole at ${new Date(slot).toISOString()} at ${location}`);
    }
  }
  return holes;
}

function told(run: readonly CheckResult[]): string {
  return run.map(({ resultType, attempts, runLocation }) => `${resultType} ${attempts} at ${runLocation}`).join(", ");
}
