import type { AgentClock } from "../host/clock.ts";

const marginMs = 30_000;

/** Whether a loop still moves. The loop says before each wait how long that may take; the probe asks. */
export interface Progress {
  expectWithin(ms: number): void;
  isMoving(): boolean;
}

/** Whether all of several loops move. */
export function allMoving(loops: readonly Pick<Progress, "isMoving">[]): boolean {
  return loops.every((loop) => loop.isMoving());
}

export function createProgress(clock: AgentClock): Progress {
  let dueMs = Number.POSITIVE_INFINITY;
  return {
    expectWithin(ms) {
      dueMs = clock.monotonicMs() + ms + marginMs;
    },
    isMoving: () => clock.monotonicMs() < dueMs,
  };
}
