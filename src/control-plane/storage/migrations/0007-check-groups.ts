import type { Migration } from "./migration.ts";

/**
 * Checks in groups, which are documents. `own_settings` is what a grouped check says itself where its group may say otherwise: the columns
 * beside it hold what comes out, so that the scheduler needs no look-up. A group's run starts some sessions at once and holds the others.
 */
export const checkGroups: Migration = {
  version: 7,
  statements: (engine) => {
    const int = engine === "sqlite" ? "integer" : "bigint";
    return [
      `alter table checks add column group_id ${int} references documents (id)`,
      "alter table checks add column own_settings text",
      "create index checks_group on checks (group_id, id) where group_id is not null",
      `create table group_locations (group_id ${int} not null references documents (id) on delete cascade,
        location_id ${int} not null references locations (id), primary key (group_id, location_id))`,
      "create index group_locations_location on group_locations (location_id)",
      `alter table sessions add column group_run ${int}`,
      `create table group_runs (no ${int} primary key, concurrency ${int} not null, running ${int} not null)`,
      `create table held_sessions (group_run ${int} not null, place ${int} not null, session_no ${int} not null unique,
        primary key (group_run, place))`,
    ];
  },
};
