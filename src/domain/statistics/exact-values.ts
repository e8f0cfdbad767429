import { type CountingDistribution, nearestRank } from "./distribution.ts";

/** Keeps every value, so that quantiles are exact. Eight bytes each. */
export class ExactValues implements CountingDistribution {
  sum = 0;
  sumOfSquares = 0;
  min = Number.POSITIVE_INFINITY;
  max = Number.NEGATIVE_INFINITY;
  readonly #values: number[] = [];
  #sorted: Float64Array | undefined;

  get count(): number {
    return this.#values.length;
  }

  add(value: number): void {
    this.#values.push(value);
    this.#sorted = undefined;
    this.sum += value;
    this.sumOfSquares += value * value;
    if (value < this.min) this.min = value;
    if (value > this.max) this.max = value;
  }

  quantile(q: number): number {
    this.#sorted ??= Float64Array.from(this.#values).sort();
    return this.#sorted[nearestRank(q, this.count) - 1] ?? Number.NaN;
  }
}
