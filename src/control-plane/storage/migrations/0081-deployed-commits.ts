import type { Migration } from "./migration.ts";

/** What a project was deployed from last, as its client told it, and when; null for projects that the release before deployed. */
export const deployedCommits: Migration = {
  version: 81,
  statements: (engine) => [
    "alter table projects add column commit_id text",
    "alter table projects add column branch text",
    `alter table projects add column deployed_at ${engine === "sqlite" ? "integer" : "bigint"}`,
  ],
};
