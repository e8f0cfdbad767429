import type { Migration } from "./migration.ts";

/** Counts the changes of a check's definition, so that what was read of it is good for as long as its revision stays. */
export const checkRevisions: Migration = {
  version: 27,
  statements: (engine) => [`alter table checks add column revision ${engine === "sqlite" ? "integer" : "bigint"} not null default 0`],
};
