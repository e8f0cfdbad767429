import { Sketch } from "#domain/statistics/sketch.ts";
import type { RunFigures, Timeline, TimelineQuery } from "../../analytics-store.ts";
import type { Engine } from "../../engine.ts";
import { hourMs, periodId } from "./periods.ts";
import { type PeriodRange, planReading, type ReadingPlan } from "./plan.ts";
import { bucketAt, count, readRaw } from "./raw-results.ts";
import { mergeRollups } from "./rollup-rows.ts";
import { readStates } from "./rollup-state.ts";
import { type RollupTableName, readRollups } from "./stored-rollups.ts";
import { Tally } from "./tally.ts";

/** See `AnalyticsStore.timelines`. */
export async function timelines(engine: Engine, query: TimelineQuery): Promise<ReadonlyMap<number, Timeline>> {
  const { edgesMs, metrics } = query;
  const [fromMs, toMs] = [edgesMs[0] ?? 0, edgesMs.at(-1) ?? 0];
  const checkIds = [...new Set(query.checkIds)];
  if (fromMs >= toMs || checkIds.length === 0) return new Map();
  const states = await readStates(engine, checkIds, Math.floor(fromMs / hourMs), Math.ceil(toMs / hourMs));
  const plans = new Map([...states].map(([id, state]) => [id, planReading(edgesMs, state)]));
  const counted = new Map<number, CountedTimeline>();
  const ofCheck = (id: number): CountedTimeline => {
    const known = counted.get(id) ?? new CountedTimeline(query);
    counted.set(id, known);
    return known;
  };
  const raw = [...plans].flatMap(([checkId, plan]) => plan.raw.map((range) => ({ checkId, ...range })));
  await Promise.all([
    addRollups(engine, "rollup_day_totals", plans, (plan) => plan.days, ofCheck, query),
    addRollups(engine, "rollup_hours", plans, (plan) => plan.hours, ofCheck, query),
    readRaw(engine, raw, metrics, (rows) => {
      for (const row of rows) {
        for (const tally of ofCheck(row.check_id).talliesOf(bucketAt(edgesMs, row.started_at_us / 1_000))) count(tally, row, metrics);
      }
    }),
  ]);
  return new Map([...counted].map(([id, one]) => [id, one.figures()]));
}

class CountedTimeline {
  readonly #query: TimelineQuery;
  readonly #total: Tally;
  readonly #buckets: (Tally | undefined)[] = [];

  constructor(query: TimelineQuery) {
    this.#query = query;
    this.#total = this.#tally();
  }

  /** What a result of the bucket counts in. */
  talliesOf(bucket: number): readonly [Tally, Tally] {
    const known = this.#buckets[bucket] ?? this.#tally();
    this.#buckets[bucket] = known;
    return [known, this.#total];
  }

  figures(): Timeline {
    const { edgesMs, metrics } = this.#query;
    const buckets = edgesMs.slice(1).map((_, index): RunFigures | null => this.#buckets[index]?.figures(metrics) ?? null);
    return { total: this.#total.figures(metrics), buckets };
  }

  #tally(): Tally {
    return new Tally(this.#query.metrics, () => new Sketch());
  }
}

async function addRollups(
  engine: Engine,
  table: RollupTableName,
  plans: ReadonlyMap<number, ReadingPlan>,
  periodsOf: (plan: ReadingPlan) => readonly PeriodRange[],
  ofCheck: (checkId: number) => CountedTimeline,
  { metrics }: TimelineQuery,
): Promise<void> {
  // One range for each period of a bucket: what the engine writes together is of one bucket.
  const periods = [...plans].flatMap(([checkId, plan]) => periodsOf(plan).map((range) => ({ checkId, ...range })));
  const ranges = periods.map(({ checkId, from, to }) => [periodId(checkId, from), periodId(checkId, to)] as const);
  for (const { range, ...bytes } of await readRollups(engine, table, ranges, metrics)) {
    const { checkId, bucket } = periods[range] ?? { checkId: 0, bucket: 0 };
    for (const tally of ofCheck(checkId).talliesOf(bucket)) mergeRollups(bytes, () => tally);
  }
}
