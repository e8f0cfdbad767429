import type { Migration } from "./migration.ts";

/** Until when somebody muted a check for a while; null or in the past: nobody did. Not in its definition: no configuration says it. */
export const mutedUntil: Migration = {
  version: 74,
  statements: (engine) => [`alter table checks add column muted_until_ms ${engine === "sqlite" ? "integer" : "bigint"}`],
};
