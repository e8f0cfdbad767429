import type { Logger } from "#daemon/logger.ts";
import { loop } from "#daemon/loop.ts";
import type { Service } from "#daemon/service.ts";
import { cleanError } from "#domain/error-message.ts";
import { testRunStatus } from "#domain/test-session-status.ts";
import type { ResultRow, TestFailure, TestFailureStore, TestSessionStore } from "../storage/storage.ts";

const batchSize = 50;
const idleMs = 5_000;

/**
 * Groups failures of test sessions that have ended. Beside ingest, which it must not slow: a test session is read once, and what a process that
 * ends leaves behind the next one reads.
 */
export function createTestFailures(deps: {
  readonly testFailures: Pick<TestFailureStore, "unread" | "read" | "prune">;
  readonly testSessions: Pick<TestSessionStore, "byId" | "resultsOfRun">;
  readonly nowMs: () => number;
  readonly resultsKeepMs: number;
  readonly log: Logger;
}): Service {
  const { testFailures, testSessions, nowMs, resultsKeepMs, log } = deps;
  let after = 0;

  async function turn(signal: AbortSignal): Promise<number> {
    const found = await testFailures.unread(after, batchSize);
    for (const { id, accountId } of found) {
      if (signal.aborted) return 0;
      await readOne(id, accountId);
    }
    after = found.length === batchSize ? (found.at(-1)?.id ?? 0) : 0; // those that still run are looked at again
    if (after === 0) await testFailures.prune(nowMs() - resultsKeepMs, batchSize);
    return after === 0 ? idleMs : 0;
  }

  async function readOne(id: number, accountId: number): Promise<void> {
    const session = await testSessions.byId(accountId, id);
    if (session === undefined || session.runs.some(({ status }) => testRunStatus(status) === "RUNNING")) return;
    const failures = new Map<string, TestFailure>();
    // One after another: each with its details, which the message is a part of.
    for (const run of session.runs.filter(({ status }) => testRunStatus(status) === "FAILED"))
      for (const failure of (await testSessions.resultsOfRun(session, run)).flatMap(failureOf)) failures.set(failure.hash, failure);
    const { metadata, projectUuid = null } = session.definition;
    await testFailures.read({ id, accountId, projectUuid, environment: metadata?.environment ?? null }, [...failures.values()]);
  }

  return loop("failures of test sessions", turn, (error) => {
    log.error({ err: error }, "grouping failures of test sessions failed");
    return 30_000;
  });
}

function failureOf({ resultType, hasFailures, hasErrors, errorMessage, startedAtMs }: ResultRow): readonly TestFailure[] {
  if (resultType !== "FINAL" || !(hasFailures || hasErrors) || errorMessage === null) return [];
  const cleaned = cleanError(errorMessage);
  return cleaned === null ? [] : [{ hash: cleaned.hash, cleanedMessage: cleaned.message, rawMessage: errorMessage, seenMs: startedAtMs }];
}
