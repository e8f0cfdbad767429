import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planReading, type ReadingPlan, type RollupState } from "../../../src/control-plane/storage/stores/analytics/plan.ts";

const hourMs = 3_600_000;
const clean: RollupState = { dirtyHours: new Set(), dirtyDays: new Set(), rollupsOnlyBefore: 0 };

/** Every quarter of an hour that is read. */
function quartersOf({ days, hours, raw }: ReadingPlan): readonly number[] {
  const between = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, index) => from + index);
  return [
    ...days.flatMap(({ from, to }) => between(from * 96, to * 96)),
    ...hours.flatMap(({ from, to }) => between(from * 4, to * 4)),
    ...raw.flatMap(({ fromMs, toMs }) => between((fromMs * 4) / hourMs, (toMs * 4) / hourMs)),
  ];
}

describe("the plan of what an analysis reads", () => {
  it.each([
    { what: "two whole days", edges: [0, 48], state: {}, days: [[0, 0, 2]], hours: [], raw: [] },
    {
      what: "ragged edges from results, hours, and days in between",
      edges: [22.5, 73.25],
      state: {},
      days: [[0, 1, 3]],
      hours: [
        [0, 23, 24],
        [0, 72, 73],
      ],
      raw: [
        [22.5, 23],
        [73, 73.25],
      ],
    },
    { what: "less than an hour from results", edges: [5.2, 5.9], state: {}, days: [], hours: [], raw: [[5.2, 5.9]] },
    {
      what: "a dirty hour from results and its day by hours",
      edges: [0, 24],
      state: { dirtyHours: new Set([3]) },
      days: [],
      hours: [
        [0, 0, 3],
        [0, 4, 24],
      ],
      raw: [[3, 4]],
    },
    { what: "a dirty day by its hours", edges: [0, 24], state: { dirtyDays: new Set([0]) }, days: [], hours: [[0, 0, 24]], raw: [] },
    {
      what: "results that meet at the edge of two buckets in one go",
      edges: [0.5, 1.5, 2.5],
      state: {},
      days: [],
      hours: [],
      raw: [[0.5, 2.5]],
    },
    {
      what: "whole hours of what is no longer kept, dirty or not",
      edges: [0.5, 1.5, 3.25],
      state: { rollupsOnlyBefore: 3, dirtyHours: new Set([1, 2]) },
      days: [],
      hours: [
        [0, 1, 2],
        [1, 2, 3],
      ],
      raw: [[3, 3.25]],
    },
  ])("is $what", ({ edges, state, days, hours, raw }) => {
    const plan = planReading(
      edges.map((hour) => hour * hourMs),
      { ...clean, ...state },
    );
    expect(plan.days.map(({ bucket, from, to }) => [bucket, from, to])).toEqual(days);
    expect(plan.hours.map(({ bucket, from, to }) => [bucket, from, to])).toEqual(hours);
    expect(plan.raw.map(({ fromMs, toMs }) => [fromMs / hourMs, toMs / hourMs])).toEqual(raw);
  });

  it("takes each hour of its window once, and no dirty one from its rollup", () => {
    const hour = fc.integer({ min: 0, max: 100 });
    const edges = fc.uniqueArray(fc.integer({ min: 0, max: 100 * 4 }), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(
        edges,
        fc.array(hour),
        fc.array(fc.integer({ min: 0, max: 4 })),
        fc.oneof(fc.constant(0), hour),
        (quarters, dirty, days, before) => {
          const edgesMs = quarters.toSorted((a, b) => a - b).map((quarter) => (quarter * hourMs) / 4);
          const state = { dirtyHours: new Set(dirty), dirtyDays: new Set(days), rollupsOnlyBefore: before };
          const plan = planReading(edgesMs, state);
          const taken = quartersOf(plan);
          expect(new Set(taken).size).toBe(taken.length);
          const [first = 0, last = 0] = [edgesMs[0], edgesMs.at(-1)].map((edge = 0) => (edge * 4) / hourMs);
          for (let at = Math.max(first, before * 4); at < last; at += 1) expect(taken).toContain(at);
          for (const { from, to } of plan.hours) {
            for (let at = Math.max(from, before); at < to; at += 1) expect(state.dirtyHours.has(at)).toBe(false);
          }
          for (const { from, to } of plan.days) for (let day = from; day < to; day += 1) expect(state.dirtyDays.has(day)).toBe(false);
          expect(plan.raw.every(({ fromMs }) => fromMs >= before * hourMs)).toBe(true);
        },
      ),
    );
  });
});
