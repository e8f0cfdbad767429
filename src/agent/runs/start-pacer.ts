import type { AgentClock } from "../host/clock.ts";

/** Gap between two starts when work begins, ms. A light check costs 0.3 to 0.5 ms of CPU: this leaves the loop half idle. */
const firstGapMs = 1.5;
/** After this long without a break there is no gap any more: it is load, not a burst, and throughput counts. */
const rampMs = 400;
/** A break this long makes the next start the first of a new burst. */
const breakMs = 50;
/** How far starts may catch up when a timer came late. */
const catchUpMs = 2;

/**
 * Spreads the starts of runs that came due together.
 *
 * A hundred runs started at once keep the event loop busy for tens of milliseconds, and every one of them measures
 * that wait as its target's. So there is at most one start per turn of the loop, which reads in between what has
 * arrived, and a gap between starts that shrinks to nothing while work goes on: a burst of 100 takes 125 ms to start,
 * steady load runs at full speed. A lone run starts in the next turn.
 */
export interface StartPacer {
  /** Resolves, first come first served, when the next run may start. */
  admit(): Promise<void>;
}

export function createStartPacer(clock: AgentClock): StartPacer {
  const queue: (() => void)[] = [];
  let isTurning = false;
  let busySinceMs = Number.NEGATIVE_INFINITY;
  let lastStartMs = Number.NEGATIVE_INFINITY;
  let nextMs = Number.NEGATIVE_INFINITY;

  function turn(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs < nextMs) {
      setTimeout(turn, 1);
      return;
    }
    const start = queue.shift();
    isTurning = start !== undefined;
    if (start === undefined) return;
    if (nowMs - lastStartMs > breakMs) busySinceMs = nowMs;
    lastStartMs = nowMs;
    nextMs = Math.max(nextMs, nowMs - catchUpMs) + startGapMs(nowMs - busySinceMs);
    start();
    setImmediate(turn);
  }

  return {
    admit() {
      const { promise, resolve } = Promise.withResolvers<void>();
      queue.push(resolve);
      if (!isTurning) setImmediate(turn);
      isTurning = true;
      return promise;
    },
  };
}

/** @param busyMs how long runs have been starting without a break */
export function startGapMs(busyMs: number): number {
  return firstGapMs * Math.max(0, 1 - busyMs / rampMs);
}
