import type { Migration } from "./migration.ts";

/** An account that is deleted answers nothing from then on; what is its goes later, in small batches, and the account last. */
export const removedAccounts: Migration = {
  version: 47,
  statements: (engine) => [`alter table accounts add column removed_at ${engine === "sqlite" ? "integer" : "bigint"}`],
};
