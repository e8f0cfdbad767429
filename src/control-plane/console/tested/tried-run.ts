import type { OutputOf } from "#contract/operation.ts";
import { listPrivateLocations } from "#contract/private-locations.ts";
import { awaitTestSession, getTestSession, getTestSessionResult, type TestSession } from "#contract/test-sessions.ts";
import { hasCode } from "#domain/app-error.ts";
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

/** So long an answer waits for the end of a run. Most end sooner; who waits longer looks again. */
const patienceSeconds = "5";

/** Waits a little for its end. @throws {AppError} not_found */
export async function awaitedRun(ask: Ask, visit: Visit, testSessionId: string): Promise<TriedRun> {
  await ask(visit, awaitTestSession, { params: { testSessionId }, query: { maxWaitSeconds: patienceSeconds } }).catch((error: unknown) => {
    if (!hasCode(error, "try_again")) throw error;
  });
  return triedRun(ask, visit, testSessionId);
}

/** @throws {AppError} not_found */
export async function triedRun(ask: Ask, visit: Visit, testSessionId: string): Promise<TriedRun> {
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
