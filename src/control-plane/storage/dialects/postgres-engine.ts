import { type Compilable, CompiledQuery, type Kysely, type RawBuilder, sql } from "kysely";
import { citusStatements, insertDetails as insertWithChecks } from "../citus/citus-statements.ts";
import { unpackText } from "../details/compression.ts";
import { dayUs, detailsIn, startOfDay } from "../details/detail-packs.ts";
import { Dictionaries, type Dictionary } from "../details/dictionaries.ts";
import { PackingThread } from "../details/packing-thread.ts";
import type { BulkColumns, BulkValue, DetailText, Engine, NumberRange, PlacedDetail } from "../engine.ts";
import { wallAlone } from "../installation-clock.ts";
import { noMemory } from "../memory.ts";
import type { Tables, Trx } from "../schema.ts";
import { gaveWay, missingPartition } from "./database-errors.ts";
import { Partitions } from "./postgres-partitions.ts";
import { unawaited } from "./unawaited.ts";

const maxTries = 4;

/** PostgreSQL 15 or later. Any number of processes may share one database. */
export function postgresEngine(db: Kysely<Tables>, dictionary: Dictionary, kind: "postgres" | "citus" = "postgres"): Engine {
  const dictionaries = new Dictionaries(db);
  const partitions = new Partitions(db);
  const packing = new PackingThread(dictionary.body);
  return {
    kind,
    clock: wallAlone,
    memory: noMemory,
    db,
    reads: db,
    transaction: (work) => transaction(db, partitions, work),
    ...(kind === "citus" ? citusStatements({ insertMany, rowsInRanges }) : { insertMany, rowsInRanges }),
    async updateMany(trx, table, keys, columns, rows) {
      if (rows.length === 0) return;
      const names = Object.keys(columns);
      const sets = names.slice(keys).map((name) => `${name} = u.${name}`);
      const matches = names.slice(0, keys).map((name) => `t.${name} = u.${name}`);
      const text = `update ${table} t set ${sets.join(", ")} from ${unnest(columns)} as u(${names.join(", ")}) where ${matches.join(" and ")}`;
      await trx.executeQuery(unawaited(CompiledQuery.raw(text, byColumn(columns, rows))));
    },
    send,
    eachNumbers: (query, columns, each) => eachNumbers(db, query, columns, each),
    isAny,
    concatenated: (column) => sql`string_agg(${sql.ref(column)}, ''::bytea)`,
    jsonWithout: (column, member) => sql`(${sql.ref(column)}::jsonb - ${member}::text)::text`,
    skipLocked: (query) => query.forUpdate().skipLocked(),
    lockRows: (query) => query.forNoKeyUpdate(),
    lockReferredRows: (query) => query.forUpdate(),
    keepRows: (query) => query.forKeyShare(),
    async nextSessionNumbers(trx, count) {
      const { rows } = await sql<{ no: number }>`select nextval('session_no') as no from generate_series(1, ${count})`.execute(trx);
      return rows.map((row) => row.no);
    },
    prepareDays: (startedAtUs) => partitions.ensure(startedAtUs),
    insertDetails: (trx, details) => insertDetails(trx, packing, dictionary.id, details, kind),
    details: (results, fromUs, toUs, trx) => readDetails(trx ?? db, dictionaries, results, { fromUs, toUs, kind }),
    dropDaysBefore: (before) => partitions.dropBefore(before),
    compact: async () => false,
    async close() {
      await db.destroy();
      await packing.close();
    },
  };
}

const insertMany: Engine["insertMany"] = async (trx, table, columns, rows, suffix = "") => {
  if (rows.length === 0) return;
  const text = `insert into ${table} (${Object.keys(columns).join(", ")}) select * from ${unnest(columns)} ${suffix}`;
  await trx.executeQuery(unawaited(CompiledQuery.raw(text, byColumn(columns, rows))));
};

const send: Engine["send"] = async (trx, query) => {
  await trx.executeQuery(unawaited(query.compile()));
};

const isAny: Engine["isAny"] = (column, values) => {
  const type = typeof values[0] === "string" ? "text[]" : "int8[]";
  // Nothing tells what none would be of.
  if (values.length === 0) return sql`false`;
  return sql`${typeof column === "string" ? sql.ref(column) : column} = any(${values}::${sql.raw(type)})`;
};

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

/** Each column comes as one text: of thousands of rows pg would make an object and thousands of texts. */
async function eachNumbers(
  db: Kysely<Tables>,
  query: Compilable,
  columns: readonly string[],
  each: Parameters<Engine["eachNumbers"]>[2],
): Promise<void> {
  const { sql: text, parameters } = query.compile();
  const asText = columns.map((name) => `json_agg(q."${name}")::text as "${name}"`).join(", ");
  const { rows } = await db.executeQuery<Record<string, string | null>>(
    CompiledQuery.raw(`select ${asText} from (${text}) as q`, [...parameters]),
  );
  const values = columns.map((name) => JSON.parse(rows[0]?.[name] ?? "[]") as (number | null)[]);
  const row: (number | null)[] = columns.map(() => null);
  for (let index = 0; index < (values[0]?.length ?? 0); index += 1) {
    for (let column = 0; column < row.length; column += 1) row[column] = values[column]?.[index] ?? null;
    each(row);
  }
}

async function readDetails(
  db: Kysely<Tables>,
  dictionaries: Dictionaries,
  results: readonly PlacedDetail[],
  { fromUs, toUs, kind }: { readonly fromUs: number; readonly toUs: number; readonly kind: Engine["kind"] },
): ReturnType<Engine["details"]> {
  const packs = [...new Set(results.map(({ pack }) => pack))];
  let query = db
    .selectFrom("result_details")
    .select(["id", "dictionary", "body"])
    .where(isAny("id", packs))
    .where("started_at_us", ">=", startOfDay(fromUs))
    .where("started_at_us", "<", startOfDay(toUs) + dayUs);
  if (kind === "citus") query = query.where(isAny("check_id", [...new Set(results.map(({ checkId }) => checkId))]));
  const rows = await query.execute();
  const texts = new Map<number, Buffer>();
  for (const row of rows) texts.set(row.id, unpackText(row.body, await dictionaries.body(row.dictionary)));
  return detailsIn(texts, results);
}

async function insertDetails(
  trx: Trx,
  packing: PackingThread,
  dictionaryId: number,
  details: readonly DetailText[],
  kind: Engine["kind"],
): Promise<void> {
  if (details.length === 0) return;
  const bodies = await packing.arrayLiteral(details.map((one) => one.text));
  const text = `insert into result_details (id, started_at_us, body, dictionary) select *, ${dictionaryId} from unnest($1::int8[], $2::int8[], $3::bytea[])
    on conflict (id, started_at_us) do update set dictionary = excluded.dictionary, body = excluded.body`;
  const values = [details.map((one) => one.id), details.map((one) => one.startedAtUs), bodies] as const;
  const spread = [...values, details.map((one) => one.checkId)] as const;
  await trx.executeQuery(kind === "citus" ? insertWithChecks(spread, dictionaryId) : unawaited(CompiledQuery.raw(text, [...values])));
}

function unnest(columns: BulkColumns): string {
  return `unnest(${Object.values(columns)
    .map((type, index) => `$${index + 1}::${type}[]`)
    .join(", ")})`;
}

/** `unnest` takes one array per column. Written here as text: pg's own way costs a regular expression per element. */
function byColumn(columns: BulkColumns, rows: readonly (readonly BulkValue[])[]): string[] {
  return Object.keys(columns).map((_, index) => `{${rows.map((row) => element(row[index] ?? null)).join(",")}}`);
}

function element(value: BulkValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString("hex")}"`;
  return `"${value.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** A join of bounds looks as if it kept a ninth of the table, so the planner would read all of it for each range. `offset 0` keeps them apart. */
function rowsInRanges(table: string, ranges: readonly NumberRange[]): RawBuilder<unknown> {
  const [lows, highs] = [ranges.map(([from]) => from), ranges.map(([, to]) => to)];
  return sql`(select lo, hi, no - 1 as no from unnest(${lows}::int8[], ${highs}::int8[]) with ordinality as u(lo, hi, no)) as r
    cross join lateral (select * from ${sql.table(table)} where id >= r.lo and id < r.hi offset 0) as h`;
}
