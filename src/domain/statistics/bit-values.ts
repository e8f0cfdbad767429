import { type Distribution, nearestRank } from "./distribution.ts";

/** Of values that are small whole numbers: 1 for each in which the bit is set, else 0. */
export function bitValues(values: Distribution, bit: number): Distribution {
  const { count } = values;
  const set = countSet(values, bit);
  return {
    count,
    sum: set,
    sumOfSquares: set,
    min: set === count ? 1 : 0,
    max: set > 0 ? 1 : 0,
    quantile: (q) => (nearestRank(q, count) > count - set ? 1 : 0),
  };
}

/** Walks over the runs of equal values in their order; a sketch is exact enough to tell whole numbers apart. */
function countSet(values: Distribution, bit: number): number {
  const { count } = values;
  const valueAt = (rank: number): number => Math.round(values.quantile((rank + 0.5) / count)); // of ranks from 0
  let set = 0;
  for (let rank = 0; rank < count; ) {
    const value = valueAt(rank);
    const next = firstRank(rank + 1, count, (at) => valueAt(at) > value);
    if ((value & bit) !== 0) set += next - rank;
    rank = next;
  }
  return set;
}

/** The lowest number in [from, to) for which `isTrue`, which stays true from there on; `to` when there is none. */
function firstRank(from: number, to: number, isTrue: (rank: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
