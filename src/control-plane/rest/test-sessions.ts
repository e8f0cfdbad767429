import { isPinged } from "#contract/checks/traits.ts";
import {
  awaitTestSession,
  cancelTestSession,
  type EndedTestSession,
  getTestSession,
  getTestSessionResult,
  getTestSessionResultAsset,
  listTestSessionResultAssets,
  listTestSessions,
  type TestSession,
  type TestSessionListQuery,
  type TriggerTestSessionRequest,
  triggerTestSession,
} from "#contract/test-sessions.ts";
import { AppError } from "#domain/app-error.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { matchesTags } from "#domain/tags.ts";
import { testRunStatus } from "#domain/test-session-status.ts";
import type { BlobStore } from "../blob-store/blob-store.ts";
import { type Handler, handler } from "../http/handler.ts";
import type { SessionWaits } from "../jobs/session-waits.ts";
import type { Sealing } from "../keys/sealing.ts";
import { jobNoOfSequence, testResultOf, testSessionIdOf, testSessionUuid } from "../kinds/ids.ts";
import { notFound } from "../kinds/not-found.ts";
import { sealedVariables } from "../secrets/definition-secrets.ts";
import { sessionOfJob } from "../storage/numbers.ts";
import type {
  CheckIndexStore,
  JobStore,
  LocationRow,
  LocationStore,
  ResultRow,
  StoredAsset,
  TestedCheck,
  TestSessionRow,
  TestSessionStore,
} from "../storage/storage.ts";
import { rowNoOf } from "./cursor-page.ts";
import { assetFile, assetsIn, manifest } from "./result-assets.ts";
import {
  assetFolder,
  type CheckedRun,
  lastOf,
  provider,
  tellsProgress,
  testSessionListEntry,
  testSessionView,
  wholeResultView,
} from "./test-session-view.ts";

export interface TestSessionDeps {
  readonly testSessions: TestSessionStore;
  readonly checkIndex: Pick<CheckIndexStore, "ofAccount">;
  readonly locations: Pick<LocationStore, "byCodes">;
  readonly jobs: Pick<JobStore, "cancel" | "progress">;
  readonly waits: Pick<SessionWaits, "until">;
  readonly blobs: Pick<BlobStore, "open"> | null;
  readonly sealing: Pick<Sealing, "seal" | "renewed">;
  readonly nowMs: () => number;
  /** Base of links, without a slash at its end. */
  readonly publicUrl: () => string;
}

const maxChecks = 1_000;

export function testSessionHandlers(deps: TestSessionDeps): readonly Handler[] {
  return [...sessionHandlers(deps), ...endHandlers(deps), ...resultHandlers(deps)];
}

function sessionHandlers(deps: TestSessionDeps): readonly Handler[] {
  const { testSessions, sealing, nowMs } = deps;
  return [
    handler(listTestSessions, async ({ query }, { caller: { account } }) => {
      const before = query.nextId === undefined ? undefined : rowNoOf(query.nextId);
      if (excludesAll(query)) return { length: 0, entries: [], nextId: null };
      const { from, to, statuses, branches, textSearch, limit } = query;
      const filter = { limit: limit ?? 20, before, fromMs: from, toMs: to, statuses, branches, text: textSearch };
      const { items, next } = await testSessions.list(account.id, filter);
      const entries = items.map((item) => testSessionListEntry(item, account.uuid));
      return { length: entries.length, entries, nextId: next === null ? null : String(next) };
    }),
    handler(triggerTestSession, async ({ body }, { caller: { account } }) => {
      const location = await findRunLocation(deps, account.id, body.runLocation);
      const checks = await matchingChecks(deps, account.id, body.target);
      const environmentVariables = sealedVariables(body.environmentVariables, [], sealing, {
        kind: "test-session",
        accountId: account.id,
        row: "",
      });
      const definition = { metadata: body.metadata, retryStrategy: body.retryStrategy, environmentVariables };
      const session = { accountId: account.id, locationId: location.id, name: body.name, definition, checks, nowMs: nowMs() };
      return withResults(deps, await testSessions.create(session));
    }),
    handler(getTestSession, async ({ params }, { caller }) =>
      withResults(deps, await findTestSession(deps, caller.account.id, params.testSessionId)),
    ),
  ];
}

function endHandlers(deps: TestSessionDeps): readonly Handler[] {
  const { jobs, waits, nowMs } = deps;
  return [
    handler(awaitTestSession, async ({ params: { testSessionId }, query: { maxWaitSeconds } }, { caller, signal }) => {
      const session = await findTestSession(deps, caller.account.id, testSessionId);
      const numbers = session.runs.map(({ jobNo }) => sessionOfJob(jobNo));
      const ended = await waits.until(numbers, maxWaitSeconds * 1000, signal, async () => {
        const now = await findTestSession(deps, caller.account.id, testSessionId);
        return now.runs.some(isRunning) ? undefined : now;
      });
      if (ended === undefined)
        throw new AppError("try_again", `The test session has not ended within ${maxWaitSeconds} seconds; ask again`);
      // With all its runs it has ended, and has a time when it did.
      return (await withResults(deps, ended)) as EndedTestSession;
    }),
    handler(cancelTestSession, async ({ params: { testSessionId }, body: { sequenceId } }, { caller }) => {
      const session = await findTestSession(deps, caller.account.id, testSessionId);
      const only = sequenceId && new Set(sequenceId.map(jobNoOfSequence));
      const wanted = session.runs.filter((run) => isRunning(run) && (only === undefined || only.has(run.jobNo)));
      for (const { jobNo } of wanted) await jobs.cancel(sessionOfJob(jobNo), nowMs());
      return undefined;
    }),
  ];
}

function resultHandlers(deps: TestSessionDeps): readonly Handler[] {
  const { blobs, publicUrl } = deps;
  return [
    handler(getTestSessionResult, async ({ params }, { caller }) => {
      const { session, run, row } = await findResult(deps, caller.account.id, params);
      return wholeResultView(session, run, row, publicUrl());
    }),
    handler(listTestSessionResultAssets, async ({ params, query }, { caller }) => {
      const { session, run, row } = await findResult(deps, caller.account.id, params);
      const resultId = params.testSessionResultId.toLowerCase();
      const { uuid: checkId, name: checkName, type: checkType } = run.check;
      const source = {
        type: "test-session-result",
        ...(checkId !== null && { checkId }),
        checkName,
        checkType,
        resultId,
        testSessionId: testSessionUuid(session),
      } as const;
      return manifest(row === undefined ? [] : assetsIn(assetFolder(session, resultId, publicUrl()), row), source, query);
    }),
    handler(getTestSessionResultAsset, async ({ params }, { caller }) => {
      return assetFile(await testedAsset(deps, caller.account.id, params), blobs);
    }),
  ];
}

/** Filters by what no test session here has: another provider than the API, a user, an error group. */
function excludesAll({ providers, users, noUsers, errorGroupId }: TestSessionListQuery): boolean {
  const otherProvider = providers.length > 0 && !providers.includes(provider);
  return otherProvider || (users.length > 0 && !noUsers) || (errorGroupId ?? null) !== null;
}

/** The account's location where a test session runs. @throws {AppError} invalid_input */
export async function findRunLocation({ locations }: TestSessionDeps, accountId: number, code: string): Promise<LocationRow> {
  const [location] = await locations.byCodes(accountId, [code]);
  if (location !== undefined) return location;
  const message = `must be a data center location or the slug name of a private location of this account, received "${code}"`;
  throw invalidInput([{ path: "runLocation", message }]);
}

/** What is omitted allows every check. Heartbeats have nothing to run. */
export async function matchingChecks(
  { checkIndex }: TestSessionDeps,
  accountId: number,
  { checkId, matchTags, allowDeactivated }: TriggerTestSessionRequest["target"],
): Promise<readonly TestedCheck[]> {
  const ids = checkId && new Set(checkId.map((id) => id.toLowerCase()));
  const checks = (await checkIndex.ofAccount(accountId)).filter(
    ({ uuid, type, activated, tags }) =>
      !isPinged(type) &&
      (activated || allowDeactivated) &&
      (ids === undefined || ids.has(uuid)) &&
      (matchTags === undefined || matchesTags(matchTags, tags)),
  );
  if (checks.length === 0) throw new AppError("not_found", `No ${allowDeactivated ? "" : "activated "}check matches the target`);
  if (checks.length > maxChecks) {
    throw invalidInput([{ path: "target", message: `matches ${checks.length} checks; a test session runs at most ${maxChecks}` }]);
  }
  return checks.map(({ id, uuid, type, name }) => ({ id, uuid, type, name }));
}

export async function findTestSession({ testSessions }: TestedResultDeps, accountId: number, uuid: string): Promise<TestSessionRow> {
  const id = testSessionIdOf(uuid);
  const session = id === undefined ? undefined : await testSessions.byId(accountId, id);
  if (session === undefined) throw notFound("test session", uuid);
  return session;
}

export interface FoundResult {
  readonly session: TestSessionRow;
  readonly run: CheckedRun;
  /** Undefined for a run of which nothing is known yet. */
  readonly row: ResultRow | undefined;
}

export type TestedResultDeps = Pick<TestSessionDeps, "testSessions">;

/** @throws {AppError} not_found */
export async function testedAsset(
  deps: TestedResultDeps,
  accountId: number,
  params: { readonly testSessionId: string; readonly testSessionResultId: string; readonly name: string },
): Promise<StoredAsset> {
  const { session, row } = await findResult(deps, accountId, params);
  const asset = row && (await deps.testSessions.asset(session, row, params.name));
  if (asset === undefined) throw notFound("file", params.name);
  return asset;
}

export async function findResult(
  deps: TestedResultDeps,
  accountId: number,
  { testSessionId, testSessionResultId }: { readonly testSessionId: string; readonly testSessionResultId: string },
): Promise<FoundResult> {
  return resultIn(deps, await findTestSession(deps, accountId, testSessionId), testSessionResultId);
}

/** The same of one that names no test session. @throws {AppError} not_found */
export async function findResultAlone(deps: TestedResultDeps, accountId: number, testSessionResultId: string): Promise<FoundResult> {
  const wanted = testResultOf(testSessionResultId);
  const session = wanted && (await deps.testSessions.ofJob(accountId, wanted.jobNo));
  if (session === undefined) throw notFound("test session result", testSessionResultId);
  return resultIn(deps, session, testSessionResultId);
}

async function resultIn(deps: TestedResultDeps, session: TestSessionRow, testSessionResultId: string): Promise<FoundResult> {
  const wanted = testResultOf(testSessionResultId);
  const run = session.runs.find(({ jobNo }) => jobNo === wanted?.jobNo);
  if (wanted === undefined || run === undefined) throw notFound("test session result", testSessionResultId);
  const rows = await deps.testSessions.resultsOfRun(session, run);
  if (wanted.attempt === null) return { session, run, row: lastOf(rows) };
  const row = rows.find(({ attempt, resultType }) => attempt === wanted.attempt && resultType === "ATTEMPT");
  if (row === undefined) throw notFound("test session result", testSessionResultId);
  return { session, run, row };
}

export async function withResults(deps: TestSessionDeps, session: TestSessionRow): Promise<TestSession> {
  const { testSessions, nowMs, publicUrl } = deps;
  const [rows, progress] = await Promise.all([testSessions.results(session), progressOf(deps, session)]);
  return testSessionView({ ...session, progress }, rows, nowMs(), publicUrl());
}

/** Asked only where a script runs. */
async function progressOf({ jobs }: TestSessionDeps, { runs }: TestSessionRow): Promise<ReadonlyMap<number, string>> {
  const told = runs.filter(tellsProgress);
  return told.length === 0 ? new Map() : jobs.progress(told.map(({ jobNo }) => jobNo));
}

function isRunning(run: CheckedRun): boolean {
  return testRunStatus(run.status) === "RUNNING";
}
