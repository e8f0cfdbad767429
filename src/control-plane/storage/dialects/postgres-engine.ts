import { CompiledQuery, type Kysely, sql } from "kysely";
import { packText, unpackText } from "../details/compression.ts";
import { type Dictionary, Dictionaries } from "../details/dictionaries.ts";
import type { BulkColumns, BulkValue, DetailText, Engine } from "../engine.ts";
import type { Tables, Trx } from "../schema.ts";
import { gaveWay, missingPartition } from "./database-errors.ts";
import { Partitions } from "./postgres-partitions.ts";

const maxTries = 4;

/** PostgreSQL 15 or later. Any number of processes may share one database. */
export function postgresEngine(db: Kysely<Tables>, dictionary: Dictionary): Engine {
  const dictionaries = new Dictionaries(db);
  const partitions = new Partitions(db);
  return {
    kind: "postgres",
    db,
    reads: db,
    transaction: (work) => transaction(db, partitions, work),
    async insertMany(trx, table, columns, rows, suffix = "") {
      if (rows.length === 0) return;
      const text = `insert into ${table} (${Object.keys(columns).join(", ")}) select * from ${unnest(columns)} ${suffix}`;
      await trx.executeQuery(CompiledQuery.raw(text, byColumn(columns, rows)));
    },
    async updateMany(trx, table, keys, columns, rows) {
      if (rows.length === 0) return;
      const names = Object.keys(columns);
      const sets = names.slice(keys).map((name) => `${name} = u.${name}`);
      const matches = names.slice(0, keys).map((name) => `t.${name} = u.${name}`);
      const text = `update ${table} t set ${sets.join(", ")} from ${unnest(columns)} as u(${names.join(", ")}) where ${matches.join(" and ")}`;
      await trx.executeQuery(CompiledQuery.raw(text, byColumn(columns, rows)));
    },
    isAny: (column, values) => sql`${typeof column === "string" ? sql.ref(column) : column} = any(${values}::${sql.raw(typeof values[0] === "string" ? "text[]" : "int8[]")})`,
    skipLocked: (query) => query.forUpdate().skipLocked(),
    lockRows: (query) => query.forUpdate(),
    async nextSessionNumbers(trx, count) {
      const { rows } = await sql<{ no: number }>`select nextval('session_no') as no from generate_series(1, ${count})`.execute(trx);
      return rows.map((row) => row.no);
    },
    prepareDays: (startedAtUs) => partitions.ensure(startedAtUs),
    async insertDetails(trx, details: readonly DetailText[]) {
      const columns = { id: "int8", started_at_us: "int8", dictionary: "int8", body: "bytea" } as const;
      const rows = details.map((one) => [one.id, one.startedAtUs, dictionary.id, packText(one.text, dictionary.body)]);
      await this.insertMany(trx, "result_details", columns, rows, "on conflict (id, started_at_us) do update set dictionary = excluded.dictionary, body = excluded.body");
    },
    async details(ids, fromUs, toUs) {
      const rows = await db.selectFrom("result_details").select(["id", "dictionary", "body"]).where(this.isAny("id", ids))
        .where("started_at_us", ">=", fromUs).where("started_at_us", "<=", toUs).execute();
      const texts = new Map<number, string>();
      for (const row of rows) texts.set(row.id, unpackText(row.body, await dictionaries.body(row.dictionary)));
      return texts;
    },
    dropDaysBefore: (beforeUs) => partitions.dropBefore(beforeUs),
    async compact() {},
    close: () => db.destroy(),
  };
}

/** Again after a deadlock, and after making the partition whose lack it met. */
async function transaction<T>(db: Kysely<Tables>, partitions: Partitions, work: (trx: Trx) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await db.transaction().execute(work);
    } catch (error) {
      const missingUs = missingPartition(error);
      if (tries >= maxTries || !(gaveWay(error) || missingUs !== undefined)) throw error;
      if (missingUs !== undefined) await partitions.ensure([missingUs]);
    }
  }
}

function unnest(columns: BulkColumns): string {
  return `unnest(${Object.values(columns).map((type, index) => `$${index + 1}::${type}[]`).join(", ")})`;
}

/** `unnest` takes one array per column. */
function byColumn(columns: BulkColumns, rows: readonly (readonly BulkValue[])[]): BulkValue[][] {
  return Object.keys(columns).map((_, index) => rows.map((row) => row[index] ?? null));
}
