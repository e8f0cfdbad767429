import type { Migration } from "./migration.ts";

/** What was done to one object is read without the rest of the log. */
export const changesOfResources: Migration = {
  version: 88,
  statements: () => ["create index audit_log_resource on audit_log (account_id, resource_id, at_ms, id) where resource_id is not null"],
};
