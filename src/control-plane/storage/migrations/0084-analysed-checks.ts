import type { Migration } from "./migration.ts";

/** Analyses of checks as they stand: those that are degraded and heartbeats that are not pinged have no error group. */
export const analysedChecks: Migration = {
  version: 84,
  statements: (engine) => [
    `alter table root_cause_analyses add column check_id ${engine === "sqlite" ? "integer" : "bigint"}`,
    "create index root_cause_analyses_check on root_cause_analyses (account_id, check_id) where check_id is not null",
  ],
};
