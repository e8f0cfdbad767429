import type { CountingDistribution } from "#domain/statistics/distribution.ts";
import { ExactValues } from "#domain/statistics/exact-values.ts";
import { Sketch } from "#domain/statistics/sketch.ts";
import type { MetricColumn, RunFigures } from "../../analytics-store.ts";
import type { Engine } from "../../engine.ts";
import { hourMs, periodId } from "./periods.ts";
import { type PeriodRange, planReading, type ReadingPlan, type RollupState } from "./plan.ts";
import { count, readRaw } from "./raw-results.ts";
import { mergeRollups } from "./rollup-rows.ts";
import { readStates } from "./rollup-state.ts";
import { type RollupTableName, readRollups } from "./stored-rollups.ts";
import { Tally } from "./tally.ts";

/** Checks that are read together: what the engine answers for them are some megabytes. */
const checksAtOnce = 250;
/** While one is counted here, the engine reads the next. */
const partsAtOnce = 4;

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
  const parts = Array.from({ length: Math.ceil(ids.length / checksAtOnce) }, (_, no) =>
    ids.slice(no * checksAtOnce, (no + 1) * checksAtOnce),
  );
  for (let first = 0; first < parts.length; first += partsAtOnce) {
    const some = parts.slice(first, first + partsAtOnce);
    const tallies = await Promise.all(some.map((checkIds) => talliesOf(engine, { ...query, checkIds })));
    for (const [id, tally] of tallies.flatMap((ofPart) => [...ofPart])) summary.set(id, tally.figures(query.metrics));
  }
  return summary;
}

type Tallies = ReadonlyMap<number, Tally<CountingDistribution>>;

async function talliesOf(engine: Engine, { checkIds, fromMs, toMs, metrics }: SummaryQuery): Promise<Tallies> {
  const states = await readStates(engine, checkIds, Math.floor(fromMs / hourMs), Math.ceil(toMs / hourMs));
  const plans = plansOf(states, fromMs, toMs);
  const sketched = new Map<number, Tally>();
  const exact = new Map<number, Tally<ExactValues>>();
  const sketchOf = (id: number): Tally => kept(sketched, id, () => new Tally(metrics, () => new Sketch()));
  const tallyOf = (id: number): Tally<CountingDistribution> =>
    isExact(plans.get(id), toMs - fromMs) ? kept(exact, id, () => new Tally(metrics, () => new ExactValues())) : sketchOf(id);
  const raw = [...plans].flatMap(([checkId, plan]) => plan.raw.map((range) => ({ checkId, ...range })));
  await Promise.all([
    addRollups(engine, "rollup_day_totals", plans, (plan) => plan.days, sketchOf, metrics),
    addRollups(engine, "rollup_hours", plans, (plan) => plan.hours, sketchOf, metrics),
    readRaw(engine, raw, metrics, (rows) => {
      for (const row of rows) count(tallyOf(row.check_id), row, metrics);
    }),
  ]);
  return new Map<number, Tally<CountingDistribution>>([...sketched, ...exact]);
}

/** Most checks are in the same state, and share a plan: thousands of them would keep the garbage collector busy. */
function plansOf(states: ReadonlyMap<number, RollupState>, fromMs: number, toMs: number): ReadonlyMap<number, ReadingPlan> {
  const plans = new Map<string, ReadingPlan>();
  return new Map(
    [...states].map(([id, state]) => {
      const key = `${[...state.dirtyHours].join()}|${[...state.dirtyDays].join()}`;
      return [id, kept(plans, key, () => planReading([fromMs, toMs], state))];
    }),
  );
}

function isExact(plan: ReadingPlan | undefined, lengthMs: number): boolean {
  return plan !== undefined && lengthMs <= hourMs && plan.days.length + plan.hours.length === 0;
}

function kept<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}

async function addRollups(
  engine: Engine,
  table: RollupTableName,
  plans: ReadonlyMap<number, ReadingPlan>,
  periodsOf: (plan: ReadingPlan) => readonly PeriodRange[],
  tallyOf: (checkId: number) => Tally,
  metrics: readonly MetricColumn[],
): Promise<void> {
  const periods = [...plans].flatMap(([checkId, plan]) => periodsOf(plan).map(({ from, to }) => ({ checkId, from, to })));
  const ranges = periods.map(({ checkId, from, to }) => [periodId(checkId, from), periodId(checkId, to)] as const);
  for (const { range, ...bytes } of await readRollups(engine, table, ranges, metrics)) {
    const tally = tallyOf(periods[range]?.checkId ?? 0);
    mergeRollups(bytes, () => tally);
  }
}
