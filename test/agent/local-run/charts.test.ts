import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Phases, phaseRows, sparkline } from "../../../src/agent/local-run/charts.ts";

describe("the chart of phases", () => {
  it("draws one phase after another, to scale", () => {
    const bars = phaseRows({ dns: 10, tcp: 20, tls: 0, firstByte: 10 }, 40, 8).map(({ bar, time }) => [time, bar]);
    expect(bars).toEqual([
      ["10.0 ms", "██"],
      ["20.0 ms", "  ████"],
      ["0.00 ms", ""],
      ["10.0 ms", "      ██"],
    ]);
  });

  it("gives the phase that failed what is left of the time, and those after it nothing", () => {
    const rows = phaseRows({ dns: 10, tcp: null, firstByte: null }, 40, 8);
    expect(rows.map(({ time, bar, isBroken }) => [time, bar, isBroken])).toEqual([
      ["10.0 ms", "██", false],
      ["30.0 ms", "  ░░░░░░", true],
      ["–", "", false],
    ]);
  });

  it("shows a phase that took any time at all, and fits its width whatever the phases are", () => {
    const ms = fc.option(fc.double({ min: 0, max: 30_000, noNaN: true }));
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), ms, { maxKeys: 8 }),
        fc.double({ min: 0, max: 30_000, noNaN: true }),
        (phases: Phases, elapsedMs) => {
          for (const { name, bar } of phaseRows(phases, elapsedMs, 40)) {
            expect(bar.length).toBeLessThanOrEqual(40);
            expect((phases[name] ?? 0) > 0 && bar.trim() === "").toBe(false);
          }
        },
      ),
    );
  });
});

describe("the sparkline of pings", () => {
  it.each([
    [[1, 8, 4], "▂█▅"],
    [[1, null, 1], "█×█"],
    [[null, null], "××"],
    [[0, 0], "▁▁"],
    [[], ""],
  ])("of %j is %s", (values, line) => {
    expect(sparkline(values)).toBe(line);
  });

  it("has one character for each", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.double({ min: 0, noNaN: true, max: 1e6 })), { maxLength: 50 }), (values) => {
        expect(Array.from(sparkline(values))).toHaveLength(values.length);
      }),
    );
  });
});
