import type { Migration } from "./migration.ts";

/** Projects of tests in the blob store. A row is there before the first byte of its bundle, and until the last one is gone; `sha256` once it is whole. */
export const codeBundles: Migration = {
  version: 62,
  statements: (engine) => {
    const number = engine === "sqlite" ? "integer" : "bigint";
    return [
      `create table code_bundles (key text primary key, ref text, account_id ${number} not null, sha256 text not null, size ${number} not null,
         files ${number} not null, unpacked_size ${number} not null, created_at ${number} not null, stored_at ${number}, used_at ${number} not null)`,
      "create index code_bundles_of_account on code_bundles (account_id, sha256)",
      "create index code_bundles_used on code_bundles (used_at)",
    ];
  },
};
