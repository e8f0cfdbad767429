import type { Migration } from "./migration.ts";

/** Which row of `result_details` has a result's detail beside those of others; null: the one with the result's own number. */
export const detailPacks: Migration = {
  version: 14,
  statements: (engine) => [`alter table results add column detail_pack ${engine === "sqlite" ? "integer" : "bigint"}`],
};
