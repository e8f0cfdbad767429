import type { MissedReason } from "./work-stores.ts";

/** Runs of a location that nobody ran, for one reason. */
export interface MissedRuns {
  readonly reason: MissedReason;
  readonly count: number;
  /** How many checks they are of. */
  readonly checks: number;
  readonly latestMs: number;
}

/** How well a location's agents keep up, from what they left. */
export interface LocationFigureStore {
  /**
   * Milliseconds from due to started of the runs since then, in no order; of at most `maxChecks` of the location's checks, so that a page
   * with thousands of them stays quick.
   */
  waits(locationId: number, sinceMs: number, maxChecks: number): Promise<readonly number[]>;
  /** Of the newest `atMost` missed runs since then; the most frequent reason first. Without any agent for a day there are millions. */
  missed(locationId: number, sinceMs: number, atMost: number): Promise<readonly MissedRuns[]>;
  /** How many there are, counted up to `atMost`. */
  missedCount(locationId: number, sinceMs: number, atMost: number): Promise<number>;
}
