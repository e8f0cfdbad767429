import type { Migration } from "./migration.ts";

/** From which hosts agents of a location come, how many it admits by itself, and what proves that a session goes on with the same agent. */
export const locationHosts: Migration = {
  version: 42,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      `alter table locations add column host_limit ${int}`,
      "alter table agent_sessions add column network text",
      "alter table agent_sessions add column proof_hash text",
      `create table location_hosts (uuid text primary key, location_id ${int} not null references locations (id) on delete cascade, network text not null,
        name text not null, state text not null, first_seen_at ${int} not null, last_seen_at ${int} not null)`,
      "create unique index location_hosts_network on location_hosts (location_id, network)",
    ];
  },
};
