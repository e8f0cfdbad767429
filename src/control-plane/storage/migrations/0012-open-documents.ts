import type { Migration } from "./migration.ts";

/** Documents that still wait for something (an incident nobody resolved): lists of them read nothing else, however many ended. */
export const openDocuments: Migration = {
  version: 12,
  statements: () => [
    "alter table documents add column is_open integer not null default 0",
    "create index documents_open on documents (account_id, kind, id) where is_open = 1",
  ],
};
