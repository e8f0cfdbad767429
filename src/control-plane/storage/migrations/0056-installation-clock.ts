import type { Migration } from "./migration.ts";

/**
 * The clock that waits end by, and the wall clock at the same moment: one row. Without it both are one, so that waits which were stored
 * before go on.
 */
export const installationClock: Migration = {
  version: 56,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [`create table installation_clock (id integer primary key, wait_ms ${int} not null, wall_ms ${int} not null)`];
  },
};
