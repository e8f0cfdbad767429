import type { Migration } from "./migration.ts";

/**
 * The wall clock at a lease, beside the installation's: agents build the times of a run on it, so that the difference of the two, and not
 * that of now, says when a run began by the installation's clock. 0: an older process leased the job.
 */
export const leasesOnBothClocks: Migration = {
  version: 73,
  statements: (engine) => [`alter table jobs add column leased_wall_ms ${engine === "sqlite" ? "integer" : "bigint"} not null default 0`],
};
