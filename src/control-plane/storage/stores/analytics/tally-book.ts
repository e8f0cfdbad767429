import type { CountingDistribution } from "#domain/statistics/distribution.ts";
import type { PageColumn } from "../../analytics-store.ts";
import { Tally } from "./tally.ts";

/** What the rows of an analysis are told apart by, within a bucket. */
export type Group = string | number | null;

/** Tallies by bucket and group, made as they are asked for. */
export class TallyBook<M extends CountingDistribution> {
  readonly #metrics: readonly PageColumn[];
  readonly #make: (metric: PageColumn) => M;
  readonly #buckets = new Map<number, Map<Group, Tally<M>>>();

  constructor(metrics: readonly PageColumn[], make: (metric: PageColumn) => M) {
    this.#metrics = metrics;
    this.#make = make;
  }

  tallyOf(bucket: number, group: Group): Tally<M> {
    let groups = this.#buckets.get(bucket);
    if (groups === undefined) {
      groups = new Map();
      this.#buckets.set(bucket, groups);
    }
    let tally = groups.get(group);
    if (tally === undefined) {
      tally = new Tally(this.#metrics, this.#make);
      groups.set(group, tally);
    }
    return tally;
  }

  *entries(): Generator<{ readonly bucket: number; readonly group: Group; readonly tally: Tally<M> }> {
    for (const [bucket, groups] of this.#buckets) for (const [group, tally] of groups) yield { bucket, group, tally };
  }
}
