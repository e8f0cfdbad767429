import { ExactValues } from "#domain/statistics/exact-values.ts";
import { Sketch } from "#domain/statistics/sketch.ts";
import type { AnalyticsQuery, AnalyticsRow } from "../../analytics-store.ts";
import type { Engine } from "../../engine.ts";
import type { LocationCodes } from "../location-codes.ts";
import { hourMs, periodId } from "./periods.ts";
import { type PeriodRange, planReading, type ReadingPlan } from "./plan.ts";
import { bucketAt, cellOf, count, type RawResult, readRaw } from "./raw-results.ts";
import { type Cell, locationsIn, mergeRollups } from "./rollup-rows.ts";
import { readStates } from "./rollup-state.ts";
import { type RollupTableName, readRollups } from "./stored-rollups.ts";
import { type Group, TallyBook } from "./tally-book.ts";

/** See `AnalyticsStore.analyze`. */
export async function analyze(engine: Engine, codes: LocationCodes, query: AnalyticsQuery): Promise<readonly AnalyticsRow[]> {
  const { checkId, edgesMs } = query;
  const [fromMs, toMs] = [edgesMs[0] ?? 0, edgesMs.at(-1) ?? 0];
  if (fromMs >= toMs) return [];
  const states = await readStates(engine, [checkId], Math.floor(fromMs / hourMs), Math.ceil(toMs / hourMs));
  const state = states.get(checkId);
  if (!state) return [];
  const analysis = new Analysis(engine, codes, query, planReading(edgesMs, state));
  await analysis.read();
  return analysis.rows();
}

class Analysis {
  readonly #engine: Engine;
  readonly #codes: LocationCodes;
  readonly #query: AnalyticsQuery;
  readonly #plan: ReadingPlan;
  readonly #codeOf = new Map<number, string>();
  readonly #sketched: TallyBook<Sketch>;
  readonly #exact: TallyBook<ExactValues>;
  readonly #withRollups: ReadonlySet<number>;

  constructor(engine: Engine, codes: LocationCodes, query: AnalyticsQuery, plan: ReadingPlan) {
    this.#engine = engine;
    this.#codes = codes;
    this.#query = query;
    this.#plan = plan;
    this.#sketched = new TallyBook(query.metrics, (metric) => new Sketch({ hasBuckets: query.sumsOnly?.has(metric) !== true }));
    this.#exact = new TallyBook(query.metrics, () => new ExactValues());
    this.#withRollups = new Set([...plan.days, ...plan.hours].map(({ bucket }) => bucket));
  }

  async read(): Promise<void> {
    const { checkId, metrics } = this.#query;
    const raw = this.#plan.raw.map((range) => ({ checkId, ...range }));
    await Promise.all([
      this.#readRollups(this.#query.groupBy === null ? "rollup_day_totals" : "rollup_days", this.#plan.days),
      this.#readRollups("rollup_hours", this.#plan.hours),
      readRaw(this.#engine, raw, metrics, (rows) => this.#addResults(rows)),
    ]);
  }

  rows(): readonly AnalyticsRow[] {
    return [...this.#sketched.entries(), ...this.#exact.entries()]
      .map(({ bucket, group, tally }) => ({ bucket, group, ...tally.figures(this.#query.metrics) }))
      .toSorted((a, b) => a.bucket - b.bucket || compareGroups(a.group, b.group));
  }

  async #readRollups(table: RollupTableName, periods: readonly PeriodRange[]): Promise<void> {
    const { checkId, metrics } = this.#query;
    const ranges = periods.map(({ from, to }) => [periodId(checkId, from), periodId(checkId, to)] as const);
    const found = await readRollups(this.#engine, table, ranges, metrics);
    for (const bytes of found) await this.#learnCodes(locationsIn(bytes));
    for (const { range, ...bytes } of found) {
      const bucket = periods[range]?.bucket ?? 0;
      mergeRollups(bytes, (cell) => (this.#counts(cell) ? this.#sketched.tallyOf(bucket, this.#groupOf(cell)) : undefined));
    }
  }

  async #addResults(rows: readonly RawResult[]): Promise<void> {
    await this.#learnCodes(new Set(rows.map((row) => row.location_id)));
    for (const row of rows) {
      const cell = cellOf(row);
      if (!this.#counts(cell)) continue;
      const bucket = bucketAt(this.#query.edgesMs, row.started_at_us / 1_000);
      const book = this.#isExact(bucket) ? this.#exact : this.#sketched;
      count(book.tallyOf(bucket, this.#groupOf(cell)), row, this.#query.metrics);
    }
  }

  /** Longer ones would hold too many values. */
  #isExact(bucket: number): boolean {
    const { edgesMs } = this.#query;
    return !this.#withRollups.has(bucket) && (edgesMs[bucket + 1] ?? 0) - (edgesMs[bucket] ?? 0) <= hourMs;
  }

  #counts({ failed }: Cell): boolean {
    return this.#query.outcome === null || failed === (this.#query.outcome === "failure");
  }

  #groupOf({ locationId, status }: Cell): Group {
    if (this.#query.groupBy === "location") return this.#codeOf.get(locationId) ?? "";
    return this.#query.groupBy === "statusCode" && status !== 0 ? status : null;
  }

  /** A removed location and its successor have one code, and are one group. */
  async #learnCodes(locationIds: ReadonlySet<number>): Promise<void> {
    if (this.#query.groupBy !== "location") return;
    const unknown = [...locationIds].filter((id) => !this.#codeOf.has(id));
    if (unknown.length === 0) return;
    const codes = await this.#codes.of(unknown);
    for (const [index, id] of unknown.entries()) this.#codeOf.set(id, codes[index] ?? "");
  }
}

/** Without a code first, then by number or by the letters of the code. */
function compareGroups(a: Group, b: Group): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  return a < b ? -1 : Number(a > b);
}
