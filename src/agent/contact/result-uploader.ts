import { type AttemptReport, type ReportAnswer, reportAttempts } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import { sleep } from "#daemon/sleep.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";
import type { OutboxEntry } from "../outbox/outbox-line.ts";
import type { ResultOutbox } from "../outbox/result-outbox.ts";
import type { ControlPlane } from "./retrying-client.ts";

/**
 * From the beginning of one upload to that of the next: results that end meanwhile travel together, as an upload costs both sides as much as
 * several results. A lone one goes at once; so does an urgent one.
 */
const sliceMs = 40;
/** The same for an agent whose results of a second are so many that each would travel nearly alone. */
const busySliceMs = 250;
const busyResults = 20;
/** So many go before the slice is over: more in one upload save little, and hold up leases at a control plane for longer. */
const fullSliceResults = 64;
const flushLookMs = 15;
const batchLimitBytes = 4 * 1024 * 1024;
const tryLimitMs = 30_000;
/** Statuses that the same batch would always get: it is halved until the entry that causes it stands alone. */
const splitting: readonly number[] = [400, 409, 413, 422, 431];
/** What is left of each list in a report that holds too much for the control plane, such as the lines of a script's log. */
const slimListLength = 500;
/** What is left of each text in a report that is too large for the way to the control plane. */
const slimTextLength = 500;

export interface UploaderDeps {
  readonly outbox: ResultOutbox;
  readonly controlPlane: ControlPlane;
  readonly log: Logger;
  readonly onOutcome: (outcome: ReportAnswer["outcome"], count: number) => void;
  /** Results of one upload were taken; called with the moments at which it began and ended, epoch ms. Absent where nobody asks. */
  readonly onUploaded?: ((entries: readonly OutboxEntry[], beganMs: number, endedMs: number) => void) | undefined;
  /** Epoch ms on the control plane's clock, as far as it is known. */
  readonly nowMs?: () => number;
}

/** Empties the outbox, in order, one batch at a time. */
export interface ResultUploader {
  start(): void;
  /** Delivers what waits now, or as much of it as `deadline` allows. */
  flush(deadline: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export function createResultUploader(deps: UploaderDeps): ResultUploader {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  /** Nothing waits for company any more. */
  let flushing = false;
  let beganMs = Number.NEGATIVE_INFINITY;
  let endRest = (): void => undefined;
  const isFull = (): boolean => deps.outbox.isUrgent || deps.outbox.depth >= fullSliceResults;
  deps.outbox.onArrival(() => isFull() && endRest());
  const isBusy = busyness();

  async function restOfSlice(): Promise<void> {
    const restMs = beganMs + (isBusy() ? busySliceMs : sliceMs) - performance.now();
    if (restMs <= 0 || flushing || isFull()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, restMs);
    endRest = resolve;
    await promise;
    clearTimeout(timer);
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await untilAborted(signal, deps.outbox.arrival());
      const session = await deps.controlPlane.session(signal);
      await restOfSlice();
      beganMs = performance.now();
      const batch = await deps.outbox.peek(session.limits.batchResults, batchLimitBytes);
      isBusy(batch.length);
      if (batch.length > 0) await deliver(deps, batch, signal);
    }
  }

  return {
    start() {
      running ??= run(stopping.signal).catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      });
    },
    async flush(deadline) {
      flushing = true;
      endRest();
      while (deps.outbox.depth > 0 && !deadline.aborted) await sleep(flushLookMs, deadline);
    },
    async stop() {
      stopping.abort(new AppError("cancelled", "the agent stops"));
      endRest();
      await Promise.allSettled([running]); // a bug in it has been reported as an unhandled rejection
    },
  };
}

/** Counts results, and tells whether those of the last second are many. */
function busyness(): (results?: number) => boolean {
  const lately: { readonly atMs: number; readonly results: number }[] = [];
  return (results = 0) => {
    const nowMs = performance.now();
    if (results > 0) lately.push({ atMs: nowMs, results });
    while ((lately[0]?.atMs ?? nowMs) < nowMs - 1_000) lately.shift();
    return lately.reduce((sum, one) => sum + one.results, 0) >= busyResults;
  };
}

async function deliver(deps: UploaderDeps, batch: readonly OutboxEntry[], signal: AbortSignal): Promise<void> {
  try {
    const body = { json: `{"reports":[${batch.map(({ json }) => json).join(",")}]}` };
    const uploadMs = deps.nowMs?.() ?? 0;
    const { answers } = await deps.controlPlane.call(reportAttempts, body, { signal, limitMs: tryLimitMs, answers: splitting });
    deps.onUploaded?.(batch.slice(0, answers.length), uploadMs, deps.nowMs?.() ?? 0);
    await settle(deps, batch, answers);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || error.code !== "invalid_input") throw error;
    await deliverParts(deps, batch, error, signal);
  }
}

async function deliverParts(deps: UploaderDeps, batch: readonly OutboxEntry[], error: AppError, signal: AbortSignal): Promise<void> {
  const [only] = batch;
  if (only === undefined) return;
  if (batch.length > 1) {
    const middle = Math.ceil(batch.length / 2);
    await deliver(deps, batch.slice(0, middle), signal);
    await deliver(deps, batch.slice(middle), signal);
    return;
  }
  const slim = error.attributes["status"] === 413 ? slimReport(only.json) : only.json;
  if (slim.length >= only.json.length) return drop(deps, only, error.message);
  const { answers } = await deps.controlPlane
    .call(reportAttempts, { json: `{"reports":[${slim}]}` }, { signal, limitMs: tryLimitMs, answers: splitting })
    .catch((again: unknown) => {
      signal.throwIfAborted();
      if (again instanceof AppError && again.code === "invalid_input") return { answers: null };
      throw again;
    });
  if (answers === null) await drop(deps, only, error.message);
  else await settle(deps, [only], answers);
}

/** Answers come in the order of the reports; one that is missing leaves its entry waiting. */
async function settle(deps: UploaderDeps, batch: readonly OutboxEntry[], answers: readonly ReportAnswer[]): Promise<void> {
  const counts = new Map<ReportAnswer["outcome"], number>();
  const answered = batch.slice(0, answers.length);
  for (const [index, entry] of answered.entries()) {
    const { outcome, message } = answers[index] ?? { outcome: "rejected", message: "" };
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    if (outcome !== "accepted" && outcome !== "duplicate") logDrop(deps, entry, outcome, message ?? "");
  }
  await deps.outbox.acknowledge(answered);
  for (const [outcome, count] of counts) deps.onOutcome(outcome, count);
  if (answered.length < batch.length)
    deps.log.warn({ sent: batch.length, answered: answered.length }, "the control plane did not answer all results; sending them again");
}

async function drop(deps: UploaderDeps, entry: OutboxEntry, reason: string): Promise<void> {
  logDrop(deps, entry, "rejected", reason);
  deps.onOutcome("rejected", 1);
  await deps.outbox.acknowledge([entry]);
}

function logDrop(deps: UploaderDeps, entry: OutboxEntry, outcome: ReportAnswer["outcome"], reason: string): void {
  const { jobId, attempt, fence } = identityOf(entry);
  deps.log.warn({ jobId, attempt, fence, outcome, reason }, "the control plane rejected a result; discarding it");
}

function identityOf(entry: OutboxEntry): Partial<Pick<AttemptReport, "jobId" | "attempt" | "fence">> {
  return JSON.parse(entry.json) as Partial<AttemptReport>; // our own line, and its CRC was right
}

/** The verdict matters more than the rest: evidence goes, long texts and lists are cut, so that it gets through. */
function slimReport(json: string): string {
  const { evidence: _evidence, ...report } = JSON.parse(json) as Partial<AttemptReport>; // our own line, and its CRC was right
  return JSON.stringify(report, (_key, value: unknown) => {
    if (Array.isArray(value)) return value.slice(0, slimListLength);
    return typeof value === "string" && value.length > slimTextLength ? `${value.slice(0, slimTextLength)}…` : value;
  });
}
