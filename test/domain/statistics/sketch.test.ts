import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExactValues } from "#domain/statistics/exact-values.ts";
import { largestValue, Sketch } from "#domain/statistics/sketch.ts";
import { ByteReader, ByteWriter } from "#domain/statistics/varints.ts";

const value = fc.oneof(
  fc.integer({ min: -largestValue, max: largestValue }),
  fc.integer({ min: -1_000, max: 1_000 }),
  fc.integer({ min: 20_000, max: 900_000 }),
  fc.constant(0),
);
const values = fc.oneof(
  fc.array(value, { minLength: 1, maxLength: 120 }),
  // Many in few buckets, some with more than a byte counts.
  fc.array(fc.integer({ min: 1_000_000, max: 1_200_000 }), { minLength: 1, maxLength: 60 }),
  fc
    .record({
      at: fc.integer({ min: -500, max: 500 }),
      times: fc.integer({ min: 200, max: 400 }),
      others: fc.array(fc.integer({ min: 100, max: 120 })),
    })
    .map(({ at, times, others }) => [...others, ...Array.from({ length: times }, () => at)]),
);
const quantiles = [0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 1];

function sketchOf(numbers: readonly number[]): Sketch {
  const sketch = new Sketch();
  for (const number of numbers) sketch.add(number);
  return sketch;
}

function exactOf(numbers: readonly number[]): ExactValues {
  const exact = new ExactValues();
  for (const number of numbers) exact.add(number);
  return exact;
}

function encoded(...sketches: readonly Sketch[]): Uint8Array {
  const writer = new ByteWriter();
  for (const sketch of sketches) sketch.encode(writer);
  return writer.take();
}

function decoded(bytes: Uint8Array, sketch = new Sketch()): Sketch {
  const reader = new ByteReader(bytes);
  while (!reader.isAtEnd) sketch.merge(reader);
  return sketch;
}

/** Undefined for bytes that are refused as they should be; any other error is a bug. */
function sketchOrRefusal(bytes: Uint8Array): Sketch | undefined {
  try {
    return decoded(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What a sketch tells otherwise than promised: quantiles within 0.5 %, everything else exactly. */
function untruths(sketch: Sketch, numbers: readonly number[]): readonly string[] {
  const exact = exactOf(numbers);
  const isNear = (told: number, truth: number, tolerance: number) => Math.abs(told - truth) <= Math.abs(truth) * tolerance;
  return [
    ...(["count", "sum", "min", "max"] as const).filter((name) => sketch[name] !== exact[name]),
    ...(isNear(sketch.sumOfSquares, exact.sumOfSquares, 1e-12) ? [] : ["sumOfSquares"]),
    ...quantiles.filter((q) => !isNear(sketch.quantile(q), exact.quantile(q), 0.005 * (1 + 1e-9))).map((q) => `quantile ${q}`),
  ];
}

describe("a sketch", () => {
  it("tells quantiles within 0.5 % and everything else exactly, however its values are split, merged and encoded", () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 6 }), fc.boolean(), (parts, backwards) => {
        const sketches = parts.map(sketchOf);
        const inOrder = backwards ? sketches.toReversed() : sketches;
        expect(untruths(decoded(encoded(...inOrder)), parts.flat())).toEqual([]);
        const oneByOne = inOrder.reduce((sum, next) => decoded(encoded(sum, next)), new Sketch());
        expect(untruths(oneByOne, parts.flat())).toEqual([]);
      }),
    );
  });

  it("merges in any grouping to the same", () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [one, two, three] = [sketchOf(a), sketchOf(b), sketchOf(c)];
        const left = decoded(encoded(decoded(encoded(one, two)), three));
        const right = decoded(encoded(one, decoded(encoded(two, three))));
        for (const q of quantiles) expect(left.quantile(q)).toBe(right.quantile(q));
        expect([left.count, left.sum, left.min, left.max]).toEqual([right.count, right.sum, right.min, right.max]);
      }),
    );
  });

  it("comes back from its bytes as it was", () => {
    fc.assert(
      fc.property(values, (numbers) => {
        const bytes = encoded(sketchOf(numbers));
        expect(encoded(decoded(bytes))).toEqual(bytes);
      }),
    );
  });

  it("tells the same sums without buckets, and no percentile", () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 6 }), (parts) => {
        const bytes = encoded(...parts.map(sketchOf));
        const [sums, whole] = [decoded(bytes, new Sketch({ hasBuckets: false })), decoded(bytes)];
        for (const name of ["count", "sum", "sumOfSquares", "min", "max"] as const) expect(sums[name]).toBe(whole[name]);
        expect(() => sums.quantile(0.5)).toThrow("sums alone");
        expect(() => encoded(sums)).toThrow("sums alone");
      }),
    );
  });

  it("takes few bytes: one for nothing, some for equal values, a hundred for an hour of results", () => {
    expect(encoded(new Sketch())).toHaveLength(1);
    expect(encoded(sketchOf(Array.from({ length: 60 }, () => 123_456)))).toHaveLength(5);
    const hour = Array.from({ length: 60 }, (_, index) => Math.round(200_000 * Math.exp(0.7 * Math.sin(index * 1.7))));
    expect(encoded(sketchOf(hour)).length).toBeLessThan(131);
  });

  it("knows nothing of no values", () => {
    expect(new Sketch().quantile(0.5)).toBeNaN();
    expect(decoded(encoded(new Sketch(), new Sketch()))).toMatchObject({ count: 0, sum: 0 });
    expect(new ExactValues().quantile(0.5)).toBeNaN();
  });

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, largestValue + 1, -largestValue - 1])("does not count %d", (number) => {
    expect(() => new Sketch().add(number)).toThrow(RangeError);
  });

  it("refuses bytes that it cannot have written, and never runs on", () => {
    const sound = encoded(sketchOf([-5, 0, 7, 7, 1_000_000]));
    for (let length = 1; length < sound.length; length += 1) expect(() => decoded(sound.slice(0, length))).toThrow(RangeError);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), (bytes) => {
        const read = sketchOrRefusal(bytes) ?? new Sketch();
        for (const figure of [read.sum, read.sumOfSquares]) expect(figure).not.toBeNaN();
        expect(read.count).toBeLessThanOrEqual(60 * 2 ** 32);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    { what: "a kind that there is not", bytes: [7, 0] },
    { what: "more values than there can be", bytes: [4 + 128, 255, 255, 255, 255, 255, 255, 0, 0] },
    { what: "a greatest value that is too large", bytes: [9, 0, 255, 255, 255, 255, 255, 1, 0, 0, 0, 1, 2] },
    { what: "a bucket beyond the last", bytes: [9, 0, 2, 2, 4, 255, 255, 1, 1, 2] },
    { what: "a bucket that counts beyond the sum", bytes: [9, 0, 2, 2, 4, 0, 1, 0, 3] },
    { what: "a run that counts beyond the sum", bytes: [9, 0, 2, 2, 4, 0, 1, 2, 1, 2] },
    { what: "a run beyond the last bucket", bytes: [9, 0, 2, 2, 4, 0, 1, 255, 127, 1, 1] },
  ])("refuses $what", ({ bytes }) => {
    expect(() => decoded(Uint8Array.from(bytes))).toThrow(/damaged|too large/);
  });
});

describe("exact values", () => {
  it.each([
    { numbers: [5], q: 0.5, expected: 5 },
    { numbers: [4, 1, 3, 2], q: 0.5, expected: 2 },
    { numbers: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], q: 0.9, expected: 9 },
    { numbers: Array.from({ length: 100 }, (_, index) => 100 - index), q: 0.56, expected: 56 },
    { numbers: [-3, -1, -2], q: 0, expected: -3 },
    { numbers: [-3, -1, -2], q: 1, expected: -1 },
  ])("tell the nearest rank: $q of $numbers is $expected", ({ numbers, q, expected }) => {
    expect(exactOf(numbers).quantile(q)).toBe(expected);
  });
});
