import type { Migration } from "./migration.ts";

/**
 * Figures of each hour and each day of a check (UTC), packed by location, status code and outcome; of days also by outcome alone, for
 * summaries of many checks. All are keyed by one number, see `stores/analytics/periods.ts`, and so are the marks of those that are out
 * of date, which take the place of `rollup_dirty`. Rows of SQLite lie in the order of that number, and a row stays in its page;
 * PostgreSQL keeps them in theirs up to 8 KB, without packing what is packed already.
 */
export const rollups: Migration = {
  version: 6,
  statements: (engine) => [
    ...["rollup_hours", "rollup_days", "rollup_day_totals"].flatMap((table) => rollupTable(engine, table)),
    ...["dirty_hours", "dirty_days"].map((table) => `create table ${table} (id ${keyTypes[engine]}, mark bigint not null)`),
    "insert into dirty_hours (id, mark) select check_id * 1048576 + hour, 0 from rollup_dirty",
    "drop table rollup_dirty",
  ],
};

/** Only exactly so does SQLite make it the row's own number. */
const keyTypes = { sqlite: "integer primary key", postgres: "bigint primary key" } as const;

function rollupTable(engine: "sqlite" | "postgres", table: string): readonly string[] {
  const columns = ["cells", "rt", "m1", "m2", "m3", "m4", "m5", "m6"];
  const bytes = engine === "sqlite" ? "blob" : "bytea";
  const create = `create table ${table} (id ${keyTypes[engine]}, ${columns.map((column) => `${column} ${bytes} not null`).join(", ")})`;
  if (engine === "sqlite") return [create];
  const inline = columns.map((column) => `alter column ${column} set storage external`).join(", ");
  return [`${create} with (toast_tuple_target = 8160)`, `alter table ${table} ${inline}`];
}
