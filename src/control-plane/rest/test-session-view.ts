import { isCheckType, isScriptType } from "#contract/checks/index.ts";
import { RunProgress } from "#contract/run-progress.ts";
import type { TestSessionResult, WholeTestSessionResult } from "#contract/test-session-results.ts";
import type { TestSession, TestSessionListEntry } from "#contract/test-sessions.ts";
import { testRunStatus, testSessionStatus } from "#domain/test-session-status.ts";
import { resultUuid, sequenceUuid, testResultUuid, testSessionUuid } from "../kinds/ids.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import type { ResultRow, TestRun, TestSessionRow } from "../storage/storage.ts";
import { assetsIn } from "./result-assets.ts";
import { membersOf, traceIdOf } from "./result-view.ts";

/** Who starts test sessions here: programs that call the API. */
export const provider = "API";

/** A check's part of a session. */
export type CheckedRun = TestSessionRow["runs"][number];

/** How far its runs are, by the numbers of their jobs; absent where nobody asked. */
interface WithProgress {
  readonly progress?: ReadonlyMap<number, string>;
}

/** @param rows of all runs, newest first; @param base of links, without a slash at its end */
export function testSessionView(
  session: TestSessionRow & WithProgress,
  rows: readonly ResultRow[],
  nowMs: number,
  base: string,
): TestSession {
  const id = testSessionUuid(session);
  const status = statusOf(session.runs);
  const stoppedAtMs = status === "RUNNING" ? null : endOf(session);
  const byJob = Map.groupBy(rows, (row) => row.jobNo);
  const { metadata } = session.definition;
  return {
    testSessionId: id,
    testSessionLink: `${base}/test-sessions/${id}`,
    name: session.name,
    status,
    errorGroupIds: [],
    startedAt: instant(session.startedAtMs),
    stoppedAt: instantOrNull(stoppedAtMs),
    timeElapsed: Math.max(0, Math.round((stoppedAtMs ?? nowMs) - session.startedAtMs)),
    ...(metadata !== undefined && { metadata }),
    results: session.runs.flatMap((run) => {
      const ofRun = byJob.get(run.jobNo) ?? [];
      const attempts = ofRun.filter((row) => row.resultType === "ATTEMPT");
      return [undefined, ...attempts].map((attempt) => testResultView(session, run, attempt ?? lastOf(ofRun), base));
    }),
  };
}

export function testSessionListEntry(session: TestSessionRow<TestRun>, accountUuid: string): TestSessionListEntry {
  const { name, definition, runs, startedAtMs } = session;
  const { metadata = {} } = definition;
  const status = statusOf(runs);
  const stoppedAt = status === "RUNNING" ? null : instant(endOf(session));
  const idsOf = (wanted: typeof status): string[] =>
    runs.filter((run) => testRunStatus(run.status) === wanted).map(({ jobNo }) => testResultUuid({ jobNo, runAtMs: startedAtMs }));
  return {
    id: testSessionUuid(session),
    accountId: accountUuid,
    projectId: null,
    name,
    provider,
    errorGroupIds: [],
    running: idsOf("RUNNING"),
    passed: idsOf("PASSED"),
    failed: idsOf("FAILED"),
    cancelled: idsOf("CANCELLED"),
    status,
    region: session.locationCode,
    privateLocationId: session.privateLocationUuid,
    invoker: null,
    repoUrl: metadata.repoUrl ?? null,
    commitId: metadata.commitId ?? null,
    commitOwner: metadata.commitOwner ?? null,
    commitMessage: metadata.commitMessage ?? null,
    branchName: metadata.branchName ?? null,
    environment: metadata.environment ?? null,
    startedAt: instant(startedAtMs),
    stoppedAt,
    created_at: instant(startedAtMs),
    updated_at: stoppedAt,
  };
}

/** @param row undefined while nothing is known of the run, and when it was cancelled before it ran */
export function wholeResultView(
  session: TestSessionRow,
  run: CheckedRun,
  row: ResultRow | undefined,
  base: string,
): WholeTestSessionResult {
  const view = testResultView(session, run, row, base);
  const id = view.testSessionResultId;
  const assets = row === undefined ? [] : assetsIn(assetFolder(session, id, base), row);
  return {
    ...view,
    id,
    privateLocationId: session.privateLocationUuid,
    filePath: run.check.filePath ?? null,
    isCancelled: view.status === "CANCELLED",
    sequenceId: sequenceUuid({ jobNo: run.jobNo, runAtMs: session.startedAtMs }),
    traceId: row === undefined ? null : traceIdOf(row),
    created_at: instant(session.startedAtMs),
    ...membersOf({ type: run.check.type, detailJson: row?.detailJson ?? null }, assets),
    ...(row === undefined ? noDetails : detailsOf(row)),
  };
}

const noDetails = { overMaxResponseTime: false, attempts: 0, scheduleError: null, updated_at: null, errorMessage: null };

function detailsOf({
  overMaxResponseTime,
  attempt,
  resultType,
  errorMessage,
  missedReason,
  createdAtMs,
}: ResultRow): Pick<WholeTestSessionResult, keyof typeof noDetails> {
  return {
    overMaxResponseTime,
    attempts: attempt,
    scheduleError: resultType === "MISSED" ? (errorMessage ?? missedReason) : null,
    updated_at: instant(createdAtMs),
    errorMessage,
  };
}

/** Where the files of a result can be had. */
export function assetFolder(session: TestSessionRow, resultId: string, base: string): string {
  return `${base}/v1/test-sessions/${testSessionUuid(session)}/results/${resultId}/assets`;
}

/** What ended a run; undefined when no result tells. */
export function lastOf(ofRun: readonly ResultRow[]): ResultRow | undefined {
  return ofRun.find((row) => row.resultType !== "ATTEMPT");
}

export function testResultView(
  session: TestSessionRow & WithProgress,
  run: CheckedRun,
  row: ResultRow | undefined,
  base: string,
): TestSessionResult {
  const runAtMs = session.startedAtMs;
  const isAttempt = row?.resultType === "ATTEMPT";
  const id = isAttempt ? resultUuid({ ...row, runAtMs }) : testResultUuid({ jobNo: run.jobNo, runAtMs });
  const status = isAttempt ? "FAILED" : testRunStatus(run.status);
  return {
    testSessionResultId: id,
    testSessionResultLink: `${base}/test-sessions/${testSessionUuid(session)}/results/${id}`,
    checkId: run.check.uuid,
    checkType: run.check.type,
    name: run.check.name,
    runLocation: session.locationCode,
    errorGroupIds: [],
    resultType: isAttempt ? "ATTEMPT" : status === "RUNNING" ? "PENDING" : "FINAL",
    status,
    ...(row === undefined ? noOutcome : outcomeOf(row)),
    ...(session.progress !== undefined && tellsProgress(run) && { progress: toldOf(session.progress, run) }),
  };
}

/** It runs, and is a script. */
export function tellsProgress({ check: { type }, status }: CheckedRun): boolean {
  return isCheckType(type) && isScriptType(type) && testRunStatus(status) === "RUNNING";
}

/** Agents send no other; null for what an earlier release has left. */
function toldOf(progress: ReadonlyMap<number, string>, { jobNo }: CheckedRun): RunProgress | null {
  return RunProgress.safeParse(JSON.parse(progress.get(jobNo) ?? "null")).data ?? null;
}

const noOutcome = {
  hasErrors: false,
  hasFailures: false,
  isDegraded: false,
  aborted: false,
  responseTime: null,
  startedAt: null,
  stoppedAt: null,
};

function outcomeOf(row: ResultRow): Pick<TestSessionResult, keyof typeof noOutcome> {
  const { hasErrors, hasFailures, isDegraded } = row;
  if (row.resultType === "MISSED") return { ...noOutcome, hasErrors, hasFailures, isDegraded, aborted: true };
  return {
    hasErrors,
    hasFailures,
    isDegraded,
    aborted: row.agentSide,
    responseTime: Math.round(row.responseTimeMs),
    startedAt: instant(row.startedAtMs),
    stoppedAt: instant(row.stoppedAtMs),
  };
}

function statusOf(runs: readonly TestRun[]): TestSession["status"] {
  return testSessionStatus(runs.map((run) => testRunStatus(run.status)));
}

function endOf({ runs, startedAtMs }: TestSessionRow<TestRun>): number {
  return Math.max(startedAtMs, ...runs.map((run) => run.stoppedAtMs ?? 0));
}
