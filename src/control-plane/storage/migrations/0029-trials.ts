import type { Migration } from "./migration.ts";

/**
 * A test session may run a check that is not stored: `trial` has it whole (JSON), and `trial_runtime` is the runtime that its scripts need. Its
 * session, its job and its results name check 0, which no stored check is.
 */
export const trials: Migration = {
  version: 29,
  statements: () => ["alter table test_sessions add column trial text", "alter table test_sessions add column trial_runtime text"],
};
