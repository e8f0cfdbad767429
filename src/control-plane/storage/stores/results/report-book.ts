import type { Selectable } from "kysely";
import type { ReportAnswer } from "#contract/agent-protocol.ts";
import { verdictOf } from "#domain/alerting/observation.ts";
import { decideReport, type ReportDecision } from "#domain/lease.ts";
import { retryLocation } from "#domain/run-plan.ts";
import type { DetailText } from "../../engine.ts";
import { sessionOfJob } from "../../numbers.ts";
import type { JobTable } from "../../schema.ts";
import type { ObservedRun } from "../alerting/alert-states.ts";
import type { CertifiedRun } from "../alerting/certificate-notices.ts";
import type { FinalOutcome } from "../check-statuses.ts";
import type { SessionBook } from "../session-book.ts";
import type { NewAssets } from "./assets.ts";
import type { Failure } from "./failure-groups.ts";
import { type Numbered, resultOf } from "./incoming.ts";
import type { StoredAttempt } from "./job-history.ts";
import type { NewPages } from "./page-figures.ts";
import { lostDigest, type NewResult, storedMs } from "./result-rows.ts";
import type { NewSuiteRun } from "./suite-runs.ts";

type Job = Selectable<JobTable>;
/** A retry elsewhere waits at most so long, whatever the agent asks for. */
const longestRetryDelayMs = 3_600_000;

/** A job of the batch: as it is, and as the reports change it. */
export interface BookedJob {
  readonly checkId: number;
  readonly resultsKey: number;
  /** Of a test session. */
  readonly isTest: boolean;
  readonly checkType: string;
  readonly accountId: number;
  readonly runAtMs: number;
  /** All locations of its check, for retries elsewhere. */
  readonly locationIds: readonly number[];
  /** Undefined when it ended before. */
  row: Job | undefined;
  stored: readonly StoredAttempt[];
}

/** Works one batch of reports off in memory: what each is answered, and what is to be written. */
export class ReportBook {
  readonly results: NewResult[] = [];
  readonly details: DetailText[] = [];
  readonly assets: NewAssets[] = [];
  readonly pages: NewPages[] = [];
  /** Without their error groups. */
  readonly suiteRuns: NewSuiteRun[] = [];
  readonly replaced: StoredAttempt[] = [];
  readonly finals: FinalOutcome[] = [];
  readonly observed: (ObservedRun & { readonly isOfEndedLease: boolean })[] = [];
  readonly certified: CertifiedRun[] = [];
  readonly failures: Failure[] = [];
  readonly changedJobs = new Map<number, Job>();
  readonly endedJobs = new Set<number>();
  /** Agent sessions that brought a result. */
  readonly executed = new Set<number>();
  readonly #jobs: ReadonlyMap<number, BookedJob>;
  readonly #sessions: SessionBook;
  readonly #nowMs: number;
  readonly #waitMs: number;

  constructor(
    jobs: ReadonlyMap<number, BookedJob>,
    sessions: SessionBook,
    { nowMs, waitMs }: { readonly nowMs: number; readonly waitMs: number },
  ) {
    this.#jobs = jobs;
    this.#sessions = sessions;
    this.#nowMs = nowMs;
    this.#waitMs = waitMs;
  }

  answer(entry: Numbered): Pick<ReportAnswer, "outcome" | "message"> {
    const job = this.#jobs.get(entry.jobNo);
    if (!job) return { outcome: "rejected", message: "no such job" };
    const refusal = refusalOf(job, entry);
    if (refusal) return { outcome: "rejected", message: refusal };
    const decision = decide(job, entry);
    if (decision.outcome !== "accepted") return { outcome: decision.outcome, message: decision.because };
    this.#accept(job, entry, decision);
    return { outcome: "accepted" };
  }

  #accept(job: BookedJob, entry: Numbered, decision: Extract<ReportDecision, { outcome: "accepted" }>): void {
    const { report, agent } = entry;
    const result = resultOf(entry, { checkId: job.resultsKey, runAtMs: job.runAtMs }, agent.locationId, this.#nowMs);
    this.executed.add(agent.id);
    const standIns = job.stored.filter(
      (one) => (decision.replacesMissed && one.type === "MISSED") || (one.digest === lostDigest && one.id === result.id),
    );
    this.replaced.push(...standIns);
    this.results.push(result);
    if (entry.detailText !== null)
      this.details.push({ id: result.id, checkId: result.checkId, startedAtUs: result.startedAtUs, text: entry.detailText });
    if (entry.assets.length > 0) this.assets.push({ id: result.id, startedAtUs: result.startedAtUs, files: entry.assets });
    if (!job.isTest) this.#addFigures(entry, result, job.checkId); // a test counts in none
    job.stored = [...job.stored.filter((one) => !standIns.includes(one)), { ...result, attempt: report.attempt }];
    if (decision.job.done) this.#end(job, entry, result, decision.replacesMissed);
    else if (job.row?.cancelled === 1 && report.retryElsewhereAfterMs !== null) this.#cancel(job, entry.jobNo);
    else if (job.row) this.#goOn(job, job.row, entry, decision.job.attempt);
  }

  #addFigures({ pages, tests }: Numbered, { id, startedAtUs, locationId, runAtMs }: NewResult, checkId: number): void {
    if (pages.length > 0) this.pages.push({ checkId, startedAtUs, id, pages });
    if (tests !== null) this.suiteRuns.push({ checkId, startedAtUs, id, locationId, runAtMs, tests, errorGroups: [] });
  }

  #end(job: BookedJob, entry: Numbered, result: NewResult, replacesMissed: boolean): void {
    const { report, agent, jobNo, sslDaysRemaining, certificate, failure } = entry;
    const onWaitClock = this.#onWaitClock(job, report);
    const end = job.row?.cancelled === 1 ? "cancelled" : endOf(report); // its agent had not heard of it
    if (job.row) this.endedJobs.add(jobNo);
    this.changedJobs.delete(jobNo);
    job.row = undefined;
    if (replacesMissed) this.#sessions.change(sessionOfJob(jobNo), { missed: -1 }, this.#nowMs);
    this.#sessions.change(sessionOfJob(jobNo), { [end]: 1 }, this.#nowMs);
    // What the agent's own side spoiled, and what somebody cancelled, says nothing about the target. A test says nothing about the check.
    if (report.isCancelled || report.agentSide || job.isTest) return;
    const { accountId, checkId } = job;
    const failures = failure === null ? [] : [failure, ...entry.otherFailures];
    for (const one of failures)
      this.failures.push({ ...one, resultId: result.id, accountId, checkId, startedAtMs: Math.floor(result.startedAtUs / 1_000) });
    this.finals.push({
      checkId: job.checkId,
      startedAtUs: result.startedAtUs,
      runAtMs: job.runAtMs,
      locationId: agent.locationId,
      responseTimeMs: storedMs(report.responseTimeMs),
      hasFailures: report.hasFailures,
      hasErrors: report.hasErrors,
      isDegraded: report.isDegraded,
      sslDaysRemaining,
    });
    const run = { ...observedRun(job, entry, result), ...(onWaitClock && { onWaitClock }) };
    this.observed.push({ ...run, isOfEndedLease: onWaitClock === undefined });
    if (certificate !== null) this.certified.push({ ...run, certificate });
  }

  /** Its next attempt would be another agent's, who knows nothing of the cancel. */
  #cancel(job: BookedJob, jobNo: number): void {
    this.endedJobs.add(jobNo);
    this.changedJobs.delete(jobNo);
    job.row = undefined;
    this.#sessions.change(sessionOfJob(jobNo), { cancelled: 1 }, this.#nowMs);
  }

  /** Of a run of the current lease: its times count from there, whatever the wall clock did since. Agents are not trusted. */
  #onWaitClock({ row, runAtMs }: BookedJob, report: Numbered["report"]): ObservedRun["onWaitClock"] {
    if (row === undefined || row.leased_wall_ms === 0 || row.fence !== report.fence) return undefined;
    const aheadMs = row.leased_at - row.leased_wall_ms;
    const earliestMs = Math.min(runAtMs, row.leased_wall_ms); // the wall clock may have been set back after it was due
    const startedAtMs = Math.min(Math.max(report.startedAt, earliestMs) + aheadMs, this.#waitMs);
    return { startedAtMs, stoppedAtMs: Math.min(Math.max(report.stoppedAt + aheadMs, startedAtMs), this.#waitMs) };
  }

  /** The same lease goes on with the next attempt, or the job moves to another location and waits there. */
  #goOn(job: BookedJob, row: Job, { report, jobNo }: Numbered, attempt: number): void {
    if (!report.agentSide) this.#sessions.change(sessionOfJob(jobNo), { retried: 1 }, this.#nowMs);
    const started = Math.max(Math.round(report.startedAt), job.runAtMs);
    const isCurrent = report.fence === row.fence;
    const next = {
      ...row,
      attempt,
      failed_attempts: row.failed_attempts + Number(isCurrent),
      first_started_at: row.first_started_at ?? Math.min(started, this.#nowMs),
    };
    if (isCurrent && report.retryElsewhereAfterMs !== null) {
      const elsewhere = retryLocation(job.locationIds.map(String), String(row.location_id), row.failed_attempts);
      const delayMs = Math.min(Math.round(report.retryElsewhereAfterMs), longestRetryDelayMs);
      Object.assign(next, {
        location_id: Number(elsewhere ?? row.location_id),
        agent_session: null,
        acknowledged: 0,
        due_at: this.#nowMs + delayMs,
        not_before: this.#waitMs + delayMs,
      });
    }
    job.row = next;
    this.changedJobs.set(jobNo, next);
  }
}

function observedRun(
  { checkId, runAtMs }: BookedJob,
  { report, agent, errorText, statusText, scriptEnd }: Numbered,
  result: NewResult,
): ObservedRun {
  return {
    checkId,
    locationId: agent.locationId,
    agentId: agent.agentId,
    resultId: result.id,
    verdict: verdictOf(report),
    startedAtMs: result.startedAtUs / 1_000,
    stoppedAtMs: (result.startedAtUs + result.durationUs) / 1_000,
    runAtMs,
    responseTimeMs: storedMs(report.responseTimeMs),
    statusCode: report.statusCode,
    statusText,
    scriptEnd,
    errorMessage: errorText,
    errorGroup: null,
  };
}

/** Agents are not trusted: the job must be one of the agent's location and account, and of the type that it says. */
function refusalOf(job: BookedJob, { agent, report }: Numbered): string | undefined {
  if (agent.accountId !== null && agent.accountId !== job.accountId) return "no such job";
  const isHere = job.row?.location_id === agent.locationId || job.stored.some((one) => one.locationId === agent.locationId);
  if (!isHere) return "no such job";
  if (job.checkType !== report.checkType) return `the job is of type ${job.checkType}`;
  return undefined;
}

function decide(job: BookedJob, { report, digest }: Numbered): ReportDecision {
  const { row, stored } = job;
  const same = stored.find((one) => one.attempt === report.attempt && one.digest !== lostDigest);
  const final = stored.some((one) => one.type === "FINAL");
  const missed = stored.some((one) => one.type === "MISSED");
  if (row && report.fence < row.fence && report.resultType === "ATTEMPT" && report.attempt >= row.attempt) {
    return { outcome: "superseded", because: "another lease runs this attempt" };
  }
  // A job that ended leaves no fence; its results tell what it came to.
  const ended = final || missed ? ({ state: "done", fence: report.fence, attempt: report.attempt } as const) : null;
  const live = row && ({ state: row.agent_session === null ? "queued" : "leased", fence: row.fence, attempt: row.attempt } as const);
  return decideReport(live ?? ended, report, {
    attempt: same ? (same.digest === digest ? "same_body" : "other_body") : "none",
    final,
    missed,
  });
}

/** What the agent's own side spoiled counts like a run that nobody made: it says nothing about the target. */
function endOf(report: Numbered["report"]): "passed" | "degraded" | "failed" | "missed" | "cancelled" {
  if (report.isCancelled) return "cancelled";
  if (report.agentSide) return "missed";
  if (report.hasFailures || report.hasErrors) return "failed";
  return report.isDegraded ? "degraded" : "passed";
}
