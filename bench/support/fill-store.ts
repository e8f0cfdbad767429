import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { packText } from "../../src/control-plane/storage/details/compression.ts";
import { openPostgres } from "../../src/control-plane/storage/dialects/postgres.ts";
import { Partitions } from "../../src/control-plane/storage/dialects/postgres-partitions.ts";
import { resultsOfMinute, type SeededRow } from "./seeded-results.ts";

/*
 * Writes seeded results straight into the tables of a closed store, without the rules of ingest: ten million in minutes. Each has a
 * detail out of some hundred; every hour is marked for the rollups, which the store's own code computes afterwards.
 */

export interface Filling {
  readonly fromMs: number;
  readonly toMs: number;
  /** Ids of checks and locations in the store, by the number that the seeded row says. */
  readonly checkIds: readonly number[];
  readonly locationIds: readonly number[];
  readonly details: readonly unknown[];
}

const periods = 2 ** 20;
const rowsOfBatch = 20_000;

/** @returns results written */
export function fillSqlite(path: string, filling: Filling): number {
  const db = new DatabaseSync(path);
  for (const pragma of ["journal_mode = wal", "synchronous = off", "cache_size = -1048576", "wal_autocheckpoint = 20000"])
    db.exec(`pragma ${pragma}`);
  const dictionary = db.prepare("select id, body from dictionaries order by id desc limit 1").get() as { id: number; body: Uint8Array };
  const bodies = packed(filling.details, dictionary.body);
  const result = db.prepare(`insert into results (${columns.join(", ")}) values (${columns.map(() => "?").join(", ")})`);
  const detail = db.prepare("insert into result_details (id, started_at_us, dictionary, body) values (?, ?, ?, ?)");
  let written = 0;
  // In the order of the details' key; the results' own pages all fit in the cache.
  for (const batch of batches(filling)) {
    db.exec("begin");
    for (const row of batch) {
      result.run(...valuesOf(row, filling));
      detail.run(row.id, row.startedAtMs * 1_000, dictionary.id, bodies[row.id % bodies.length] ?? null);
    }
    db.exec("commit");
    written += batch.length;
  }
  db.exec(`insert into dirty_hours (id, mark) select distinct check_id * ${periods} + started_at_us / 3600000000, 1 from results
    where started_at_us >= ${filling.fromMs * 1_000} on conflict do nothing`);
  db.exec("pragma wal_checkpoint(truncate)");
  db.close();
  return written;
}

/** @returns results written */
export async function fillPostgres(databaseUrl: string, filling: Filling): Promise<number> {
  await makePartitions(databaseUrl, filling);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ id: string; body: Uint8Array }>("select id, body from dictionaries order by id desc limit 1");
  const [dictionary] = rows;
  if (!dictionary) throw new Error("the store has no dictionary");
  const bodies = packed(filling.details, dictionary.body).map((body) => `"\\\\x${Buffer.from(body).toString("hex")}"`);
  const arrays = columns.map((_, index) => `$${index + 1}::int8[]`).join(", ");
  let written = 0;
  for (const batch of batches(filling)) {
    const values = batch.map((row) => valuesOf(row, filling));
    const byColumn = columns.map((_, column) => `{${values.map((row) => row[column]).join(",")}}`);
    await client.query(`insert into results (${columns.join(", ")}) select * from unnest(${arrays})`, byColumn);
    await client.query(
      `insert into result_details (id, started_at_us, body, dictionary) select *, ${dictionary.id} from unnest($1::int8[], $2::int8[], $3::bytea[])`,
      [
        `{${batch.map((row) => row.id).join(",")}}`,
        `{${batch.map((row) => row.startedAtMs * 1_000).join(",")}}`,
        `{${batch.map((row) => bodies[row.id % bodies.length]).join(",")}}`,
      ],
    );
    written += batch.length;
  }
  await client.query(
    `insert into dirty_hours (id, mark) select distinct check_id::bigint * ${periods} + started_at_us / 3600000000, 1 from results
      where started_at_us >= ${filling.fromMs * 1_000} on conflict do nothing`,
  );
  await client.query("vacuum analyze");
  await client.end();
  return written;
}

export type Row = Readonly<Record<string, unknown>>;

export function askSqlite(path: string, text: string): readonly Row[] {
  const db = new DatabaseSync(path);
  try {
    return db.prepare(text).all();
  } finally {
    db.close();
  }
}

export async function askPostgres(databaseUrl: string, text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const columns =
  "check_id started_at_us id type location_id status flags rt_us dur_us m1 m2 m3 m4 m5 m6 run_at created_at queued_ms loop_us digest".split(
    " ",
  );

function valuesOf(row: SeededRow, { checkIds, locationIds }: Filling): readonly number[] {
  const [total = 0, ...phases] = row.timesUs;
  const place = [checkIds[row.checkNo] ?? 0, row.startedAtMs * 1_000, row.id, row.type, locationIds[row.location] ?? 0];
  const rest = [Math.floor(row.startedAtMs / 60_000) * 60_000, row.startedAtMs + 500, 12, 400, row.id % 2 ** 40];
  return [...place, row.status, row.flags, total, total + 1_000, ...phases, ...rest];
}

function* batches({ fromMs, toMs, checkIds }: Filling): Generator<readonly SeededRow[]> {
  let batch: SeededRow[] = [];
  for (let minute = Math.ceil(fromMs / 60_000); minute < Math.floor(toMs / 60_000); minute += 1) {
    batch.push(...resultsOfMinute(minute, checkIds.length));
    if (batch.length < rowsOfBatch) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

function packed(details: readonly unknown[], dictionary: Uint8Array): readonly Uint8Array[] {
  return details.map((detail) => packText(JSON.stringify({ errorMessage: null, detail }), dictionary));
}

export async function makePartitions(databaseUrl: string, { fromMs, toMs }: Pick<Filling, "fromMs" | "toMs">): Promise<void> {
  const db = openPostgres(databaseUrl, 1);
  const days = Array.from({ length: Math.ceil((toMs - fromMs) / 86_400_000) + 1 }, (_, day) => (fromMs + day * 86_400_000) * 1_000);
  await new Partitions(db).ensure(days);
  await db.destroy();
}
