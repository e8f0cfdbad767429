import type { CountingDistribution } from "#domain/statistics/distribution.ts";
import { ExactValues } from "#domain/statistics/exact-values.ts";
import { Sketch } from "#domain/statistics/sketch.ts";
import type { MetricColumn, RunFigures } from "../../analytics-store.ts";
import type { Engine } from "../../engine.ts";
import { hourMs, periodId } from "./periods.ts";
import { type PeriodRange, planReading, type ReadingPlan } from "./plan.ts";
import { count, readRaw } from "./raw-results.ts";
import { mergeRollups } from "./rollup-rows.ts";
import { readStates } from "./rollup-state.ts";
import { type RollupTableName, readRollups } from "./stored-rollups.ts";
import { Tally } from "./tally.ts";

/** Checks that are read together: what the engine answers for them are some megabytes. */
const checksAtOnce = 250;

export interface SummaryQuery {
  readonly checkIds: readonly number[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly metrics: readonly MetricColumn[];
}

/** See `AnalyticsStore.summarize`. */
export async function summarize(engine: Engine, query: SummaryQuery): Promise<ReadonlyMap<number, RunFigures>> {
  const summary = new Map<number, RunFigures>();
  if (query.fromMs >= query.toMs) return summary;
  const ids = [...new Set(query.checkIds)];
  for (let first = 0; first < ids.length; first += checksAtOnce) {
    for (const [id, tally] of await talliesOf(engine, { ...query, checkIds: ids.slice(first, first + checksAtOnce) })) {
      if (tally.runs + tally.retries > 0) summary.set(id, tally.figures(query.metrics));
    }
  }
  return summary;
}

type Tallies = ReadonlyMap<number, Tally<CountingDistribution>>;

async function talliesOf(engine: Engine, { checkIds, fromMs, toMs, metrics }: SummaryQuery): Promise<Tallies> {
  const states = await readStates(engine, checkIds, Math.floor(fromMs / hourMs), Math.ceil(toMs / hourMs));
  const plans = new Map([...states].map(([id, state]) => [id, planReading([fromMs, toMs], state)]));
  const sketched = new Map<number, Tally>();
  const exact = new Map<number, Tally<ExactValues>>();
  for (const [id, plan] of plans) {
    const isExact = toMs - fromMs <= hourMs && plan.days.length + plan.hours.length === 0;
    if (isExact) exact.set(id, new Tally(metrics, () => new ExactValues()));
    else sketched.set(id, new Tally(metrics, () => new Sketch()));
  }
  const tallies: Tallies = new Map<number, Tally<CountingDistribution>>([...sketched, ...exact]);
  const raw = [...plans].flatMap(([checkId, plan]) => plan.raw.map((range) => ({ checkId, ...range })));
  await Promise.all([
    addRollups(engine, "rollup_day_totals", plans, (plan) => plan.days, sketched, metrics),
    addRollups(engine, "rollup_hours", plans, (plan) => plan.hours, sketched, metrics),
    readRaw(engine, raw, metrics, (rows) => {
      for (const row of rows) {
        const tally = tallies.get(row.check_id);
        if (tally) count(tally, row, metrics);
      }
    }),
  ]);
  return tallies;
}

async function addRollups(
  engine: Engine,
  table: RollupTableName,
  plans: ReadonlyMap<number, ReadingPlan>,
  periodsOf: (plan: ReadingPlan) => readonly PeriodRange[],
  tallies: ReadonlyMap<number, Tally>,
  metrics: readonly MetricColumn[],
): Promise<void> {
  const periods = [...plans].flatMap(([checkId, plan]) => periodsOf(plan).map(({ from, to }) => ({ checkId, from, to })));
  const ranges = periods.map(({ checkId, from, to }) => [periodId(checkId, from), periodId(checkId, to)] as const);
  for (const { range, ...bytes } of await readRollups(engine, table, ranges, metrics)) {
    const tally = tallies.get(periods[range]?.checkId ?? 0);
    mergeRollups(bytes, () => tally);
  }
}
