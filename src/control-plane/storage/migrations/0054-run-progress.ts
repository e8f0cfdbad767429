import type { Migration } from "./migration.ts";

/** How far the script of a job is, where somebody looks on; it goes with the job. */
export const runProgress: Migration = { version: 54, statements: () => ["alter table jobs add column progress text"] };
