import { z } from "zod";
import { type JobRef, LeasedJob, leaseJobs, releaseJobs } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError } from "#domain/app-error.ts";
import type { AgentClock } from "../host/clock.ts";
import type { Progress } from "./poll-progress.ts";
import type { ControlPlane } from "./retrying-client.ts";

/** Beyond the wait that was asked for; then the connection counts as dead (a proxy that froze it says nothing). */
const pollMarginMs = 8_000;
/** How long a draining agent waits for the answer of its last poll: the control plane ends it at the `draining` heartbeat. */
const drainPollMs = 300;
const longestBackoffMs = 300_000;
/** A seat is free again when a run ends, and every run has a watchdog. */
const longestRunMs = 600_000;
/** With most seats taken, waiting a moment makes one poll of many: each costs as much as three jobs. */
const gatherMs = 15;
/** After a poll that brought nothing and did not wait for it either: whatever answers so must not be asked without end. */
const emptyPauseMs = 250;

/** A reply is taken job by job: one that this version cannot read must not hide the others. */
const LeaseReply = z.object({ jobs: z.array(z.unknown()) });

/** A job with the moment it arrived, on the monotonic clock. */
export interface ReceivedJob {
  readonly job: LeasedJob;
  readonly receivedMs: number;
}

/** Room for jobs. */
export interface Seats {
  readonly seats: number;
  /** Seats that neither a run nor a waiting job will take. */
  freeSeats(): number;
  /** Resolves when a seat is free, or when `signal` aborts. */
  seatFreed(signal: AbortSignal): Promise<void>;
}

export interface JobPollerDeps {
  readonly controlPlane: ControlPlane;
  readonly queue: Seats;
  readonly clock: AgentClock;
  readonly log: Logger;
  readonly progress: Progress;
  readonly onJob: (received: ReceivedJob) => void;
  /** Asks for jobs of these types only, on these runtimes; for all that the session announced where it is left out. */
  readonly only?: JobsWanted | undefined;
  /** Of a run that takes longer than usual. */
  readonly longestRunMs?: number;
}

export interface JobsWanted {
  readonly checkTypes: readonly string[];
  readonly runtimes?: readonly string[];
}

/** Asks for as many jobs as there are free seats, one poll at a time. */
export interface JobPoller {
  start(): void;
  /** Takes no more jobs. Resolves when the poll on its way has ended and what it brought is handed back. */
  drain(): Promise<void>;
}

export function createJobPoller(deps: JobPollerDeps): JobPoller {
  const draining = new AbortController();
  const cutting = new AbortController();
  const { checkTypes, runtimes } = deps.only ?? {};
  const wanted = { ...(checkTypes && { checkTypes: [...checkTypes] }), ...(runtimes && { runtimes: [...runtimes] }) };
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    deps.progress.expectWithin(longestBackoffMs);
    await deps.controlPlane.session(draining.signal);
    while (!draining.signal.aborted) {
      deps.progress.expectWithin(Math.max(longestRunMs, deps.longestRunMs ?? 0));
      await deps.queue.seatFreed(draining.signal);
      if (deps.queue.freeSeats() < deps.queue.seats / 4) await sleep(gatherMs, draining.signal);
      const max = deps.queue.freeSeats();
      if (max === 0 || draining.signal.aborted) continue;
      const askedMs = deps.clock.monotonicMs();
      const came = await poll(max);
      if (came === 0 && deps.clock.monotonicMs() - askedMs < emptyPauseMs) await sleep(emptyPauseMs, draining.signal);
    }
  }

  /** @returns how many jobs came */
  async function poll(max: number): Promise<number> {
    const waitSeconds = deps.controlPlane.lastSession()?.pollWaitSeconds ?? 0;
    const limitMs = waitSeconds * 1000 + pollMarginMs;
    deps.progress.expectWithin(limitMs + longestBackoffMs);
    const decode = (body: unknown): unknown[] => LeaseReply.parse(body).jobs;
    const items = await deps.controlPlane.call(leaseJobs, { max, waitSeconds, ...wanted }, { signal: cutting.signal, limitMs, decode });
    const receivedMs = deps.clock.monotonicMs();
    const jobs = items.flatMap((item) => readable(item, deps.log));
    if (draining.signal.aborted) await handBack(deps.controlPlane, jobs, AbortSignal.timeout(1_000));
    else for (const job of jobs) deps.onJob({ job, receivedMs });
    return items.length;
  }

  return {
    start() {
      running ??= run().catch((error: unknown) => {
        if (!draining.signal.aborted) throw error;
      });
    },
    async drain() {
      draining.abort(new AppError("cancelled", "the agent drains"));
      const cut = setTimeout(() => cutting.abort(draining.signal.reason), drainPollMs);
      await Promise.allSettled([running]); // a bug in it has been reported as an unhandled rejection
      clearTimeout(cut);
    },
  };
}

/** Hands jobs back within `signal`; those whose release is lost are queued again when their lease ends. */
export async function handBack(controlPlane: ControlPlane, jobs: readonly JobRef[], signal: AbortSignal): Promise<void> {
  if (jobs.length === 0 || signal.aborted) return;
  const body = { jobs: jobs.map(({ jobId, fence }) => ({ jobId, fence })) };
  await controlPlane.call(releaseJobs, body, { signal, limitMs: 5_000 }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}

function readable(item: unknown, log: Logger): LeasedJob[] {
  const parsed = LeasedJob.safeParse(item);
  if (parsed.success) return [parsed.data];
  const at = parsed.error.issues.map(({ path }) => path.join("."));
  log.error({ at }, "cannot read a job from the control plane; update the agent");
  return [];
}
