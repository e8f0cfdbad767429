/** What is known of many values. Exact but for `quantile`, which may be off by 0.5 % where the values themselves are not at hand. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  readonly sumOfSquares: number;
  readonly min: number;
  readonly max: number;
  /** @param q 0 to 1 */
  quantile(q: number): number;
}
