import type { IndexedCheck } from "./check-index-store.ts";

/** How a check stands that has run, without what it is. */
export interface CheckStanding extends Pick<IndexedCheck, "id" | "totals"> {
  readonly latest: NonNullable<IndexedCheck["latest"]>;
}

export interface CheckStandingStore {
  /**
   * Checks of the account of which a newest result was taken at this moment or later. What comes late changes only totals, and is told with the
   * next newest; processes write the moment by clocks of their own, so whoever asks again and again begins a little before he asked last.
   */
  changedSince(accountId: number, sinceMs: number): Promise<readonly CheckStanding[]>;
}
