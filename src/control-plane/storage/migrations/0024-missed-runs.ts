import type { Migration } from "./migration.ts";

/** Runs that nobody ran are few, and are asked for by location: an index of them alone (`type` 2 is MISSED). */
export const missedRuns: Migration = {
  version: 24,
  statements: () => ["create index results_missed on results (location_id, started_at_us, flags, run_at) where type = 2"],
};
