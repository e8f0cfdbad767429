/** What is known of many values. Exact but for `quantile`, which may be off by 0.5 % where the values themselves are not at hand. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  readonly min: number;
  readonly max: number;
  /** The least value that at least this share of all values does not exceed (nearest rank); NaN without values. @param q 0 to 1 */
  quantile(q: number): number;
}

/** A distribution that is still being counted. */
export interface CountingDistribution extends Distribution {
  /** @param value whole, see `largestValue` in `sketch.ts` */
  add(value: number): void;
}

/** Position of a quantile among `count` ascending values, from 1; q · count may miss a whole number by a rounding error. */
export function nearestRank(q: number, count: number): number {
  return Math.min(Math.max(Math.ceil(q * count - 1e-9), 1), count);
}

/** The same values in a larger unit: milliseconds of what was counted in microseconds. */
export function inUnitsOf(unit: number, counted: Distribution): Distribution {
  return {
    count: counted.count,
    sum: counted.sum / unit,
    sumOfSquares: counted.sumOfSquares / unit ** 2,
    min: counted.min / unit,
    max: counted.max / unit,
    quantile: (q) => counted.quantile(q) / unit,
  };
}
