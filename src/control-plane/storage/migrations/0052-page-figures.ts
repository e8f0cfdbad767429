import type { Migration } from "./migration.ts";

/**
 * Figures of each page that a browser check visited, and under page -1 those of its whole run that `results` has no columns for. They go with
 * their result, so they lie in partitions like it. Results from before have none.
 */
export const pageFigures: Migration = {
  version: 52,
  statements: (engine) => {
    const number = engine === "sqlite" ? "integer" : "bigint";
    const values = Array.from({ length: 9 }, (_, index) => `m${index + 1} ${number}`).join(", ");
    const key = "primary key (check_id, started_at_us, id, page)";
    const columns = `check_id ${number} not null, started_at_us ${number} not null, id ${number} not null, page ${number} not null, ${values}, ${key}`;
    return [`create table page_figures (${columns}) ${engine === "sqlite" ? "without rowid" : "partition by range (started_at_us)"}`];
  },
};
