import type { Migration } from "./migration.ts";

/** Files of results: what was found where the network failed. They go with their result, so they lie in partitions like it. */
export const resultAssets: Migration = {
  version: 2,
  statements: (engine) =>
    engine === "sqlite"
      ? [
          `create table result_assets (id integer not null, name text not null, started_at_us integer not null, type text not null,
            content_type text not null, body blob not null, primary key (id, name))`,
        ]
      : [
          `create table result_assets (id bigint not null, started_at_us bigint not null, name text not null, type text not null,
            content_type text not null, body bytea not null, primary key (id, started_at_us, name)) partition by range (started_at_us)`,
        ],
};
