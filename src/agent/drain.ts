import { withDeadline } from "#daemon/deadline.ts";
import type { Logger } from "#daemon/logger.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { Parts } from "./agent-parts.ts";
import { handBack } from "./contact/job-poller.ts";
import type { Undelivered } from "./outbox/result-outbox.ts";

const never = new AbortController().signal;

/**
 * The end of an agent. Heartbeats go on until the last job is done; the last fifth of the grace, at most 3 s, is kept
 * for handing back and for the outbox. Nothing here waits longer for a control plane that is away.
 *
 * @returns results that were not delivered
 */
export async function drain(parts: Parts, graceMs: number, log: Logger): Promise<Undelivered> {
  const startMs = performance.now();
  const leftMs = (): number => Math.max(0, graceMs - (performance.now() - startMs));
  const reserveMs = Math.min(3_000, graceMs / 5);
  log.info({ held: parts.leases.held().length }, "agent drains");
  parts.leases.drain();
  parts.evidence.stop(); // a job that looks for evidence must not be handed back before its report is on disk
  const polling = parts.poller.drain();
  const released = release(parts, "unstarted", leftMs() / 2);
  const retrying = flush(parts, Math.min(1_000, leftMs() / 4)).then(() => release(parts, "waiting", leftMs() / 2)); // their ATTEMPTs first
  const waiting = new AbortController();
  await Promise.race([parts.jobs.idle(), sleep(leftMs() - reserveMs, waiting.signal)]);
  waiting.abort();
  const cut = release(parts, "running", leftMs() / 2);
  await parts.jobs.idle();
  await Promise.all([polling, released, retrying, cut]);
  await Promise.all([flush(parts, leftMs() * 0.8), within(leftMs() * 0.5, "error events", (signal) => parts.errorEvents.flush(signal))]);
  await within(leftMs() * 0.5, "scrubbing of artifacts", (signal) => parts.artifacts.settle(signal));
  parts.loopDelay.stop();
  await parts.artifactUploader.stop();
  await parts.artifacts.close();
  await parts.uploader.stop();
  await parts.leases.stop();
  const undelivered = await parts.outbox.close();
  await parts.controlPlane.close();
  tell(undelivered, log);
  return undelivered;
}

/** The most that one line of the log names. */
const namedJobs = 100;

function tell({ onDisk, lost, lostJobs }: Undelivered, log: Logger): void {
  if (lost > 0)
    log.error(
      { lost, jobIds: lostJobs.slice(0, namedJobs), moreJobs: Math.max(0, lostJobs.length - namedJobs) },
      "results are lost: the control plane was away, and the outbox could not be written",
    );
  if (onDisk > 0) log.warn({ onDisk }, "undelivered results stay on disk; the next agent with this OUTBOX_DIR delivers them");
  log.info({ onDisk, lost }, "agent stopped");
}

async function release(parts: Parts, which: "unstarted" | "waiting" | "running", limitMs: number): Promise<void> {
  const jobs = parts.jobs.giveUp(which);
  await within(limitMs, "release of jobs", (signal) => handBack(parts.controlPlane, jobs, signal));
}

async function flush(parts: Parts, limitMs: number): Promise<void> {
  await within(limitMs, "delivery of results", (signal) => parts.uploader.flush(signal));
}

/** Running out of time is no error while draining: leases end by themselves, and results are on disk. */
async function within(limitMs: number, operation: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  await withDeadline(never, limitMs, operation, work).catch((error: unknown) => {
    if (!hasCode(error, "deadline_exceeded") && !(error instanceof AppError)) throw error;
  });
}
