import type { Migration } from "./migration.ts";

/** When the cause of an open episode is looked for again, because other locations fail than when that was done last; null: it is not. */
export const causesAgain: Migration = {
  version: 83,
  statements: (engine) => [
    `alter table alert_episodes add column causes_from ${engine === "sqlite" ? "integer" : "bigint"}`,
    "create index alert_episodes_causes on alert_episodes (causes_from) where causes_from is not null",
  ],
};
