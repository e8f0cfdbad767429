import type { AttemptReport, LeasedJob } from "#contract/agent-protocol.ts";
import { type CheckType, isCheckType } from "#contract/checks/index.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { PrepareCheck } from "./check-settings.ts";
import type { AgentClock } from "./clock.ts";
import { judgedRun } from "./judged-run.ts";
import type { LoopDelay } from "./loop-delay.ts";
import type { CheckRunner, RunContext, Trail } from "./runners/check-runner.ts";
import type { Runners } from "./runners/index.ts";
import { isSpoiled } from "./self-gate.ts";

/** The agent goes, and the job goes back: an abort reason, and never a result. */
export class HandedBack extends Error {
  override readonly name = "HandedBack";
}

export interface AttemptTask {
  readonly job: LeasedJob;
  /** Number of this attempt; the job's own plus the retries made here. */
  readonly attempt: number;
  /** When the job arrived, and when this attempt was due, on the monotonic clock. */
  readonly receivedMs: number;
  readonly dueMs: number;
  /** The lease's signal; its reason decides the outcome. */
  readonly signal: AbortSignal;
}

export interface AttemptDeps extends Pick<RunContext, "resolver" | "userAgent"> {
  readonly runners: Partial<Runners>;
  readonly egress: () => RunContext["egress"];
  readonly clock: AgentClock;
  readonly loopDelay: LoopDelay;
  readonly prepare: PrepareCheck;
  /** A bug, not an outcome: somebody must look at it. */
  readonly onBug: (error: unknown) => void;
}

export interface Inquiry {
  readonly jobId: string;
  readonly trail: Trail;
  /** When the attempt began, on the monotonic clock. */
  readonly startedMs: number;
  readonly mask: (text: string) => string;
}

export interface Reported {
  readonly is: "reported";
  readonly report: AttemptReport;
  readonly networkError: boolean;
  readonly stoppedMs: number;
  /** Where to look for evidence, with what masks secrets in it; null where nothing is to be looked for. */
  readonly inquiry: Inquiry | null;
}

export type AttemptOutcome =
  /** Every attempt that was made or cancelled has exactly one report, FINAL until a retry is decided. */
  | Reported
  /** Another agent has the job, or it ended: nothing may be reported. */
  | { readonly is: "lost" }
  | { readonly is: "handed_back" };

/** Makes one attempt: settings, runner, assertions, verdict, scrub. The only caller of runners; never throws. */
export async function runAttempt(task: AttemptTask, deps: AttemptDeps): Promise<AttemptOutcome> {
  const startedMs = deps.clock.monotonicMs();
  try {
    const { checkType } = task.job.payload;
    if (!isCheckType(checkType)) throw new AppError("invalid_input", `this agent cannot run checks of type ${checkType}`);
    return await attempted(checkType, task, deps);
  } catch (error) {
    return withoutObservation(task, deps, startedMs, error);
  }
}

/** What follows from an abort, told by its reason; also for jobs that no runner has seen yet. */
export function outcomeOfAbort(task: AttemptTask, deps: AttemptDeps, startedMs = deps.clock.monotonicMs()): AttemptOutcome {
  const reason: unknown = task.signal.reason;
  if (reason instanceof HandedBack) return { is: "handed_back" };
  if (hasCode(reason, "lease_lost")) return { is: "lost" };
  const stoppedMs = deps.clock.monotonicMs();
  const report = { ...blankReport(task, deps, startedMs, stoppedMs), isCancelled: true, errorMessage: "the run was cancelled" };
  return { is: "reported", report, networkError: false, stoppedMs, inquiry: null };
}

async function attempted<T extends CheckType>(type: T, task: AttemptTask, deps: AttemptDeps): Promise<AttemptOutcome> {
  const { proxyUrl } = task.job.payload;
  const { settings, scrub } = deps.prepare(type, task.job.payload.settings, proxyUrl);
  const { resolver, userAgent, clock } = deps;
  const runner: CheckRunner<T> | undefined = deps.runners[type];
  if (runner === undefined) throw new AppError("invalid_input", `this agent cannot run checks of type ${type}`);
  const { observation, assertions, measures, verdict } = await judgedRun(type, runner, settings, {
    resolver,
    userAgent,
    egress: deps.egress(),
    monotonicMs: clock.monotonicMs,
    proxyUrl,
    signal: task.signal,
  });
  const { startedMs, stoppedMs, responseTimeMs, statusCode, failure } = observation;
  const { hasFailures, hasErrors, isDegraded, overMaxResponseTime } = verdict;
  const report = blankReport(task, deps, startedMs, stoppedMs);
  Object.assign(report, {
    hasFailures,
    hasErrors,
    isDegraded,
    overMaxResponseTime,
    responseTimeMs,
    statusCode,
    agentSide: isSpoiled({ failure, measures, loopDelayMs: report.loopDelayMs }),
    errorMessage: verdict.errorMessage === null ? null : scrub.text(verdict.errorMessage).slice(0, 10_000),
    metrics: observation.metrics,
    detail: scrub.detail({ ...observation.result, assertions }),
  } satisfies Partial<AttemptReport>);
  const trail = hasFailures ? (observation.trail ?? null) : null;
  const inquiry = trail === null ? null : { jobId: task.job.jobId, trail, startedMs, mask: (text: string) => scrub.text(text) };
  return { is: "reported", report, networkError: verdict.networkError, stoppedMs, inquiry };
}

/** The run threw: by an abort, by its deadline, by settings from another version, or by a bug. None of them is the target's fault. */
function withoutObservation(task: AttemptTask, deps: AttemptDeps, startedMs: number, error: unknown): AttemptOutcome {
  if (task.signal.aborted) return outcomeOfAbort(task, deps, startedMs);
  if (!(error instanceof AppError)) deps.onBug(error);
  const stoppedMs = deps.clock.monotonicMs();
  const errorMessage = error instanceof AppError ? error.message : "the agent could not run the check because of a bug in it";
  const report = { ...blankReport(task, deps, startedMs, stoppedMs), hasFailures: true, hasErrors: true, agentSide: true, errorMessage };
  return { is: "reported", report, networkError: false, stoppedMs, inquiry: null };
}

/** Times are the control plane's clock at the lease, continued with our monotonic one. */
function blankReport(task: AttemptTask, deps: AttemptDeps, startedMs: number, stoppedMs: number): AttemptReport {
  const { job } = task;
  const startedAt = job.leasedAt + (startedMs - task.receivedMs);
  return {
    jobId: job.jobId,
    attempt: task.attempt,
    fence: job.fence,
    checkType: job.payload.checkType,
    resultType: "FINAL",
    startedAt,
    stoppedAt: startedAt + (stoppedMs - startedMs),
    responseTimeMs: Math.max(0, stoppedMs - startedMs),
    statusCode: null,
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    overMaxResponseTime: false,
    isCancelled: false,
    agentSide: false,
    errorMessage: null,
    queuedMs: Math.max(0, startedMs - task.dueMs),
    loopDelayMs: deps.loopDelay.worstSince(startedMs),
    metrics: {},
    detail: null,
    retryElsewhereAfterMs: null,
  };
}
