import type { Migration } from "./migration.ts";

/**
 * Files of results that lie in the blob store: their row among the assets names the blob. What is in the store or on its way there is
 * listed in `blobs` before its first byte, so that nothing is left behind whatever ends when.
 */
export const artifacts: Migration = {
  version: 16,
  statements: (engine) => {
    const number = engine === "sqlite" ? "integer" : "bigint";
    return [
      "alter table result_assets add column blob_key text",
      `create table blobs (key text primary key, ref text, account_id ${number} not null, location_id ${number} not null, result_id ${number} not null,
        check_id ${number} not null, started_at_us ${number} not null, name text not null, type text not null, content_type text not null,
        size ${number} not null, sha256 text not null, created_at ${number} not null, stored_at ${number},
        unique (result_id, name))`,
      "create index blobs_open on blobs (location_id) where stored_at is null",
      `create table blob_parts (key text not null references blobs (key) on delete cascade, number ${number} not null, size ${number} not null, tag text not null,
        primary key (key, number))`,
    ];
  },
};
