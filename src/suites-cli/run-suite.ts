import type { Client } from "#contract/client.ts";
import { ApiError, ConnectionError } from "#contract/client-error.ts";
import type { RunProgress } from "#contract/run-progress.ts";
import { sleep } from "#daemon/sleep.ts";
import { type SuiteOutcome, suiteOutcome } from "./suite-outcome.ts";

export interface SuiteRun {
  /** Of the whole run, in the console. */
  readonly link: string;
  readonly outcomes: readonly SuiteOutcome[];
}

/** Told once a run is there, with what cancels it. */
export type OnStart = (link: string, cancel: () => Promise<unknown>) => void;

/** Told from time to time until a run ends. `waiting`: no agent has taken it yet; null: nobody says how far it is. */
export type OnWait = (waitedSeconds: number, progress: RunProgress | "waiting" | null) => void;

const waitSeconds = 10;

/** Runs a stored check at all its locations and waits for the end. @returns null where nothing was to run: it is not activated */
export async function runCheck(client: Client, checkId: string, onStart: OnStart, onWait: OnWait): Promise<SuiteRun | null> {
  const session = await startOf(client, checkId);
  if (session === undefined) return null;
  const { checkSessionId, checkSessionLink: link } = session;
  const params = { checkSessionId };
  onStart(link, () => client.cancelCheckSession({ params, body: {} }));
  const { results } = await ended(
    (query) => client.awaitCheckSessionV2({ params, query }),
    async (waited) => onWait(waited, (await client.getCheckSessionV2({ params })).status === "STARTED" ? "waiting" : null),
  );
  const last = results.filter(({ resultType }) => resultType !== "ATTEMPT");
  const outcomes = last.map(async ({ checkResultId, checkResultLink, aborted, isCancelled }) => {
    const result = await client.getCheckResult({ params: { checkId, checkResultId } });
    return suiteOutcome({ ...result, isCancelled, aborted: aborted || result.agentSide }, checkResultLink);
  });
  return { link, outcomes: await Promise.all(outcomes) };
}

async function startOf(client: Client, checkId: string) {
  try {
    return (await client.triggerChecksV2({ body: { target: { checkId: [checkId] } } })).sessions[0];
  } catch (error) {
    if (error instanceof ApiError && error.statusCode === 404) return undefined;
    throw error;
  }
}

/** Runs a check that is stored nowhere, once at one location, and waits for the end. */
export async function runTrial(
  client: Client,
  body: Parameters<Client["tryNewCheck"]>[0]["body"],
  runLocation: string,
  onStart: OnStart,
  onWait: OnWait,
): Promise<SuiteRun> {
  const { testSessionId, testSessionLink: link } = await client.tryNewCheck({ query: { runLocation }, body });
  const params = { testSessionId };
  onStart(link, () => client.cancelTestSession({ params, body: {} }));
  const { results } = await ended(
    (query) => client.awaitTestSession({ params, query }),
    async (waited) => onWait(waited, (await client.getTestSession({ params })).results[0]?.progress ?? "waiting"),
  );
  const last = results.filter(({ resultType }) => resultType !== "ATTEMPT");
  const outcomes = last.map(async ({ testSessionResultId, testSessionResultLink }) => {
    const result = await client.getTestSessionResult({ params: { testSessionId, testSessionResultId } });
    return suiteOutcome({ ...result, errorMessage: result.errorMessage ?? result.scheduleError }, testSessionResultLink);
  });
  return { link, outcomes: await Promise.all(outcomes) };
}

/** A run ends in any case: where no agent takes it, the control plane says so after some minutes. It may be away meanwhile, as when it is upgraded. */
async function ended<T>(
  wait: (query: { readonly maxWaitSeconds: number }) => Promise<T>,
  onWait: (waitedSeconds: number) => Promise<void>,
): Promise<T> {
  let awayTimes = 0;
  for (let waited = waitSeconds; ; waited += waitSeconds) {
    try {
      return await wait({ maxWaitSeconds: waitSeconds });
    } catch (error) {
      if (isAway(error) && awayTimes < mostAwayTimes) {
        awayTimes += 1;
        await sleep(waitSeconds * 1_000, new AbortController().signal);
      } else if (error instanceof ApiError && error.statusCode === 408) awayTimes = 0;
      else throw error;
      await onWait(waited).catch(unlessAway);
    }
  }
}

/** Five minutes: an upgrade with migrations takes less. */
const mostAwayTimes = 30;

function isAway(error: unknown): boolean {
  return error instanceof ConnectionError || (error instanceof ApiError && [502, 503, 504].includes(error.statusCode));
}

/** What is only told may stay untold. */
function unlessAway(error: unknown): void {
  if (!isAway(error)) throw error;
}
