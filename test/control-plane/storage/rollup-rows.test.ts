import fc from "fast-check";
import { expect, it } from "vitest";
import { Sketch } from "#domain/statistics/sketch.ts";
import { ByteWriter } from "#domain/statistics/varints.ts";
import { type Cell, mergeRollups, PeriodFigures } from "../../../src/control-plane/storage/stores/analytics/rollup-rows.ts";
import { Tally } from "../../../src/control-plane/storage/stores/analytics/tally.ts";

const outcomes = [
  { failed: false, degraded: false },
  { failed: false, degraded: true },
  { failed: true, degraded: false },
];
const anyCell = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 31 }), fc.integer({ min: 0, max: 999 }), fc.constantFrom(...outcomes))
  .map(([locationId, status, outcome]): Cell => ({ locationId, status, ...outcome }));

it("rows of figures tell every outcome at every status apart, and count what was degraded among what passed", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyCell, { selector: (cell) => JSON.stringify(cell), maxLength: 20 }), (cells) => {
      const figures = new PeriodFigures();
      for (const [index, cell] of cells.entries()) figures.tallyOf(cell).runs = index + 1;
      const found: Cell[] = [];
      const total = new Tally([], () => new Sketch());
      mergeRollups({ cells: figures.encode().cells, metrics: [] }, (cell) => {
        found.push(cell);
        return total;
      });
      expect(found).toEqual(cells);
      const runsOf = (counts: (cell: Cell) => boolean): number =>
        cells.reduce((sum, cell, index) => sum + (counts(cell) ? index + 1 : 0), 0);
      expect([total.runs, total.passed, total.degraded]).toEqual([
        runsOf(() => true),
        runsOf(({ failed }) => !failed),
        runsOf(({ degraded }) => degraded),
      ]);
    }),
  );
});

it("rows from before degraded runs were counted tell none", () => {
  const cells = new ByteWriter();
  for (const [tag, runs] of [
    [400, 5],
    [1_007, 2],
  ] as const) {
    cells.unsigned(3);
    cells.signed(tag);
    cells.unsigned(runs);
    cells.unsigned(0);
  }
  const total = new Tally([], () => new Sketch());
  mergeRollups({ cells: cells.take(), metrics: [] }, () => total);
  expect(total).toMatchObject({ runs: 7, passed: 5, degraded: 0 });
});
