import type { Migration } from "./migration.ts";

/**
 * Keys may end, be bound to networks and to what they may do. A user key that was bound to no account acted for all of them: where there is one
 * account it is bound to that, elsewhere it goes.
 */
export const limitedKeys: Migration = {
  version: 40,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      `alter table keys add column expires_at ${int}`,
      "alter table keys add column networks text",
      "alter table keys add column scopes text",
      `update keys set account_id = (select min(id) from accounts)
        where account_id is null and kind <> 'location' and (select count(*) from accounts) = 1`,
      "delete from keys where account_id is null and kind <> 'location'",
    ];
  },
};
