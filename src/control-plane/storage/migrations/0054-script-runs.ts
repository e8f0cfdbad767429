import type { Migration } from "./migration.ts";

/** How far the script of a job is, where somebody looks on, which goes with the job; and where a script failed that an alert tells of. */
export const scriptRuns: Migration = {
  version: 54,
  statements: (engine) => [
    "alter table jobs add column progress text",
    "alter table check_alerts add column failed_step text",
    `alter table check_alerts add column has_screenshot ${engine === "sqlite" ? "integer" : "bigint"} not null default 0`,
  ],
};
