import { sql } from "kysely";
import type { MetricColumn } from "../../analytics-store.ts";
import type { BulkColumns, Engine, NumberRange } from "../../engine.ts";
import type { RollupTable, Trx } from "../../schema.ts";
import type { RollupBytes } from "./rollup-rows.ts";
import { metricColumns } from "./tally.ts";

/** `rollup_day_totals` has a cell each of what passed, was degraded and failed, at no location and of no status. */
export const rollupTables = ["rollup_hours", "rollup_days", "rollup_day_totals"] as const;
export type RollupTableName = (typeof rollupTables)[number];

/** Ranges of one statement: a year of hours costs a few of them. */
const rangesOfOneRead = 2_000;

/** Rows whose numbers lie in a range, written one after another. */
export interface RangeBytes extends RollupBytes {
  /** Position of the range among those asked for. */
  readonly range: number;
}

/** Ranges without rows are left out. */
export async function readRollups(
  engine: Engine,
  table: RollupTableName,
  ranges: readonly NumberRange[],
  metrics: readonly MetricColumn[],
): Promise<readonly RangeBytes[]> {
  const found: RangeBytes[] = [];
  for (let first = 0; first < ranges.length; first += rangesOfOneRead) {
    const some = ranges.slice(first, first + rangesOfOneRead);
    const columns = (["cells", ...metrics.map(columnOf)] as const).map((name, index) => {
      return sql`${engine.concatenated(`h.${name}`)} as ${sql.ref(`c${index}`)}`;
    });
    const { rows } = await sql<{ no: number } & Record<string, Uint8Array>>`
      select r.no as no, ${sql.join(columns)} from ${engine.rowsInRanges(table, some)} group by r.no`.execute(engine.reads);
    for (const row of rows) {
      const bytes = metrics.map((_, index) => row[`c${index + 1}`] ?? nothing);
      found.push({ range: first + row.no, cells: row["c0"] ?? nothing, metrics: bytes });
    }
  }
  return found;
}

const nothing = new Uint8Array(0);

/** Replaces rows; `figures` null: the period has no results any more. */
export async function writeRollups(
  engine: Engine,
  trx: Trx,
  table: RollupTableName,
  periods: readonly { readonly id: number; readonly bytes: RollupBytes | null }[],
): Promise<void> {
  const gone = periods.filter(({ bytes }) => bytes === null).map(({ id }) => id);
  if (gone.length > 0) await trx.deleteFrom(table).where(engine.isAny("id", gone)).execute();
  const rows = periods.flatMap(({ id, bytes }) => (bytes === null ? [] : [[id, bytes.cells, ...bytes.metrics]]));
  await engine.insertMany(trx, table, columns, rows, replace);
}

const stored = ["cells", ...metricColumns.map(columnOf)] as const;
const columns: BulkColumns = { id: "int8", ...Object.fromEntries(stored.map((name) => [name, "bytea" as const])) };
const replace = `on conflict (id) do update set ${stored.map((name) => `${name} = excluded.${name}`).join(", ")}`;

function columnOf(metric: MetricColumn): Exclude<keyof RollupTable, "id" | "cells"> {
  return metric === "responseTime" ? "rt" : metric;
}
