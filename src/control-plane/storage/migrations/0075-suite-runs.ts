import type { Migration } from "./migration.ts";

/**
 * How each test of a suite's run ended, packed into one row a run. Such rows go with their result, so they lie in partitions like it. Results from
 * before have none.
 */
export const suiteRuns: Migration = {
  version: 75,
  statements: (engine) => {
    const [number, bytes] = engine === "sqlite" ? ["integer", "blob"] : ["bigint", "bytea"];
    const numbers = ["check_id", "started_at_us", "id", "location_id", "run_at"].map((name) => `${name} ${number} not null`).join(", ");
    const columns = `${numbers}, error_groups text, body ${bytes} not null, primary key (check_id, started_at_us, id)`;
    return [`create table suite_runs (${columns}) ${engine === "sqlite" ? "without rowid" : "partition by range (started_at_us)"}`];
  },
};
