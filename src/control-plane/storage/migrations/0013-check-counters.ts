import type { Migration } from "./migration.ts";

/** How the runs of a check ended since it was made, and how long they took together: they only grow, whatever retention deletes. */
export const checkCounters: Migration = {
  version: 13,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      ...["runs_passed", "runs_degraded", "runs_failed"].map(
        (name) => `alter table check_statuses add column ${name} ${int} not null default 0`,
      ),
      "alter table check_statuses add column runs_ms double precision not null default 0",
    ];
  },
};
