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
  /** The most frequent reason first. */
  missed(locationId: number, sinceMs: number): Promise<readonly MissedRuns[]>;
  /** How many runs were missed at each location; those without any are left out. */
  missedCounts(locationIds: readonly number[], sinceMs: number): Promise<ReadonlyMap<number, number>>;
}
