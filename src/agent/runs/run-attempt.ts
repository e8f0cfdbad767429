import type { AttemptReport, JobMaterial, JobRef, LeasedJob } from "#contract/agent-protocol.ts";
import type { GrpcMetadataEntry } from "#contract/checks/grpc.ts";
import { type CheckType, checkTypes, isCheckType, isScriptType, type ProbeType, type ScriptType } from "#contract/checks/index.ts";
import type { RunProgress } from "#contract/run-progress.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import { resultIdOf } from "#domain/result-id.ts";
import { bodyFile } from "../artifacts/found-file.ts";
import { type Inquiry } from "../evidence/inquiry.ts";
import type { PrepareCheck } from "../judgement/check-settings.ts";
import { judgedRun } from "../judgement/judged-run.ts";
import type { BodyMemory } from "../net/body-memory.ts";
import type { Baselines, Bundles, CheckRunner, FoundFile, Observation, Plans, RunContext } from "../runners/check-runner.ts";
import type { Runners } from "../runners/index.ts";
import { type MaterialDeps, type MaterialRun, materialRun } from "../scripts/material-run.ts";
import type { RunIdentity } from "../scripts/run-variables.ts";
import { secretsOfHeaders } from "../scripts/script-response.ts";
import { scriptRun } from "../scripts/script-run.ts";
import { withinBounds } from "../scrub/within-bounds.ts";
import type { LoopDelay } from "./loop-delay.ts";
import type { RunTracer } from "./run-tracer.ts";
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

export interface AttemptDeps extends Pick<RunContext, "resolver" | "userAgent">, MaterialDeps {
  readonly runners: Partial<Runners>;
  readonly egress: () => RunContext["egress"];
  readonly loopDelay: LoopDelay;
  /** For responses; absent: nobody counts. */
  readonly bodyMemory?: BodyMemory;
  readonly prepare: PrepareCheck;
  /** Absent where neither targets nor collectors are told of runs. */
  readonly tracer?: RunTracer | null;
  /** For runs that somebody looks on; nobody hears of them where it is absent. */
  readonly tellProgress?: (job: JobRef, signal: AbortSignal) => (progress: RunProgress) => void;
  /** Absent where nobody keeps pictures. */
  readonly baselines?: (job: LeasedJob) => Baselines;
  /** Absent where there is nobody to ask for projects of tests. */
  readonly bundles?: (job: LeasedJob) => Bundles;
  /** Absent where nobody keeps what checks that are a prompt did. */
  readonly plans?: (job: LeasedJob) => Plans;
  /** A bug, not an outcome: somebody must look at it. */
  readonly onBug: (error: unknown) => void;
}

export interface Reported {
  readonly is: "reported";
  readonly report: AttemptReport;
  readonly networkError: boolean;
  readonly stoppedMs: number;
  /** Where to look for evidence, with what masks secrets in it; null where nothing is to be looked for. */
  readonly inquiry: Inquiry | null;
  /** What is too large for the report, and the secrets that are in it. */
  readonly files: readonly FoundFile[];
  readonly secrets: readonly string[];
}

export type AttemptOutcome =
  /** Every attempt that was made or cancelled has exactly one report, FINAL until a retry is decided. */
  | Reported
  /** Another agent has the job, or it ended: nothing may be reported. */
  | { readonly is: "lost" }
  | { readonly is: "handed_back" };

/** Makes one attempt: settings, scripts and templates, runner, assertions, verdict, scrub. The only caller of runners; never throws. */
export async function runAttempt(task: AttemptTask, deps: AttemptDeps): Promise<AttemptOutcome> {
  const startedMs = deps.clock.monotonicMs();
  try {
    const { checkType } = task.job.payload;
    if (!isCheckType(checkType)) throw new AppError("invalid_input", `this agent cannot run checks of type ${checkType}`);
    return isScriptType(checkType) ? await scripted(checkType, task, deps) : await attempted(checkType, task, deps);
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
  return { is: "reported", report, networkError: false, stoppedMs, inquiry: null, files: [], secrets: [] };
}

async function attempted<T extends ProbeType>(type: T, task: AttemptTask, deps: AttemptDeps): Promise<AttemptOutcome> {
  const { settings, proxyUrl, material } = task.job.payload;
  const check = deps.prepare(type, settings, proxyUrl);
  const runner = runnerOf(type, deps);
  using bodyMemory = deps.bodyMemory?.lease();
  const context = { ...contextOf(task, deps), bodyMemory };
  using _held = deps.holdSecrets(() => check.scrub.secrets);
  if (!check.hasTemplates && !changesRun(material))
    return reported(task, deps, { ...(await judgedRun(type, runner, check.settings, context)), scrub: check.scrub });
  return reported(task, deps, await materialRun({ ...identityOf(task), type, runner, check, context, nowMs: nowOf(task, deps) }, deps));
}

/** A check that is a script. */
async function scripted<T extends ScriptType>(type: T, task: AttemptTask, deps: AttemptDeps): Promise<AttemptOutcome> {
  const { settings, proxyUrl, isWatched = false } = task.job.payload;
  const check = deps.prepare(type, settings, proxyUrl);
  const ending = new AbortController();
  using _ended = { [Symbol.dispose]: () => ending.abort() };
  const onProgress = isWatched ? deps.tellProgress?.(task.job, AbortSignal.any([task.signal, ending.signal])) : undefined;
  const run = {
    ...identityOf(task),
    type,
    runner: runnerOf(type, deps),
    check,
    context: { ...contextOf(task, deps), onProgress },
    nowMs: nowOf(task, deps),
  };
  const outcome = reported(task, deps, await scriptRun(run, deps));
  withinBounds(checkTypes[type].result, outcome.report.detail);
  return outcome;
}

/** @throws {AppError} */
function runnerOf<T extends CheckType>(type: T, { runners }: AttemptDeps): CheckRunner<T> {
  const runner: CheckRunner<T> | undefined = runners[type];
  if (runner === undefined) throw new AppError("invalid_input", `this agent cannot run checks of type ${type}`);
  return runner;
}

/** Whether there is more to a run than its settings say; variables without secrets take part by templates and scripts only. */
function changesRun(material: JobMaterial | undefined): boolean {
  if (material === undefined) return false;
  const { setup, teardown, variables, certificates } = material;
  return setup.length + teardown.length + certificates.length > 0 || variables.some(({ isSecret }) => isSecret);
}

function contextOf(task: AttemptTask, { resolver, userAgent, egress, clock, tracer, ...kept }: AttemptDeps): RunContext {
  const { job, signal } = task;
  const { proxyUrl, material, noModel } = job.payload;
  const { monotonicMs } = clock;
  const usual = { resolver, userAgent, egress: egress(), monotonicMs, proxyUrl, signal, certificates: material?.certificates };
  const ofJob = { baselines: kept.baselines?.(job), bundles: kept.bundles?.(job), plans: kept.plans?.(job), noModel };
  return { ...usual, ...ofJob, traceparentFor: tracer?.targetsOf(task) };
}

function identityOf({ job, attempt }: AttemptTask): RunIdentity {
  return { ...job.payload, resultId: resultIdOf(job.jobId, attempt) ?? job.jobId };
}

/** The control plane's clock at the lease, continued with our monotonic one. */
function nowOf({ job, receivedMs }: AttemptTask, { clock }: AttemptDeps): () => number {
  return () => job.leasedAt + (clock.monotonicMs() - receivedMs);
}

function reported<T extends CheckType>(task: AttemptTask, deps: AttemptDeps, run: MaterialRun<T>): Reported {
  const { observation, assertions, measures, verdict } = run;
  const scrub = run.scrub.knowing(secretsOfResult(observation.result));
  const { startedMs, stoppedMs, responseTimeMs, statusCode, failure, result } = observation;
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
    detail: result === null ? null : scrub.detail("requestError" in result ? { ...result, assertions } : result),
  } satisfies Partial<AttemptReport>);
  const trail = hasFailures ? (observation.trail ?? null) : null;
  const masks: Pick<Inquiry, "mask" | "maskBytes"> = { mask: (text) => scrub.text(text), maskBytes: (bytes) => scrub.bytes(bytes) };
  const inquiry = trail === null ? null : { jobId: task.job.jobId, trail, startedMs, ...masks };
  const files = observation.files ?? (hasFailures ? filesOf(task, observation) : []);
  return { is: "reported", report, networkError: verdict.networkError, stoppedMs, inquiry, files, secrets: scrub.secrets };
}

/** What came beside the body: headers, or metadata of a gRPC call. */
interface AnswerHeaders {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly metadata: readonly GrpcMetadataEntry[];
}

/** A server that sets a cookie may tell it in the body, too. */
function secretsOfResult(result: object | null): readonly string[] {
  const response: unknown = result !== null && "response" in result ? result.response : null;
  const { headers = {}, metadata = [] } = (response ?? {}) as Partial<AnswerHeaders>;
  const ofKeys = Object.entries(Object.groupBy(metadata, ({ key }) => key));
  return secretsOfHeaders({ ...headers, ...Object.fromEntries(ofKeys.map(([key, of = []]) => [key, of.map(({ value }) => value)])) });
}

/** A teardown script may have taken something out of the body, so what it did not see whole does not leave. */
function filesOf({ job }: AttemptTask, { longBody }: Pick<Observation<CheckType>, "longBody">): readonly FoundFile[] {
  const isChanged = (job.payload.material?.teardown.length ?? 0) > 0;
  return longBody === undefined || isChanged ? [] : [bodyFile(longBody)];
}

/** The run threw: by an abort, by its deadline, by settings from another version, or by a bug. None of them is the target's fault. */
function withoutObservation(task: AttemptTask, deps: AttemptDeps, startedMs: number, error: unknown): AttemptOutcome {
  if (task.signal.aborted) return outcomeOfAbort(task, deps, startedMs);
  if (!(error instanceof AppError)) deps.onBug(error);
  const stoppedMs = deps.clock.monotonicMs();
  const errorMessage = error instanceof AppError ? error.message : "the agent could not run the check because of a bug in it";
  const report = { ...blankReport(task, deps, startedMs, stoppedMs), hasFailures: true, hasErrors: true, agentSide: true, errorMessage };
  return { is: "reported", report, networkError: false, stoppedMs, inquiry: null, files: [], secrets: [] };
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
