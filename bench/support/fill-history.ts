import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { packText } from "../../src/control-plane/storage/details/compression.ts";
import { dayOfHour, hourMs } from "../../src/control-plane/storage/stores/analytics/periods.ts";
import { makePartitions, type Row } from "./fill-store.ts";
import { detailColumn, historyTables, type Place, resultColumns } from "./history-rows.ts";

/*
 * Fills a closed store with a history of any size, an hour at a time, in time's own order, with the engine's own SQL: some 200,000 results a
 * second and core on SQLite. What is there already is kept, so a fill that was stopped goes on. Rollups are some of the same shape, written
 * beside the results; details are those of the last hours.
 */

export interface History {
  readonly fromMs: number;
  readonly toMs: number;
  readonly places: readonly Place[];
  readonly details: readonly unknown[];
}

/** One connection to either engine. */
interface Sql {
  readonly run: (text: string) => Promise<void>;
  readonly ask: (text: string) => Promise<readonly Row[]>;
  readonly insertPacks: (
    rows: readonly (readonly [id: number, startedAtUs: number, body: Uint8Array])[],
    dictionary: number,
  ) => Promise<void>;
  readonly end: () => Promise<void>;
}

const detailHours = 6;
const periods = 2 ** 20;
const rollupColumns = ["cells", "rt", "m1", "m2", "m3", "m4", "m5", "m6"].join(", ");

/** @param store the path of a SQLite file, or the URL of a database @param tell what is done so far */
export async function fillHistory(store: string, history: History, tell: (text: string) => void): Promise<void> {
  const isPostgres = store.startsWith("postgres");
  if (isPostgres) await makePartitions(store, history);
  const sql = isPostgres ? await postgres(store) : sqlite(store);
  try {
    await fill(sql, history, isPostgres, tell);
  } finally {
    await sql.end();
  }
}

async function fill(sql: Sql, history: History, isPostgres: boolean, tell: (text: string) => void): Promise<void> {
  for (const text of historyTables(history.places, isPostgres)) await sql.run(text);
  const last = Math.floor(history.toMs / hourMs);
  for (let hour = await firstMissing(sql, history); hour <= last; hour += 1) {
    await fillHour(sql, hour, { ...history, isPostgres, withDetails: hour > last - detailHours, isWhole: hour < last });
    if (hour % 24 === 23) tell(`filled up to ${new Date((hour + 1) * hourMs).toISOString()}`);
    if (isPostgres && (hour % 24 === 23 || hour === last)) await sql.run(`vacuum analyze ${partitionOf(hour)}`);
  }
  if (isPostgres)
    for (const table of ["rollup_hours", "rollup_days", "rollup_day_totals", "results", "checks", "result_details"])
      await sql.run(`vacuum analyze ${table}`);
  else await sql.run("pragma wal_checkpoint(truncate)");
}

async function firstMissing(sql: Sql, { fromMs, places }: History): Promise<number> {
  const lowest = (places[0]?.checkId ?? 0) * periods;
  const [done] = await sql.ask(
    `select coalesce(max(id), 0) as id from rollup_hours where id between ${lowest} and ${lowest + periods - 1}`,
  );
  return Math.max(Math.floor(fromMs / hourMs), (Number(done?.["id"]) % periods) + 1);
}

function partitionOf(hour: number): string {
  return `results_${new Date(hour * hourMs).toISOString().slice(0, 10).replaceAll("-", "")}`;
}

interface Hour extends History {
  readonly isPostgres: boolean;
  readonly withDetails: boolean;
  /** The last one goes up to `toMs`, and has no rollup. */
  readonly isWhole: boolean;
}

async function fillHour(sql: Sql, hour: number, { toMs, details, isPostgres, withDetails, isWhole }: Hour): Promise<void> {
  const minutes = isWhole ? 60 : Math.floor(toMs / 60_000) % 60;
  if (minutes === 0) return;
  await sql.run("begin");
  // Rows lie in time's order in PostgreSQL, and in that of checks in SQLite, however they came.
  const order = isPostgres ? "order by m.minute, p.no" : "";
  await sql.run(
    `insert into results (${resultColumns.map(([name]) => name).join(", ")}, detail_pack)
    select ${resultColumns.map(([, expression]) => expression).join(", ")}, ${withDetails ? detailColumn : "null"}
    from bench_places p cross join bench_minutes m join bench_templates t on t.no = ((m.minute + ${hour * 60}) * 31 + p.no * 7919) % 4096
    where m.minute < ${minutes} and (m.minute + ${hour * 60} + p.check_no) % p.every = 0 ${order} on conflict do nothing`.replaceAll(
      "$hour",
      String(hour),
    ),
  );
  if (isWhole) await fillRollups(sql, hour);
  else
    await sql.run(
      `insert into dirty_hours (id, mark) select id * ${periods} + ${hour}, 1 from bench_checks where true on conflict do nothing`,
    );
  if (withDetails) await fillDetails(sql, hour, details);
  await sql.run("commit");
}

async function fillRollups(sql: Sql, hour: number): Promise<void> {
  const insert = (table: string, period: number): string => `insert into ${table} (id, ${rollupColumns})
    select c.id * ${periods} + ${period}, ${rollupColumns} from bench_checks c
    join bench_rollups r on r.of_table = '${table}' and r.kind = c.kind and r.variant = (c.no * 7 + ${period}) % 64 where true on conflict do nothing`;
  await sql.run(insert("rollup_hours", hour));
  await sql.run(`delete from dirty_hours where id in (select id * ${periods} + ${hour} from bench_checks)`);
  if (hour % 24 !== 23) return;
  for (const table of ["rollup_days", "rollup_day_totals"]) await sql.run(insert(table, dayOfHour(hour)));
}

async function fillDetails(sql: Sql, hour: number, details: readonly unknown[]): Promise<void> {
  const [dictionary] = await sql.ask("select id, body from dictionaries order by id desc limit 1");
  const body = dictionary?.["body"] as Uint8Array;
  const texts = details.map((detail) => JSON.stringify({ errorMessage: null, detail }));
  const [fromUs, toUs] = [hour * hourMs * 1_000, (hour + 1) * hourMs * 1_000];
  const rows = await sql.ask(`select r.id, r.started_at_us, r.detail_pack from bench_checks c cross join results r
    where r.check_id = c.id and r.started_at_us >= ${fromUs} and r.started_at_us < ${toUs}`);
  const packs = Map.groupBy(rows, (row) => Number(row["detail_pack"]));
  const packed = [...packs].map(([id, members]) => {
    const text = members.map((row) => `\n${Number(row["id"])} ${texts[(Number(row["id"]) % 499) % texts.length]}`).join("");
    return [id, Math.max(...members.map((row) => Number(row["started_at_us"]))), packText(text, body)] as const;
  });
  await sql.insertPacks(
    packed.toSorted(([a], [b]) => a - b),
    Number(dictionary?.["id"]),
  );
}

function sqlite(path: string): Sql {
  const db = new DatabaseSync(path);
  for (const pragma of [
    "journal_mode = wal",
    "synchronous = off",
    "cache_size = -1048576",
    "wal_autocheckpoint = 20000",
    "temp_store = memory",
  ])
    db.exec(`pragma ${pragma}`);
  const insert = db.prepare("insert or ignore into result_details (id, started_at_us, dictionary, body) values (?, ?, ?, ?)");
  return {
    run: async (text) => db.exec(text),
    ask: async (text) => db.prepare(text).all(),
    async insertPacks(rows, dictionary) {
      for (const [id, startedAtUs, body] of rows) insert.run(id, startedAtUs, dictionary, body);
    },
    end: async () => db.close(),
  };
}

async function postgres(url: string): Promise<Sql> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("set synchronous_commit = off");
  return {
    run: async (text) => void (await client.query(text)),
    ask: async (text) => (await client.query<Row>(text)).rows,
    async insertPacks(rows, dictionary) {
      for (let first = 0; first < rows.length; first += 5_000) {
        const some = rows.slice(first, first + 5_000);
        await client.query(
          `insert into result_details (id, started_at_us, body, dictionary) select *, ${dictionary} from unnest($1::int8[], $2::int8[], $3::bytea[])
            on conflict do nothing`,
          [some.map(([id]) => id), some.map(([, at]) => at), some.map(([, , bytes]) => Buffer.from(bytes))],
        );
      }
    },
    end: () => client.end(),
  };
}
