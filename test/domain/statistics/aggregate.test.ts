import { describe, expect, it } from "vitest";
import { aggregations } from "#contract/analytics-metrics.ts";
import { aggregate, availability } from "../../../src/domain/statistics/aggregate.ts";
import { bitValues } from "../../../src/domain/statistics/bit-values.ts";
import { type Distribution, nearestRank } from "../../../src/domain/statistics/distribution.ts";

function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    sum: sorted.reduce((sum, value) => sum + value, 0),
    sumOfSquares: sorted.reduce((sum, value) => sum + value * value, 0),
    min: sorted[0] ?? Number.POSITIVE_INFINITY,
    max: sorted.at(-1) ?? Number.NEGATIVE_INFINITY,
    quantile: (q) => sorted[nearestRank(q, sorted.length) - 1] ?? Number.NaN,
  };
}

describe("aggregates", () => {
  it("are those of all values", () => {
    const values = distributionOf([2, 4, 4, 4, 5, 5, 7, 9]);
    expect(Object.fromEntries(aggregations.map((by) => [by, aggregate(values, by)]))).toEqual({
      avg: 5,
      max: 9,
      median: 4,
      min: 2,
      p50: 4,
      p90: 9,
      p95: 9,
      p99: 9,
      stddev: 2,
      sum: 40,
    });
  });

  it("are null without values", () => {
    for (const by of aggregations) {
      expect(aggregate(undefined, by)).toBeNull();
      expect(aggregate(distributionOf([]), by)).toBeNull();
    }
  });

  it("of equal values have no deviation, whatever rounding did to the sums", () => {
    const value = 0.1 + 0.2;
    const equal = { ...distributionOf([value, value, value]), sumOfSquares: 3 * value * value - 1e-12 };
    expect(aggregate(equal, "stddev")).toBe(0);
    expect(aggregate(equal, "sum")).toBe(0.9);
  });

  it("tell an availability only where something ran", () => {
    expect([availability({ runs: 0, passed: 0 }), availability({ runs: 3, passed: 2 }), availability({ runs: 2, passed: 0 })]).toEqual([
      null,
      66.666667,
      0,
    ]);
  });
});

describe("one bit of many values", () => {
  it.each([
    [[7]],
    [[0]],
    [[0, 7]],
    [[3, 5, 6]],
    [[0, 0, 1, 2, 3, 3, 4, 5, 5, 6, 7, 7, 7]],
    [Array.from({ length: 1_000 }, (_, index) => (index * index) % 8)],
  ])("of %j is counted", (values) => {
    for (const bit of [1, 2, 4]) {
      const expected = distributionOf(values.map((value) => ((value & bit) === 0 ? 0 : 1)));
      const seen = bitValues(distributionOf(values), bit);
      expect(aggregations.map((by) => aggregate(seen, by))).toEqual(aggregations.map((by) => aggregate(expected, by)));
      expect(seen.count).toBe(values.length);
    }
  });

  it("is told apart in a sketch, too", () => {
    const values = [0, 2, 2, 3, 6, 7, 7];
    const exact = distributionOf(values);
    const sketched = { ...exact, quantile: (q: number) => exact.quantile(q) * 1.005 };
    expect([1, 2, 4].map((bit) => bitValues(sketched, bit).sum)).toEqual([3, 6, 3]);
  });
});
