import PQueue from "p-queue";
import type { StartPacer } from "./start-pacer.ts";

/** A retry goes before new jobs: its lease is older and its delay has been promised. */
export type JobPriority = "new" | "retry";

/** The agent's seats. A run holds one; a job that waits for its retry holds none. */
export interface JobQueue {
  readonly seats: number;
  /** Runs `work` when a seat is free and its start is due. @throws the signal's reason when it aborts before that */
  run<T>(work: () => Promise<T>, priority: JobPriority, signal: AbortSignal): Promise<T>;
  /** Seats that neither a run nor a waiting job will take. */
  freeSeats(): number;
  /** Resolves when a seat is free, or when `signal` aborts. */
  seatFreed(signal: AbortSignal): Promise<void>;
  running(): number;
  waiting(): number;
}

export function createJobQueue(seats: number, pacer: StartPacer): JobQueue {
  const queue = new PQueue({ concurrency: seats });
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
    run<T>(work: () => Promise<T>, priority: JobPriority, signal: AbortSignal): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const onAbort = (): void => reject(signal.reason); // while it waits; from its start on the outcome is the run's own
      const paced = async (): Promise<void> => {
        await pacer.admit();
        signal.removeEventListener("abort", onAbort);
        if (signal.aborted) return;
        const running = work();
        resolve(running);
        await running;
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
    running: () => queue.pending,
    waiting: () => queue.size,
  };
}
