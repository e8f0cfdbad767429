import type { Migration } from "./migration.ts";

/** The runtime that a check's scripts need (`domain/script-runtime`), beside its definition: agents that lack it get no job of the check. */
export const scriptRuntime: Migration = {
  version: 4,
  statements: () => ["alter table checks add column script_runtime text"],
};
