import type { SQLInputValue } from "node:sqlite";
import { type Compilable, CompiledQuery, Kysely, sql } from "kysely";
import type { BulkColumns, BulkType, BulkValue, DetailText, Engine, PlacedDetail } from "../engine.ts";
import { wallAlone } from "../installation-clock.ts";
import { noMemory } from "../memory.ts";
import type { Tables, Trx } from "../schema.ts";
import { BulkRows, nodeSqliteDialect } from "./node-sqlite.ts";
import { eachRow, packRows } from "./packed-rows.ts";
import { giveBackPages } from "./sqlite-free-pages.ts";
import type { SqliteLog } from "./sqlite-log.ts";
import { SqliteThread } from "./sqlite-thread.ts";
import { unawaited } from "./unawaited.ts";

/** One connection in a thread of its own. */
export interface SqliteConnection {
  readonly db: Kysely<Tables>;
  /** JSON in UTF-8 by result. */
  readonly eachNumbers: Engine["eachNumbers"];
  readonly details: (results: readonly PlacedDetail[]) => Promise<ReadonlyMap<number, Buffer>>;
  /** Lets what was asked before finish. */
  readonly close: () => Promise<void>;
}

/** `readOnly`: for lists, beside the one that writes. */
export function connectSqlite(path: string, readOnly: boolean): SqliteConnection {
  const thread = new SqliteThread({ path, readOnly });
  const db = new Kysely<Tables>({ dialect: nodeSqliteDialect(thread, !readOnly) });
  return {
    db,
    eachNumbers: (query, _columns, each) => eachNumbers(thread, query, each),
    details: (results) => details(thread, results),
    async close() {
      // Kysely passes this on to the driver only when it was used.
      await db.destroy();
      await thread.close();
    },
  };
}

export interface SqliteParts {
  /** Of lists, beside the one that writes. */
  readonly reader: SqliteConnection;
  readonly writer: SqliteConnection;
  /** Null: a transaction that has ended survives the end of the process, but not a power cut. */
  readonly log: SqliteLog | null;
  readonly dictionary: number;
  /** Gives the folder up after all is closed. */
  readonly release: () => void;
}

/** SQLite in two threads. A transaction resolves once it is on disk. */
export function sqliteEngine({ reader, writer, log, dictionary, release }: SqliteParts): Engine {
  const { db } = writer;
  const { db: reads } = reader;
  return {
    kind: "sqlite",
    clock: wallAlone,
    memory: noMemory,
    db,
    reads,
    async transaction(work) {
      const answer = await db.transaction().execute(work);
      await log?.synced();
      return answer;
    },
    async insertMany(trx, table, columns, rows, suffix = "") {
      if (rows.length === 0) return;
      const names = Object.keys(columns);
      const text = `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")}) ${suffix}`;
      await trx.executeQuery(unawaited(CompiledQuery.raw(text, [bulk(columns, rows)])));
    },
    async updateMany(trx, table, keys, columns, rows) {
      if (rows.length === 0) return;
      const terms = Object.keys(columns).map((name, index) => `${name} = ?${index + 1}`);
      const text = `update ${table} set ${terms.slice(keys).join(", ")} where ${terms.slice(0, keys).join(" and ")}`;
      await trx.executeQuery(unawaited(CompiledQuery.raw(text, [bulk(columns, rows)])));
    },
    async send(trx, query) {
      await trx.executeQuery(unawaited(query.compile()));
    },
    eachNumbers: reader.eachNumbers,
    isAny: (column, values) =>
      sql`${typeof column === "string" ? sql.ref(column) : column} in (select value from json_each(${JSON.stringify(values)}))`,
    rowsInRanges: (
      table,
      ranges,
    ) => sql`(select key as no, value ->> 0 as lo, value ->> 1 as hi from json_each(${JSON.stringify(ranges)})) as r
      cross join ${sql.table(table)} as h on h.id >= r.lo and h.id < r.hi`,
    concatenated: (column) => sql`unhex(group_concat(hex(${sql.ref(column)}), ''))`,
    jsonWithout: (column, member) => sql`json_remove(${sql.ref(column)}, ${`$.${member}`})`,
    skipLocked: (query) => query,
    lockRows: (query) => query,
    lockReferredRows: (query) => query,
    keepRows: (query) => query,
    nextSessionNumbers,
    async prepareDays() {},
    insertDetails: (trx, details) => insertDetails(trx, dictionary, details),
    details: (results) => reader.details(results),
    dropDaysBefore: async () => 0,
    compact: () => giveBackPages(db),
    async close() {
      await reader.close();
      await writer.close();
      await log?.close(); // after it: what was under way is synced yet
      release();
    },
  };
}

async function eachNumbers(thread: SqliteThread, query: Compilable, each: Parameters<Engine["eachNumbers"]>[2]): Promise<void> {
  const { sql: text, parameters } = query.compile();
  const { numbers, rows = [] } = await thread.run(text, parameters as readonly SQLInputValue[]);
  if (numbers === undefined) for (const row of rows) each(row as readonly (number | null)[]);
  else eachRow(numbers, each as (row: readonly unknown[]) => void); // the query has no other columns
}

/** Unpacked in the thread, and handed over as one piece of memory: as texts they were copied six times on their way. */
async function details(thread: SqliteThread, results: readonly PlacedDetail[]): Promise<ReadonlyMap<number, Buffer>> {
  const packs = JSON.stringify([...new Set(results.map(({ pack }) => pack))]);
  const text = "select id, dictionary, body from result_details where id in (select value from json_each(?))";
  const { numbers } = await thread.run(text, [packs], { details: results });
  const found = new Map<number, Buffer>();
  if (numbers === undefined) return found;
  eachRow(numbers, ([id, bytes]) => {
    const { buffer, byteOffset, byteLength } = bytes as Uint8Array<ArrayBuffer>;
    found.set(id as number, Buffer.from(buffer, byteOffset, byteLength));
  });
  return found;
}

const detailColumns = { id: "int8", started_at_us: "int8", body: "text" } as const;

async function insertDetails(trx: Trx, dictionary: number, details: readonly DetailText[]): Promise<void> {
  if (details.length === 0) return;
  const text = `insert or replace into result_details (id, started_at_us, dictionary, body) values (?1, ?2, ${dictionary}, packed(?3, ${dictionary}))`;
  const rows = details.map((one) => [one.id, one.startedAtUs, one.text]);
  await trx.executeQuery(unawaited(CompiledQuery.raw(text, [bulk(detailColumns, rows)])));
}

function bulk(columns: BulkColumns, rows: readonly (readonly BulkValue[])[]): BulkRows {
  const columnsOf = (wanted: BulkType) => Object.values(columns).flatMap((type, index) => (type === wanted ? index : []));
  return new BulkRows(packRows(rows, { textColumns: columnsOf("text"), byteColumns: columnsOf("bytea") }));
}

async function nextSessionNumbers(trx: Trx, count: number): Promise<readonly number[]> {
  const { value } = await trx
    .updateTable("counters")
    .set((eb) => ({ value: eb("value", "+", count) }))
    .where("name", "=", "session")
    .returning("value")
    .executeTakeFirstOrThrow();
  return Array.from({ length: count }, (_, index) => value - count + 1 + index);
}
