import type { Migration } from "./migration.ts";

/** From which networks each key was used. */
export const keyPlaces: Migration = {
  version: 41,
  statements: (engine) => [
    `create table key_places (key_id text not null references keys (id) on delete cascade, network text not null,
      first_used_at ${engine === "sqlite" ? "integer" : "bigint"} not null, primary key (key_id, network))`,
  ],
};
