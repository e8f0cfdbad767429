import type { Migration } from "./migration.ts";

/** What a change made of each field, as JSON; null: nothing is known of values. */
export const auditChanges: Migration = {
  version: 87,
  statements: () => ["alter table audit_log add column changes text"],
};
