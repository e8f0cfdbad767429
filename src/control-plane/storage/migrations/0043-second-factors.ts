import type { Migration } from "./migration.ts";

/**
 * A second factor of people who sign in by password, with the codes that replace it, and sign-ins that wait for it; how each sign-in was made;
 * and who somebody is for an OpenID Connect provider.
 */
export const secondFactors: Migration = {
  version: 43,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    const user = `user_id ${int} not null references users (id) on delete cascade`;
    return [
      "alter table sign_ins add column method text not null default 'password'",
      "update sign_ins set method = 'key' where key_id is not null",
      `create table second_factors (${user} primary key, secret text not null, last_step ${int} not null, is_on ${int} not null)`,
      `create table recovery_codes (${user}, code_hash text not null, primary key (user_id, code_hash))`,
      `create table half_sign_ins (token_hash text primary key, ${user}, expires_at ${int} not null)`,
      "create index half_sign_ins_user on half_sign_ins (user_id)",
      "create index half_sign_ins_age on half_sign_ins (expires_at)",
      `create table user_identities (${user}, issuer text not null, subject text not null, created_at ${int} not null, primary key (issuer, subject))`,
      "create unique index user_identities_user on user_identities (user_id, issuer)",
    ];
  },
};
