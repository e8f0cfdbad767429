import type { CheckTraits } from "#contract/checks/check-traits.ts";
import { isCheckType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import { createJobQueue, type JobQueue } from "./job-queue.ts";
import type { StartPacer } from "./start-pacer.ts";

export type SeatKind = CheckTraits["seats"];

/** The agent's seats by kind, so that a probe never waits behind a browser. A kind without seats takes no jobs. */
export interface SeatQueues {
  /** Where a job of this type waits and runs. */
  of(checkType: string): JobQueue;
  /** Kinds that have seats, probes first. */
  readonly kinds: ReadonlyMap<SeatKind, JobQueue>;
  running(): number;
  waiting(): number;
  besideSeats(): number;
}

/**
 * @param seats by kind; 0 for a kind whose checks do not run here
 * @param mostProbes see `runsThatFit`
 */
export function createSeatQueues(seats: Readonly<Record<SeatKind, number>>, pacer: StartPacer, mostProbes?: number): SeatQueues {
  const probes = createJobQueue(seats.probe, pacer, mostProbes);
  const kinds = new Map<SeatKind, JobQueue>([["probe", probes]]);
  for (const kind of ["multiStep", "browser", "suite", "agentic"] as const)
    if (seats[kind] > 0) kinds.set(kind, createJobQueue(seats[kind], pacer));
  const sum = (figure: (queue: JobQueue) => number): number => [...kinds.values()].reduce((all, queue) => all + figure(queue), 0);
  return {
    // A job that nobody asked for, of an older control plane: its run says what is missing.
    of: (checkType) => (isCheckType(checkType) ? kinds.get(traitsOf(checkType).seats) : undefined) ?? probes,
    kinds,
    running: () => sum((queue) => queue.running()),
    waiting: () => sum((queue) => queue.waiting()),
    besideSeats: () => sum((queue) => queue.besideSeats()),
  };
}
