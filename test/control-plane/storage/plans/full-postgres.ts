import { createHash } from "node:crypto";
import pg from "pg";
import { openPostgres } from "../../../../src/control-plane/storage/dialects/postgres.ts";
import { Partitions } from "../../../../src/control-plane/storage/dialects/postgres-partitions.ts";
import { migrations } from "../../../../src/control-plane/storage/migrations/index.ts";
import { migratedDatabase } from "../../../support/migrated-store.ts";
import type { TestPostgres } from "../../../support/postgres.ts";
import { t0 } from "../fixture-data.ts";
import { growingTable, growingTables } from "./whole-reads.ts";

/*
 * A database of 100,000 checks, 2 million results and 50,000 alerts, as far as the planner can tell: it counts a table's pages and
 * multiplies by the rows a page that `pg_class` tells. So some thousand real rows in each table, analyzed, and that figure raised, cost a
 * second where the rows themselves would take minutes of each run of the tests.
 */

const realRows = 2_000;
const rowsOf: Readonly<Record<string, number>> = { checks: 100_000, results: 2_000_000, check_alerts: 50_000 };
const rowsOfOthers = 200_000;
const lockNumber = 712_350_003;

/** Made by the first process that asks. @returns its URL */
export async function fullDatabase(server: TestPostgres): Promise<string> {
  const statements = migrations.map((migration) => migration.statements("postgres"));
  const state = JSON.stringify([statements, realRows, rowsOf, rowsOfOthers, columnValue.toString()]);
  const name = `full_${createHash("sha256").update(state).digest("hex").slice(0, 16)}`;
  const lock = new pg.Client({ connectionString: server.urlOf("postgres") });
  await lock.connect();
  try {
    await lock.query(`select pg_advisory_lock(${lockNumber})`);
    const { rowCount } = await lock.query("select 1 from pg_database where datname = $1", [name]);
    if (rowCount === 0) {
      await fill(await migratedDatabase(server, `${name}_half`));
      await lock.query(`alter database ${name}_half rename to ${name}`);
    }
    return server.urlOf(name);
  } finally {
    await lock.end();
  }
}

async function fill(url: string): Promise<void> {
  const db = openPostgres(url, 1);
  await new Partitions(db).ensure([t0 * 1_000]);
  await db.destroy();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("set session_replication_role = replica"); // rows that refer to nothing, and make no sense, do for a plan
    await dropRules(client);
    for (const table of growingTables) await fillTable(client, table);
    await client.query("analyze");
    await pretend(client);
  } finally {
    await client.end();
  }
}

async function dropRules(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(
    "select conrelid::regclass::text as table, conname as name from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace",
  );
  for (const { table, name } of rows) await client.query(`alter table ${table} drop constraint ${name}`);
}

interface Column {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
}

async function fillTable(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<Column>(
    `select column_name as name, data_type as type, is_nullable = 'YES' as "isNullable" from information_schema.columns
     where table_schema = 'public' and table_name = $1 order by ordinal_position`,
    [table],
  );
  const values = rows.map(columnValue).join(", ");
  if (rows.some(({ name }) => name === "check_id")) {
    await client.query(`alter table ${table} alter column check_id set (n_distinct = -0.05)`);
  }
  await client
    .query(
      `insert into ${table} (${rows.map(({ name }) => name).join(", ")}) select ${values} from generate_series(1::int8, ${realRows}) as g on conflict do nothing`,
    )
    .catch((e) => {
      throw new Error(`${table}: ${values}`, { cause: e });
    });
}

/** What a row `g` has there: instants spread over an hour, numbers that differ, few locations and accounts, and little of what may be missing. */
function columnValue({ name, type, isNullable }: Column): string {
  if (name === "next_due") return `${t0} + g * 15`;
  if (/^(stopped|closed)_at$/.test(name)) return `case when g % 50 > 0 then ${t0} + g end`; // few sessions run, few episodes are open
  if (isNullable) return `case when g % 50 = 0 then ${someValue(name, type)} end`;
  return someValue(name, type);
}

function someValue(name: string, type: string): string {
  if (type === "bytea") return "'\\x00'::bytea";
  if (type === "text") return /^(kind|type|status|state|check_type)$/.test(name) ? "'t' || g % 5" : "'text ' || g";
  if (name === "account_id") return "1 + g % 50";
  if (name === "location_id") return "1 + g % 20";
  if (name === "no") return "g * 256"; // a session has 256 numbers of jobs
  if (type === "bigint" && name.endsWith("_us")) return `${t0 * 1_000} + g * 60000000`;
  if (type === "bigint" && /(_at|_ms|_due|_until|_by|run_at|slot|seen|at)$/.test(name)) return `${t0} + g * 900`;
  return /^(flags|status|type|attempt|is_|has_|activated|cancelled|acknowledged|page)/.test(name) ? "g % 2" : "g";
}

/** As if each row were many. */
async function pretend(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ oid: number; table: string; tuples: number }>(
    `select c.oid::int8::int4 as oid, coalesce(t.relname, c.relname) as table, c.reltuples as tuples from pg_class c
     left join pg_index i on i.indexrelid = c.oid left join pg_class t on t.oid = i.indrelid
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i')`,
  );
  for (const { oid, table, tuples } of rows) {
    const grown = growingTable(table);
    if (grown === undefined) continue;
    const times = (rowsOf[grown] ?? rowsOfOthers) / realRows;
    await client.query("update pg_class set reltuples = $2 where oid = $1", [oid, tuples * times]);
  }
}
