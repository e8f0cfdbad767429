import type { OutputOf } from "#contract/operation.ts";
import { listPrivateLocations } from "#contract/private-locations.ts";
import { awaitTestSession, getTestSession, getTestSessionResult, type TestSession } from "#contract/test-sessions.ts";
import { hasCode } from "#domain/app-error.ts";
import { firstError } from "#domain/script-failure.ts";
import type { Ask } from "../ask.ts";
import type { Visit } from "../visit.ts";

export type TestedResult = OutputOf<typeof getTestSessionResult>;

/** A test session of one check, as far as it is. */
export interface TriedRun {
  readonly session: TestSession;
  /** What came of it; null until it ended. */
  readonly result: TestedResult | null;
  /** Nobody is there who could take it. */
  readonly isAlone: boolean;
}

/** A check is tried at so many locations at once. */
export const maxTried = 10;

/** So long an answer waits for the end of runs, which most do sooner, and where one tells how far it is, for what it tells next. */
const patienceSeconds = { end: "5", news: "1" } as const;

/**
 * Waits a little for the ends of runs that go on.
 *
 * @param knownEnds how many ends whoever asks knows of already: it waits for another one; null: for all
 * @throws {AppError} not_found
 */
export async function awaitedRuns(ask: Ask, visit: Visit, ids: readonly string[], knownEnds: number | null): Promise<readonly TriedRun[]> {
  const before = await triedRuns(ask, visit, ids);
  const running = before.filter(goesOn);
  if (running.length === 0 || (knownEnds !== null && endsOf(before) > knownEnds)) return before;
  const waitsFor = knownEnds !== null && running.some(tells) ? "news" : "end";
  const ends = running.map(({ session }) => endOf(ask, visit, session.testSessionId, patienceSeconds[waitsFor]));
  await (knownEnds === null ? Promise.all(ends) : Promise.race(ends));
  return triedRuns(ask, visit, ids);
}

export function endsOf(runs: readonly TriedRun[]): number {
  return runs.filter((run) => !goesOn(run)).length;
}

async function endOf(ask: Ask, visit: Visit, testSessionId: string, maxWaitSeconds: string): Promise<void> {
  await ask(visit, awaitTestSession, { params: { testSessionId }, query: { maxWaitSeconds } }).catch((error: unknown) => {
    if (!hasCode(error, "try_again")) throw error;
  });
}

/** Of a script, where the first of the runs failed that did; null where none did, or in another file. */
export function failedLine(runs: readonly TriedRun[]): number | null {
  for (const { result } of runs) {
    const { errors, tests } = result?.browserCheckResult ?? result?.multiStepCheckResult ?? { errors: [], tests: [] };
    const place = firstError({ errors })?.location;
    if (place && tests.every(({ file }) => file === place.file)) return place.line;
  }
  return null;
}

/** It is a script, and says how far it is. */
function tells({ session }: TriedRun): boolean {
  return session.results[0]?.progress !== undefined;
}

export function goesOn({ session }: TriedRun): boolean {
  return session.status === "RUNNING";
}

/** As far as they are. @throws {AppError} not_found */
export function triedRuns(ask: Ask, visit: Visit, ids: readonly string[]): Promise<readonly TriedRun[]> {
  return Promise.all(ids.map((id) => triedRun(ask, visit, id)));
}

async function triedRun(ask: Ask, visit: Visit, testSessionId: string): Promise<TriedRun> {
  const session = await ask(visit, getTestSession, { params: { testSessionId } });
  const [run] = session.results;
  if (run === undefined) return { session, result: null, isAlone: false };
  if (session.status === "RUNNING") return { session, result: null, isAlone: await isAlone(ask, visit, run.runLocation) };
  const { testSessionResultId } = run;
  return { session, result: await ask(visit, getTestSessionResult, { params: { testSessionId, testSessionResultId } }), isAlone: false };
}

/** Of data centers nobody knows. */
async function isAlone(ask: Ask, visit: Visit, location: string): Promise<boolean> {
  const locations = await ask(visit, listPrivateLocations);
  return locations.some(({ slugName, agentCount }) => slugName === location && agentCount === 0);
}
