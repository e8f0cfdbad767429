import type { SuiteAttempt } from "#domain/test-history.ts";

export interface SuiteRunRow extends SuiteAttempt {
  readonly runAtMs: number;
}

/** Written with the results of suites (`ResultStore.ingest`), and removed with them (`ResultStore.prune`). */
export interface SuiteRunStore {
  /** The newest attempts that came to a test, newest first; those at one location, or at all. Cancelled ones have none here. */
  latest(of: { readonly checkId: number; readonly locationCode?: string; readonly limit: number }): Promise<readonly SuiteRunRow[]>;
}
