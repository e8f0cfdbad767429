import type { Migration } from "./migration.ts";

/** What a store remembers of itself, once: the mark of the pepper of its keys, the id of its first account. */
export const marks: Migration = {
  version: 3,
  statements: () => ["create table marks (name text primary key, value text not null)"],
};
