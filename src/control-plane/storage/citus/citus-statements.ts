import { CompiledQuery, type Kysely, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import { unawaited } from "../dialects/unawaited.ts";
import type { Engine } from "../engine.ts";
import type { Tables } from "../schema.ts";
import { periodsOfCheck } from "../stores/analytics/periods.ts";

/*
 * What differs where `outpost migrate --distributed` spread the history over the workers of a Citus cluster: each row lies with its check, so
 * rows that have only a number that tells it (rollups), or a result's (details), have the check beside it and in their key.
 */

/** What `outpost migrate --distributed` spreads, in this order: details first, which ask the results for their checks. */
export const distributed = [
  "result_details",
  "results",
  "page_figures",
  "suite_runs",
  "result_assets",
  "rollup_hours",
  "rollup_days",
  "rollup_day_totals",
] as const;

/** By what the database says of itself. @throws {AppError} conflict where it is half done */
export async function isDistributed(db: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ knows: boolean; is_copy: boolean }>`select to_regclass('pg_dist_partition') is not null as knows,
    exists (select 1 from pg_attribute where attrelid = to_regclass('result_details') and attname = 'check_id' and not attisdropped) as is_copy`.execute(
    db,
  );
  const there = rows[0]?.knows === true ? await distributedTables(db) : new Set();
  if (there.size === 0 && rows[0]?.is_copy === true)
    throw new AppError(
      "conflict",
      "the database is a copy of a distributed one: run outpost migrate --distributed, on the coordinator of a Citus cluster",
    );
  const missing = distributed.filter((table) => !there.has(table));
  if (there.size > 0 && missing.length > 0)
    throw new AppError(
      "conflict",
      `the history is half distributed (not yet: ${missing.join(", ")}): run outpost migrate --distributed again`,
    );
  return missing.length === 0;
}

export async function distributedTables(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ name: string }>`select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

const isRollup = (table: string): boolean => table.startsWith("rollup_");

export function citusStatements(plain: Pick<Engine, "insertMany" | "rowsInRanges">): Pick<Engine, "insertMany" | "rowsInRanges"> {
  return {
    insertMany(trx, table, columns, rows, suffix = "") {
      if (!isRollup(table)) return plain.insertMany(trx, table, columns, rows, suffix);
      const withCheck = rows.map((row) => [Math.floor(Number(row[0]) / periodsOfCheck), ...row]);
      return plain.insertMany(trx, table, { check_id: "int8", ...columns }, withCheck, suffix.replace("(id)", "(check_id, id)"));
    },
    /** The checks by themselves name the nodes; a lateral query cannot be sent there. */
    rowsInRanges(table, ranges) {
      if (!isRollup(table)) return plain.rowsInRanges(table, ranges);
      const [lows, highs] = [ranges.map(([from]) => from), ranges.map(([, to]) => to)];
      const checks = [...new Set(lows.map((low) => Math.floor(low / periodsOfCheck)))];
      return sql`(select lo, hi, no - 1 as no, (lo / ${sql.lit(periodsOfCheck)})::int4 as check_id
          from unnest(${lows}::int8[], ${highs}::int8[]) with ordinality as u(lo, hi, no)) as r
        join (select * from ${sql.table(table)} where check_id = any(${checks}::int4[])) as h
          on h.check_id = r.check_id and h.id >= r.lo and h.id < r.hi`;
    },
  };
}

/** Bodies of details as one array literal. Nothing is there already: their results would have met it first. */
export function insertDetails(
  columns: readonly [ids: readonly number[], startedAtUs: readonly number[], bodies: string, checkIds: readonly number[]],
  dictionaryId: number,
) {
  const text = `insert into result_details (id, started_at_us, body, check_id, dictionary)
    select *, ${dictionaryId} from unnest($1::int8[], $2::int8[], $3::bytea[], $4::int4[])`;
  return unawaited(CompiledQuery.raw(text, [...columns]));
}
