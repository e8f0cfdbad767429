import { type Heartbeat, heartbeat, type JobRef, type LeasedJob } from "#contract/agent-protocol.ts";
import type { Logger } from "#daemon/logger.ts";
import { sleep } from "#daemon/sleep.ts";
import { AppError } from "#domain/app-error.ts";
import type { ControlPlane } from "./retrying-client.ts";

/** The protocol's limit of one heartbeat. */
const jobsPerHeartbeat = 5_000;
const tryLimitMs = 5_000;
/** After a heartbeat that got no answer: soon again, so that one lost packet does not cost a lease. */
const restAfterFailureMs = 2_000;

export interface LeaseKeeperDeps {
  readonly controlPlane: ControlPlane;
  readonly log: Logger;
  readonly condition: () => Pick<Heartbeat, "outbox" | "eventLoopDelayMs" | "clockAheadMs">;
  readonly onLost: (count: number) => void;
  /** Replaces the session's interval; tests shorten it. */
  readonly intervalMs?: number;
}

/** A job that this agent holds, running or waiting for its retry. */
export interface HeldLease {
  /** Aborts with `lease_lost` (drop everything), or with `cancelled` (report it as cancelled). */
  readonly signal: AbortSignal;
  /** Aborts the job for a reason of the agent's own. */
  abort(reason: Error): void;
  release(): void;
}

interface Lease {
  readonly ref: JobRef;
  readonly checkId: string;
  readonly controller: AbortController;
}

/** Keeps the leases of every held job with one call per interval, for as long as the agent has any. */
export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  readonly #leases = new Map<string, Lease>();
  readonly #stopping = new AbortController();
  #state: Heartbeat["state"] = "running";
  #hurry = new AbortController();
  #running: Promise<void> | undefined;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
  }

  hold(job: LeasedJob): HeldLease {
    const { jobId, fence, payload } = job;
    const lease: Lease = { ref: { jobId, fence }, checkId: payload.checkId, controller: new AbortController() };
    this.#leases.set(jobId, lease);
    return {
      signal: lease.controller.signal,
      abort: (reason) => lease.controller.abort(reason),
      release: () => {
        if (this.#leases.get(jobId) === lease) this.#leases.delete(jobId);
      },
    };
  }

  held(): readonly JobRef[] {
    return [...this.#leases.values()].map(({ ref }) => ref);
  }

  start(): void {
    const { signal } = this.#stopping;
    this.#running ??= this.#run(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Says `draining` from now on, at once. */
  drain(): void {
    this.#state = "draining";
    this.#hurry.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new AppError("cancelled", "the agent stops"));
    await Promise.allSettled([this.#running]); // a bug in it has been reported as an unhandled rejection
  }

  async #run(signal: AbortSignal): Promise<void> {
    await this.#deps.controlPlane.session(signal);
    for (let isGood = true; !signal.aborted; ) {
      const intervalMs = this.#deps.intervalMs ?? (this.#deps.controlPlane.lastSession()?.heartbeatSeconds ?? 10) * 1000;
      await sleep(isGood ? intervalMs : Math.min(intervalMs, restAfterFailureMs), AbortSignal.any([signal, this.#hurry.signal]));
      if (signal.aborted) return;
      this.#hurry = new AbortController();
      isGood = await this.#beat(signal);
    }
  }

  async #beat(signal: AbortSignal): Promise<boolean> {
    const condition = this.#deps.condition();
    try {
      for (const running of batches(this.held())) {
        const body = { ...condition, state: this.#state, running };
        const answer = await this.#deps.controlPlane.once(heartbeat, body, { signal, limitMs: tryLimitMs });
        this.#end(answer.lost, () => new AppError("lease_lost", "another agent has the job, or it ended"));
        this.#end(answer.cancel, () => new AppError("cancelled", "the run was cancelled"));
        this.#deps.onLost(answer.lost.length);
      }
      return true;
    } catch (error) {
      if (!signal.aborted && !(error instanceof AppError)) throw error;
      return false;
    }
  }

  #end(jobIds: readonly string[], reason: () => AppError): void {
    for (const jobId of jobIds) {
      const why = reason();
      const lease = this.#leases.get(jobId);
      if (lease !== undefined) this.#deps.log.warn({ checkId: lease.checkId, jobId, code: why.code }, "job ended by the control plane");
      lease?.controller.abort(why);
    }
  }
}

/** One at least: an idle agent is heard of too. */
function batches(refs: readonly JobRef[]): JobRef[][] {
  const count = Math.max(1, Math.ceil(refs.length / jobsPerHeartbeat));
  return Array.from({ length: count }, (_, index) => refs.slice(index * jobsPerHeartbeat, (index + 1) * jobsPerHeartbeat));
}
