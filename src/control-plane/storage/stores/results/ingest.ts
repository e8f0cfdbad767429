import type { Selectable } from "kysely";
import type { ReportAnswer } from "#contract/agent-protocol.ts";
import type { Engine } from "../../engine.ts";
import { noCheck, resultsKey, sessionOfJob } from "../../numbers.ts";
import type { JobTable, Tables, Trx } from "../../schema.ts";
import type { Signals } from "../../signals/signals.ts";
import { writeObservedRuns } from "../alerting/alert-states.ts";
import { writeCertificateNotices } from "../alerting/certificate-notices.ts";
import { writeStatuses } from "../check-statuses.ts";
import { lockJobs } from "../jobs.ts";
import { SessionBook, type SessionEnds } from "../session-book.ts";
import { trialTypes } from "../test-sessions.ts";
import { writeFailureGroups } from "./failure-groups.ts";
import type { Incoming, Numbered } from "./incoming.ts";
import { storedAttempts } from "./job-history.ts";
import { lateResults } from "./late-results.ts";
import { type BookedJob, ReportBook } from "./report-book.ts";
import { flag } from "./result-rows.ts";
import { writeResults } from "./result-writer.ts";

/** What one call of `ingest` brings. */
export interface IngestCall {
  readonly entries: readonly Incoming[];
  readonly nowMs: number;
}

const jobColumns = {
  no: "int8",
  location_id: "int8",
  attempt: "int8",
  failed_attempts: "int8",
  first_started_at: "int8",
  agent_session: "int8",
  acknowledged: "int8",
  due_at: "int8",
  not_before: "int8",
} as const;

interface Written {
  readonly answers: ReadonlyMap<Incoming, Pick<ReportAnswer, "outcome" | "message">>;
  readonly ends: SessionEnds;
  readonly moved: readonly Selectable<JobTable>[];
  readonly alerts: number;
}

/** Takes calls of several agents in one transaction. @returns the answers of each, in order */
export async function ingestCalls(
  engine: Engine,
  signals: Signals,
  calls: readonly IngestCall[],
): Promise<readonly (readonly ReportAnswer[])[]> {
  const nowMs = Math.max(...calls.map((call) => call.nowMs));
  const entries = calls.flatMap((call) => call.entries).filter((entry): entry is Numbered => entry.jobNo !== undefined);
  const { answers, ends, moved, alerts } = await engine.transaction((trx) => write(engine, trx, entries, nowMs));
  signals.sendEnds(ends);
  signals.sendAlerts(alerts);
  for (const job of moved) signals.sendLater({ kind: "jobs", numbers: [job.location_id] }, job.not_before - engine.clock.waitMs(nowMs));
  const refused = { outcome: "rejected", message: "no such job, or too much detail" } as const;
  return calls.map((call) =>
    call.entries.map((entry) => ({ jobId: entry.report.jobId, attempt: entry.report.attempt, ...(answers.get(entry) ?? refused) })),
  );
}

async function write(engine: Engine, trx: Trx, entries: readonly Numbered[], nowMs: number): Promise<Written> {
  const nos = [...new Set(entries.map((entry) => entry.jobNo))];
  const sessionNos = [...new Set(nos.map(sessionOfJob))];
  const [locked, sessions] = await Promise.all([lockJobs(engine, trx, nos), SessionBook.open(engine, trx, sessionNos)]);
  const rows = new Map(locked.map((row) => [row.no, row]));
  const book = new ReportBook(await bookedJobs(engine, trx, entries, rows, sessions, nowMs), sessions, {
    nowMs,
    waitMs: engine.clock.waitMs(nowMs),
  });
  const answers = new Map(entries.map((entry) => [entry, book.answer(entry)]));
  const groups = await writeFailureGroups(engine, trx, book.failures);
  const late = await lateResults(engine, trx, book.observed, nowMs);
  await writeStatuses(engine, trx, book.finals, nowMs);
  const observed = book.observed
    .filter(({ isOfEndedLease, resultId }) => !isOfEndedLease || !late.has(resultId)) // alerts hold runs against each other by their dates
    .map((run) => ({ ...run, errorGroup: groups.get(run.resultId)?.[0] ?? null }));
  const { alerts, wasOld } = await writeObservedRuns(engine, trx, observed, nowMs);
  const results = book.results.map((result) => ({
    ...result,
    errorGroup: groups.get(result.id)?.[0] ?? null,
    flags: (wasOld.get(result.id) ?? late.has(result.id)) ? result.flags | flag.late : result.flags,
  }));
  const { details, assets, pages, replaced } = book;
  const suiteRuns = book.suiteRuns.map((run) => ({ ...run, errorGroups: (groups.get(run.id) ?? []).slice(1) }));
  await writeResults(engine, trx, { results, details, assets, pages, suiteRuns, replaced });
  const notices = await writeCertificateNotices(engine, trx, book.certified, nowMs);
  const ends = await sessions.write(engine, trx);
  const changed = [...book.changedJobs.values()].toSorted((a, b) => a.no - b.no);
  await engine.updateMany(
    trx,
    "jobs",
    1,
    jobColumns,
    changed.map((job) => [
      job.no,
      job.location_id,
      job.attempt,
      job.failed_attempts,
      job.first_started_at,
      job.agent_session,
      job.acknowledged,
      job.due_at,
      job.not_before,
    ]),
  );
  if (book.endedJobs.size > 0) await engine.send(trx, trx.deleteFrom("jobs").where(engine.isAny("no", [...book.endedJobs])));
  const executed = [...book.executed].toSorted((a, b) => a - b).map((id) => [id, nowMs]);
  await engine.updateMany(trx, "agent_sessions", 1, { id: "int8", last_executed_at: "int8" }, executed);
  return { answers, ends, alerts: alerts + notices, moved: changed.filter((job) => job.agent_session === null) };
}

async function bookedJobs(
  engine: Engine,
  trx: Trx,
  entries: readonly Numbered[],
  rows: ReadonlyMap<number, Selectable<JobTable>>,
  sessions: SessionBook,
  nowMs: number,
): Promise<ReadonlyMap<number, BookedJob>> {
  const nos = [...new Set(entries.map((entry) => entry.jobNo))].filter((no) => sessions.of(sessionOfJob(no)) !== undefined);
  // Only a job that ended, or an attempt before the current one, can have something stored.
  const late = new Set(
    entries
      .filter(({ jobNo, report }) => report.attempt < (rows.get(jobNo)?.attempt ?? Number.POSITIVE_INFINITY))
      .map((entry) => entry.jobNo),
  );
  const withHistory = nos.filter((no) => late.has(no));
  const stored =
    withHistory.length === 0 ? new Map() : await storedAttempts(engine, trx, withHistory, (no) => sessions.of(sessionOfJob(no)), nowMs);
  const ofJobs = nos.flatMap((no) => sessions.of(sessionOfJob(no)) ?? []);
  const checks = await checksOf(engine, trx, [...new Set(ofJobs.map((session) => session.check_id))]);
  const typeOfTrial = await trialTypes(engine, trx, [
    ...new Set(ofJobs.filter((session) => session.check_id === noCheck).map((session) => session.no)),
  ]);
  const jobs = new Map<number, BookedJob>();
  for (const no of nos) {
    const session = sessions.of(sessionOfJob(no));
    const type = session && (typeOfTrial.get(session.no) ?? checks.get(session.check_id)?.type);
    if (!session || type === undefined) continue;
    jobs.set(no, {
      checkId: session.check_id,
      isTest: session.test_session !== null,
      resultsKey: resultsKey(session.check_id, session.test_session),
      checkType: type,
      accountId: session.account_id,
      locationIds: JSON.parse(checks.get(session.check_id)?.location_ids ?? "[]") as readonly number[],
      runAtMs: session.run_at,
      row: rows.get(no),
      stored: stored.get(no) ?? [],
    });
  }
  return jobs;
}

type CheckOfReport = Pick<Selectable<Tables["checks"]>, "id" | "type" | "location_ids">;

async function checksOf(engine: Engine, trx: Trx, ids: readonly number[]): Promise<ReadonlyMap<number, CheckOfReport>> {
  const rows = await trx.selectFrom("checks").select(["id", "type", "location_ids"]).where(engine.isAny("id", ids)).execute();
  return new Map(rows.map((row) => [row.id, row]));
}
