import type { AttemptReport, EvidenceFile, JobRef } from "#contract/agent-protocol.ts";
import { isCheckType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { Logger } from "#daemon/logger.ts";
import { sleep } from "#daemon/sleep.ts";
import type { Telemetry } from "#daemon/telemetry/telemetry.ts";
import { decideRetry, type RetryDecision } from "#domain/retry.ts";
import { traceContextOf, traceparentOf } from "#domain/trace-context.ts";
import type { ArtifactSpool } from "../artifacts/artifact-spool.ts";
import { splitEvidence } from "../artifacts/found-file.ts";
import type { ErrorEvents } from "../contact/error-events.ts";
import type { ReceivedJob } from "../contact/job-poller.ts";
import type { HeldLease, LeaseKeeper } from "../contact/lease-keeper.ts";
import type { EvidenceCollector } from "../evidence/evidence-collector.ts";
import type { AgentMetrics, RunVerdict } from "../health/metrics.ts";
import type { ResultOutbox } from "../outbox/result-outbox.ts";
import type { FoundFile } from "../runners/check-runner.ts";
import { keepsSeatMs, patienceMs } from "./job-queue.ts";
import {
  type AttemptDeps,
  type AttemptOutcome,
  type AttemptTask,
  HandedBack,
  outcomeOfAbort,
  type Reported,
  runAttempt,
} from "./run-attempt.ts";
import type { SeatQueues } from "./seat-queues.ts";

export interface JobRunnerDeps extends Omit<AttemptDeps, "onBug"> {
  readonly log: Logger;
  readonly queues: Pick<SeatQueues, "of">;
  readonly leases: LeaseKeeper;
  readonly outbox: Pick<ResultOutbox, "put">;
  readonly artifacts: Pick<ArtifactSpool, "keep" | "isOn">;
  readonly metrics: AgentMetrics;
  /** Absent where nobody is told. */
  readonly telemetry?: Pick<Telemetry, "countRun">;
  readonly errorEvents: ErrorEvents;
  readonly evidence: EvidenceCollector;
}

/**
 * Where a job of this agent is.
 *
 * - unstarted: waits for its first seat. Leaves to running, or is given up.
 * - running: holds a seat. Leaves to reporting or waiting, or is given up at the end of the grace.
 * - waiting: for its next attempt, without a seat but with its lease. Leaves to running, or is given up.
 * - reporting: its last report is on its way to the disk. Ends.
 */
type Phase = "unstarted" | "running" | "waiting" | "reporting";

interface Job {
  readonly received: ReceivedJob;
  readonly lease: HeldLease;
  phase: Phase;
}

/** Takes jobs from their arrival to their last durable report. */
export interface JobRunner {
  accept(received: ReceivedJob): void;
  /** Stops every job in this phase without a result; the caller hands them back to the control plane. */
  giveUp(phase: "unstarted" | "running" | "waiting"): JobRef[];
  /** Resolves when no job is left. */
  idle(): Promise<void>;
}

export function createJobRunner(deps: JobRunnerDeps): JobRunner {
  const jobs = new Set<Job>();
  let onIdle: (() => void)[] = [];
  const attemptDeps: AttemptDeps = {
    ...deps,
    onBug(error) {
      deps.log.error({ error: error instanceof Error ? error.name : typeof error }, "unexpected error in a run");
      deps.errorEvents.report(error);
    },
  };

  async function run(job: Job): Promise<void> {
    try {
      await runJob(job, deps, attemptDeps);
    } finally {
      job.lease.release();
      jobs.delete(job);
      if (jobs.size === 0) for (const wake of onIdle.splice(0)) wake();
    }
  }

  return {
    accept(received) {
      const job: Job = { received, lease: deps.leases.hold(received.job), phase: "unstarted" };
      jobs.add(job);
      run(job).catch(attemptDeps.onBug); // its lease ends, and the control plane queues it again
    },
    giveUp(phase) {
      const given = [...jobs].filter((job) => job.phase === phase && !job.lease.signal.aborted);
      for (const job of given) job.lease.abort(new HandedBack("the agent stops"));
      return given.map(({ received: { job } }) => ({ jobId: job.jobId, fence: job.fence }));
    },
    idle() {
      if (jobs.size === 0) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      onIdle = [...onIdle, resolve];
      return promise;
    },
  };
}

/** Attempt after attempt, until one is the last. */
async function runJob(job: Job, deps: JobRunnerDeps, attemptDeps: AttemptDeps): Promise<void> {
  const { received, lease } = job;
  const { payload } = received.job;
  let dueMs = received.receivedMs - received.job.queuedMs;
  for (let retries = 0; ; retries += 1) {
    const task: AttemptTask = { ...received, attempt: received.job.attempt + retries, dueMs, signal: lease.signal };
    const outcome = await onSeat(job, task, deps, attemptDeps);
    if (outcome.is !== "reported") return count(deps, payload.checkType, outcome.is);
    const elapsedMs = payload.elapsedMs + (outcome.stoppedMs - received.receivedMs);
    const decision = followUp(outcome, payload, payload.failedAttempts + retries + 1, elapsedMs);
    const elsewhere = decision.retry && payload.retriesElsewhere;
    job.phase = decision.retry && !elsewhere ? "waiting" : "reporting";
    const evidence = outcome.inquiry === null ? [] : await deps.evidence.collect(outcome.inquiry, lease.signal);
    const { seen, files } = withFiles(outcome, evidence, deps.artifacts.isOn);
    const report = withContext(decision.retry ? asAttempt(seen, elsewhere ? decision.delayMs : null) : seen, task, deps);
    await deps.outbox.put(report, isUrgent(report, payload));
    if (files.length > 0) deps.artifacts.keep(report, payload.checkId, files, outcome.secrets);
    tell(deps, task, report);
    if (!decision.retry || elsewhere) return;
    dueMs = outcome.stoppedMs + decision.delayMs;
    await sleep(Math.max(0, dueMs - deps.clock.monotonicMs()), lease.signal);
  }
}

/** A retry, somebody or an alert hangs on it. */
function isUrgent(report: AttemptReport, { isAwaited }: ReceivedJob["job"]["payload"]): boolean {
  return report.resultType === "ATTEMPT" || report.hasFailures || report.hasErrors || isAwaited === true;
}

/** The report with what goes along, and the files that come after it, which it names. */
function withFiles(
  { report, files }: Reported,
  evidence: readonly EvidenceFile[],
  keepsFiles: boolean,
): { readonly seen: AttemptReport; readonly files: readonly FoundFile[] } {
  const { along, after } = splitEvidence(evidence);
  const kept = keepsFiles ? [...files, ...after] : [];
  const named = withAssetNames(
    report.detail,
    kept.map(({ name }) => name),
  );
  return { seen: { ...report, detail: named, ...(along.length > 0 && { evidence: along }) }, files: kept };
}

/** Types whose results list files have a place for their names. */
function withAssetNames(detail: unknown, names: readonly string[]): unknown {
  const hasPlace = typeof detail === "object" && detail !== null && "jobAssets" in detail;
  return hasPlace && names.length > 0 ? { ...detail, jobAssets: names } : detail;
}

async function onSeat(job: Job, task: AttemptTask, deps: JobRunnerDeps, attemptDeps: AttemptDeps): Promise<AttemptOutcome> {
  const work = (): Promise<AttemptOutcome> => {
    job.phase = "running";
    return runAttempt(task, attemptDeps);
  };
  try {
    const priority = job.phase === "unstarted" ? "new" : "retry";
    const { checkType } = task.job.payload;
    return await deps.queues.of(checkType).run(work, priority, task.signal, patienceOf(checkType));
  } catch (error) {
    if (!task.signal.aborted) throw error;
    return outcomeOfAbort(task, attemptDeps);
  }
}

function patienceOf(checkType: string): number {
  if (!isCheckType(checkType)) return patienceMs;
  const { onlyWaits, scripts } = traitsOf(checkType);
  return scripts === "whole" ? keepsSeatMs : onlyWaits ? 0 : patienceMs;
}

function followUp(
  outcome: Extract<AttemptOutcome, { is: "reported" }>,
  payload: ReceivedJob["job"]["payload"],
  failedAttempts: number,
  elapsedMs: number,
): RetryDecision {
  const { hasFailures, isCancelled } = outcome.report;
  if (!hasFailures) return { retry: false, because: isCancelled ? "cancelled" : "no_strategy" };
  return decideRetry({ strategy: payload.retryStrategy, failedAttempts, elapsedMs, networkError: outcome.networkError });
}

function asAttempt(report: AttemptReport, retryElsewhereAfterMs: number | null): AttemptReport {
  return { ...report, resultType: "ATTEMPT", retryElsewhereAfterMs };
}

/** Before the rest, so that the uploader finds it without reading the report. */
function withContext(report: AttemptReport, task: AttemptTask, { tracer }: JobRunnerDeps): AttemptReport {
  const traced = tracer?.contextOf(task) ?? null;
  return traced === null ? report : { traceparent: traceparentOf(traced), ...report };
}

function tell(deps: JobRunnerDeps, task: AttemptTask, report: AttemptReport): void {
  const { payload } = task.job;
  const { checkId } = payload;
  const { jobId, attempt, checkType, resultType, responseTimeMs } = report;
  const verdict = verdictOf(report);
  const took = Math.round(responseTimeMs);
  const traced = traceContextOf(report.traceparent);
  const ids = traced === null ? {} : { traceId: traced.traceId, spanId: traced.spanId };
  deps.log.debug({ checkId, jobId, attempt, checkType, resultType, verdict, responseTimeMs: took, ...ids }, "attempt ended");
  deps.tracer?.record(task, report, verdict);
  if (resultType === "FINAL" && !report.isCancelled && !report.agentSide)
    deps.telemetry?.countRun?.({
      checkId,
      checkName: payload.checkName,
      checkType,
      location: payload.runLocation,
      verdict,
      isUp: !report.hasFailures,
      seconds: responseTimeMs / 1000,
    });
  count(deps, checkType, verdict);
  if (resultType === "ATTEMPT") deps.metrics.retries.inc({ check_type: checkType });
  deps.metrics.queueWait.observe(report.queuedMs / 1000);
  deps.metrics.runTime.observe({
    labels: { check_type: checkType },
    value: (report.stoppedAt - report.startedAt) / 1000,
    exemplarLabels: traced === null ? {} : { trace_id: traced.traceId, span_id: traced.spanId },
  });
  deps.metrics.loopDelay.observe(report.loopDelayMs / 1000);
}

function count(deps: JobRunnerDeps, checkType: string, verdict: RunVerdict): void {
  deps.metrics.attempts.inc({ check_type: checkType, verdict });
}

function verdictOf(report: AttemptReport): RunVerdict {
  if (report.isCancelled) return "cancelled";
  if (report.agentSide) return "agent_side";
  if (report.hasErrors) return "error";
  if (report.hasFailures) return "failed";
  return report.isDegraded ? "degraded" : "passed";
}
