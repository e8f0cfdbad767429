import PQueue from "p-queue";
import type { Seats } from "../contact/job-poller.ts";
import type { StartPacer } from "./start-pacer.ts";

/** A retry goes before new jobs: its lease is older and its delay has been promised. */
export type JobPriority = "new" | "retry";

/** From here a run does nothing but wait for a slow or dead target, ms. */
export const patienceMs = 1_000;
/** A run that works all the time keeps its seat, ms: the longest that a timer waits. */
export const keepsSeatMs = 2_147_483_647;
/** Runs that may wait beside the seats, per seat: a waiting run costs a socket and some memory, but no CPU. */
const waitersPerSeat = 50;
const mostWaiters = 2_000;

/**
 * The agent's seats. A run holds one; a job that waits for its retry holds none. A run that still waits for its target
 * after `patience` gives its seat to the next and goes on beside the seats, so that dead targets cannot starve the
 * others (docs/adr/0010-seats-are-for-work.md). When too many wait so, the next ones keep their seats.
 */
export interface JobQueue extends Seats {
  /**
   * Runs `work` when a seat is free and its start is due.
   * @param patience how long the run keeps its seat, ms
   * @throws the signal's reason when it aborts before that
   */
  run<T>(work: () => Promise<T>, priority: JobPriority, signal: AbortSignal, patience?: number): Promise<T>;
  /** Runs under way, on seats and beside them. */
  running(): number;
  /** Jobs that wait for a seat. */
  waiting(): number;
  /** Runs that gave their seat away and wait for their target. */
  besideSeats(): number;
}

/** @param mostRuns on seats and beside them, where the machine bounds them */
export function createJobQueue(wantedSeats: number, pacer: StartPacer, mostRuns = Number.POSITIVE_INFINITY): JobQueue {
  const seats = Math.min(wantedSeats, mostRuns);
  const queue = new PQueue({ concurrency: seats });
  const beside = new BesideSeats(Math.min(seats * waitersPerSeat, mostWaiters, mostRuns - seats));
  let watchers: (() => void)[] = [];

  function freeSeats(): number {
    return Math.max(0, seats - queue.pending - queue.size);
  }

  queue.addEventListener("next", () => {
    if (freeSeats() === 0) return;
    const woken = watchers;
    watchers = [];
    for (const wake of woken) wake();
  });

  return {
    seats,
    run<T>(work: () => Promise<T>, priority: JobPriority, signal: AbortSignal, patience = patienceMs): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const onAbort = (): void => reject(signal.reason); // while it waits; from its start on the outcome is the run's own
      const paced = async (): Promise<void> => {
        await pacer.admit();
        signal.removeEventListener("abort", onAbort);
        if (signal.aborted) return;
        const running = work();
        resolve(running);
        await beside.seated(running, patience);
      };
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
      queue.add(paced, { priority: priority === "retry" ? 1 : 0 }).catch(reject);
      return promise;
    },
    freeSeats,
    seatFreed(signal) {
      if (freeSeats() > 0 || signal.aborted) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const done = (): void => {
        signal.removeEventListener("abort", done);
        resolve();
      };
      signal.addEventListener("abort", done, { once: true });
      watchers.push(done);
      return promise;
    },
    running: () => queue.pending + beside.count,
    waiting: () => queue.size,
    besideSeats: () => beside.count,
  };
}

/** The runs that go on without a seat. */
class BesideSeats {
  readonly #most: number;
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Resolves when the run ends, or when it goes on beside the seats. */
  async seated(running: Promise<unknown>, patience: number): Promise<void> {
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      if (this.count >= this.#most) return;
      this.count += 1;
      running.then(this.#end, this.#end);
      leave();
    }, patience);
    await Promise.race([running, left]).finally(() => clearTimeout(timer));
  }

  readonly #end = (): void => {
    this.count -= 1;
  };
}
