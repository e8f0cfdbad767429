import { CompiledQuery, type Kysely, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import { openPostgres } from "../dialects/postgres.ts";
import type { Tables, Trx } from "../schema.ts";
import { periodsOfCheck } from "../stores/analytics/periods.ts";
import { rollupTables } from "../stores/analytics/stored-rollups.ts";
import { distributed, distributedTables } from "./citus-statements.ts";

/** The oldest that the tests know. */
const oldestVersion = 13;

/** What a table lacks to be distributed: the check beside each row, and in its key. Results have both; so has a restored copy of a cluster. */
const preparations: Readonly<Record<string, readonly string[]>> = {
  result_details: [
    "alter table result_details add column if not exists check_id integer, drop constraint if exists result_details_pkey",
    // A pack of several checks lies with each of them; what no result names is nobody's.
    `insert into result_details (id, started_at_us, dictionary, body, check_id)
      select distinct on (r.check_id, d.id) d.id, d.started_at_us, d.dictionary, d.body, r.check_id
      from result_details d join results r on coalesce(r.detail_pack, r.id) = d.id
      where d.check_id is null`,
    "delete from result_details where check_id is null",
    "alter table result_details alter column check_id set not null, add primary key (check_id, id, started_at_us)",
  ],
  page_figures: ["alter table page_figures alter column check_id type integer"], // as in results: else they do not lie together
  suite_runs: ["alter table suite_runs alter column check_id type integer"],
  ...Object.fromEntries(
    rollupTables.map((table) => [
      table,
      [
        `alter table ${table} add column if not exists check_id integer, drop constraint if exists ${table}_pkey`,
        `update ${table} set check_id = id / ${periodsOfCheck} where check_id is null`,
        `alter table ${table} alter column check_id set not null, add primary key (check_id, id)`,
      ],
    ]),
  ),
};

/**
 * `outpost migrate --distributed`: spreads the history over the workers of the Citus cluster that the database is the coordinator of. Each table
 * is a transaction of its own: cut off, it goes on where it was.
 *
 * @param tell what is done, a line each
 * @returns how many tables were spread now
 * @throws {AppError} conflict with what to do where this database cannot
 */
export async function distribute(databaseUrl: string, tell: (line: string) => void): Promise<number> {
  const db = openPostgres(databaseUrl, 1, "unhurried");
  try {
    await assertCluster(db);
    const there = await distributedTables(db);
    const missing = distributed.filter((table) => !there.has(table));
    if (missing.length === 0) return 0;
    await assertAlone(db);
    // A batch for many checks takes one connection to each worker and not one to each shard.
    await sql`do $$ begin execute format('alter database %I set citus.multi_shard_modify_mode = sequential', current_database()); end $$`.execute(
      db,
    );
    for (const [index, table] of missing.entries()) {
      const startMs = performance.now();
      await db.transaction().execute((trx) => distributeTable(trx, table));
      tell(`${index + 1} of ${missing.length}: ${table} is distributed (${((performance.now() - startMs) / 1_000).toFixed(1)} s).`);
    }
    return missing.length;
  } finally {
    await db.destroy();
  }
}

/** Files lie by the number of their result: few results have some. */
async function distributeTable(trx: Trx, table: (typeof distributed)[number]): Promise<void> {
  for (const statement of preparations[table] ?? []) await trx.executeQuery(CompiledQuery.raw(statement));
  await sql`select create_distributed_table(${table}, ${table === "result_assets" ? "id" : "check_id"})`.execute(trx);
  await sql`select truncate_local_data_after_distributing_table(${table})`.execute(trx);
}

async function assertCluster(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ version: string }>`select extversion as version from pg_extension where extname = 'citus'`.execute(db);
  const [found] = rows;
  if (found === undefined)
    throw new AppError(
      "conflict",
      "the database has no extension citus: on the coordinator and each worker put citus into shared_preload_libraries, and run `create extension citus` in this database",
    );
  if (Number.parseInt(found.version, 10) < oldestVersion)
    throw new AppError(
      "conflict",
      `the database has Citus ${found.version}, and Outpost needs ${oldestVersion} or later: update it on each server`,
    );
  const workers = await sql`select 1 from citus_get_active_worker_nodes()`.execute(db);
  if (workers.rows.length === 0)
    throw new AppError("conflict", "the database knows no worker: name each one to it with `select citus_add_node('worker-1', 5432)`");
}

/** A control plane that runs would go on with statements for tables that are not spread. */
async function assertAlone(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
    where datname = current_database() and application_name = 'outpost' and pid <> pg_backend_pid()`.execute(db);
  const count = Number(rows[0]?.count ?? 0);
  if (count > 0) throw new AppError("conflict", `Outpost works on this database (connections: ${count}): stop every control plane first`);
}
