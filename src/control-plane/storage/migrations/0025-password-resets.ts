import type { Migration } from "./migration.ts";

/** Links by which people set a new password, by the hashes of their tokens: one for a user. */
export const passwordResets: Migration = {
  version: 25,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      `create table password_resets (user_id ${int} primary key references users (id) on delete cascade, token_hash text not null unique,
        created_at ${int} not null, expires_at ${int} not null)`,
      "create index password_resets_age on password_resets (expires_at)",
    ];
  },
};
