import { type Selectable, sql } from "kysely";
import type { CountingDistribution } from "#domain/statistics/distribution.ts";
import type { MetricColumn, PageColumn } from "../../analytics-store.ts";
import type { Engine } from "../../engine.ts";
import type { ResultTable } from "../../schema.ts";
import { flag, resultTypes } from "../results/result-rows.ts";
import { hourMs } from "./periods.ts";
import type { Cell } from "./rollup-rows.ts";
import type { Tally } from "./tally.ts";

/** Results of a check that started from the first instant up to but without the second. */
export interface RawRange {
  readonly checkId: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** A FINAL that ran to its end, or an ATTEMPT; what was cancelled or the agent's own side spoiled counts nowhere. */
export type RawResult = Pick<Selectable<ResultTable>, "check_id" | "started_at_us" | "type" | "location_id" | "status" | "flags"> &
  Partial<Readonly<Record<"rt_us" | Exclude<PageColumn, "responseTime">, number | null>>>;

/** One statement reads no more: of checks that run every minute at four locations 48,000 rows. */
const sliceMs = 2 * hourMs;
const checksOfOneRead = 100;
/** Statements that PostgreSQL works on at the same time. */
const readsAtOnce = 4;

/** Reads ranges in slices, so that memory stays bounded and other reads have their turn. @param take gets the rows of one slice */
export async function readRaw(
  engine: Engine,
  ranges: readonly RawRange[],
  metrics: readonly MetricColumn[],
  take: (rows: readonly RawResult[]) => Promise<void> | void,
): Promise<void> {
  const slices = slicesOf(ranges);
  for (let first = 0; first < slices.length; first += readsAtOnce) {
    await Promise.all(slices.slice(first, first + readsAtOnce).map(async (slice) => take(await readSlice(engine, slice, metrics))));
  }
}

/** Adds one result to a tally whose metrics are these. */
export function count(tally: Tally<CountingDistribution>, row: RawResult, metrics: readonly PageColumn[]): void {
  if (row.type !== finalType) {
    tally.retries += 1;
    return;
  }
  tally.runs += 1;
  if (!hasFailed(row)) tally.passed += 1;
  if (isDegraded(row)) tally.degraded += 1;
  for (const [index, metric] of metrics.entries()) {
    const value = measured(row, metric);
    if (value !== null) tally.metrics[index]?.add(value);
  }
}

/** No answer takes no time at all: 0 is the response time of a run that sent nothing, or got nothing back. */
function measured(row: RawResult, metric: PageColumn): number | null {
  const value = row[columnOf(metric)] ?? null;
  return metric === "responseTime" && value === 0 ? null : value;
}

export function cellOf(row: RawResult): Cell {
  return { locationId: row.location_id, status: row.status, failed: hasFailed(row), degraded: isDegraded(row) };
}

/** Of ascending edges, the last one that is not after the instant. */
export function bucketAt(edgesMs: readonly number[], atMs: number): number {
  let [low, high] = [0, edgesMs.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((edgesMs[middle] ?? 0) <= atMs) low = middle;
    else high = middle;
  }
  return low;
}

const finalType = resultTypes.indexOf("FINAL");
const attemptType = resultTypes.indexOf("ATTEMPT");

function hasFailed(row: RawResult): boolean {
  return (row.flags & (flag.failures | flag.errors)) !== 0;
}

function isDegraded(row: RawResult): boolean {
  return !hasFailed(row) && (row.flags & flag.degraded) !== 0;
}

function columnOf<C extends PageColumn>(metric: C): "rt_us" | Exclude<C, "responseTime"> {
  return metric === "responseTime" ? "rt_us" : (metric as Exclude<C, "responseTime">);
}

interface Slice {
  readonly checkIds: readonly number[];
  readonly fromMs: number;
  readonly toMs: number;
}

/** Ranges of the same time are read together, whichever check they are of. Slices end with hours of even number, so never in two days. */
function slicesOf(ranges: readonly RawRange[]): readonly Slice[] {
  const byTime = Map.groupBy(ranges, ({ fromMs, toMs }) => `${fromMs}.${toMs}`);
  const slices: Slice[] = [];
  for (const [first, ...others] of byTime.values()) {
    if (!first) continue;
    const checkIds = [first, ...others].map(({ checkId }) => checkId);
    for (let from = first.fromMs; from < first.toMs; ) {
      const to = Math.min(first.toMs, (Math.floor(from / sliceMs) + 1) * sliceMs);
      for (let at = 0; at < checkIds.length; at += checksOfOneRead) {
        slices.push({ checkIds: checkIds.slice(at, at + checksOfOneRead), fromMs: from, toMs: to });
      }
      from = to;
    }
  }
  return slices;
}

const rawColumns = ["check_id", "started_at_us", "type", "location_id", "status", "flags"] as const;

async function readSlice(
  engine: Engine,
  { checkIds, fromMs, toMs }: Slice,
  metrics: readonly MetricColumn[],
): Promise<readonly RawResult[]> {
  const ofMetrics = metrics.map(columnOf);
  const query = engine.reads
    .selectFrom("results")
    .select([...rawColumns, ...ofMetrics])
    .where(engine.isAny("check_id", checkIds))
    .where("started_at_us", ">=", fromMs * 1_000)
    .where("started_at_us", "<", toMs * 1_000)
    .where("type", "in", [finalType, attemptType])
    .where(sql<number>`flags & ${sql.lit(flag.cancelled | flag.agentSide)}`, "=", 0);
  const rows: RawResult[] = [];
  await engine.eachNumbers(query, [...rawColumns, ...ofMetrics], (row) => rows.push(rawResult(row, ofMetrics)));
  return rows;
}

/** Of the columns of `rawColumns`, which are never null, and those of metrics. */
function rawResult(row: readonly (number | null)[], ofMetrics: readonly ReturnType<typeof columnOf>[]): RawResult {
  const [check_id = 0, started_at_us = 0, type = 0, location_id = 0, status = 0, flags = 0] = row as readonly number[];
  const raw: { -readonly [K in keyof RawResult]: RawResult[K] } = { check_id, started_at_us, type, location_id, status, flags };
  for (let index = 0; index < ofMetrics.length; index += 1) {
    const column = ofMetrics[index];
    if (column !== undefined) raw[column] = row[rawColumns.length + index] ?? null;
  }
  return raw;
}
