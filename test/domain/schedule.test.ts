import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  datedRun,
  dueDecision,
  firstUnsettledMs,
  nextDueMs,
  offsetProblem,
  periodMs,
  phaseMs,
  type SlotState,
  spreadOffset,
} from "#domain/schedule.ts";

const frequencies = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];
const minute = 60_000;

const slots = fc
  .record({
    periodMs: fc.constantFrom(10_000, 20_000, 30_000, ...frequencies.map((frequency) => frequency * minute)),
    part: fc.double({ min: 0, max: 0.999, noNaN: true }),
  })
  .map(({ periodMs: period, part }) => ({ periodMs: period, phaseMs: Math.floor(part * period) }));
const instant = fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 });

describe("offsetProblem", () => {
  it.each([
    [0, 10, true],
    [0, 20, true],
    [0, 30, true],
    [0, 15, false],
    [0, 1, false],
    [1, 10, true],
    [1, 11, false],
    [5, 50, true],
    [5, 51, false],
    [5, 0, false],
    [5, 1.5, false],
    [60, 600, true],
    [60, 601, false],
    [120, 2, true],
    [120, 3, false],
    [720, 12, true],
    [720, 13, false],
    [1440, 24, true],
  ])("frequency %i takes the offset %i: %s", (frequency, offset, fits) => {
    expect(offsetProblem(frequency, offset) === null).toBe(fits);
  });
});

function usedOnce(...offsets: readonly number[]): ReadonlyMap<number, number> {
  return new Map(offsets.map((offset) => [offset, 1]));
}

describe("spreadOffset", () => {
  it("stays inside the bounds, and uses each offset once before any twice", () => {
    for (const frequency of frequencies) {
      const taken = new Map<number, number>();
      for (let turn = 0; turn < 40; turn += 1) {
        const least = Math.floor(turn / (frequency <= 60 ? frequency * 10 : frequency / 60));
        const offset = spreadOffset(frequency, taken);
        expect(offsetProblem(frequency, offset)).toBeNull();
        expect(taken.get(offset) ?? 0).toBe(least);
        taken.set(offset, least + 1);
      }
    }
  });

  it("takes the middle of the widest gap", () => {
    expect(spreadOffset(5, usedOnce(1))).toBe(26);
    expect([13, 14, 38, 39]).toContain(spreadOffset(5, usedOnce(1, 26)));
  });

  it("runs every 30 seconds where the offset is the period", () => {
    expect(spreadOffset(0, usedOnce(10, 20))).toBe(30);
    expect(periodMs(0, 20)).toBe(20_000);
    expect(periodMs(5, 20)).toBe(300_000);
  });
});

describe("phaseMs", () => {
  it("depends on the check alone and lies in the part of the period that the offset names", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.constantFrom(...frequencies), fc.double({ min: 0, max: 0.999, noNaN: true }), (id, frequency, part) => {
        const max = frequency <= 60 ? frequency * 10 : frequency / 60;
        const offset = 1 + Math.floor(part * max);
        const period = periodMs(frequency, offset);
        const phase = phaseMs(id, frequency, offset, period);
        expect(phaseMs(id, frequency, offset, period)).toBe(phase);
        expect(Math.floor(phase / (period / max))).toBe(offset - 1);
        expect(phaseMs(id, frequency, null, period)).toBeLessThan(period);
      }),
    );
  });

  it("spreads checks of one offset over its part", () => {
    const phases = Array.from({ length: 1_000 }, (_, n) => phaseMs(`check-${n}`, 0, 10, 10_000));
    const tenths = Object.values(Object.groupBy(phases, (phase) => Math.floor(phase / 1_000))).map((each) => each?.length ?? 0);
    expect(tenths).toHaveLength(10);
    expect(Math.min(...tenths)).toBeGreaterThan(60);
  });
});

describe("nextDueMs", () => {
  it("is the first slot after, never the moment itself", () => {
    fc.assert(
      fc.property(slots, instant, (grid, afterMs) => {
        const next = nextDueMs({ ...grid, afterMs });
        expect((next - grid.phaseMs) % grid.periodMs).toBe(0);
        expect(next).toBeGreaterThan(afterMs);
        expect(next - afterMs).toBeLessThanOrEqual(grid.periodMs);
        expect(nextDueMs({ ...grid, afterMs: next })).toBe(next + grid.periodMs);
      }),
    );
  });
});

describe("dueDecision", () => {
  /** Looks at the clock once per tick, as a scheduler would, and tells when (in real time) and for which slot it fired. */
  function simulate(
    grid: { periodMs: number; phaseMs: number },
    clock: readonly number[],
  ): { tick: number; dueMs: number; runAtMs: number; skipped: number }[] {
    let state: SlotState = { nextDueMs: nextDueMs({ ...grid, afterMs: clock[0] ?? 0 }), settledMs: null, relivedMs: null, relives: 0 };
    const fires: { tick: number; dueMs: number; runAtMs: number; skipped: number }[] = [];
    for (const [tick, nowMs] of clock.entries()) {
      const { fire, dueMs, nextDueMs: next } = dueDecision({ ...grid, ...state, nowMs });
      const skipped = Math.max(0, (dueMs - firstUnsettledMs({ ...grid, ...state })) / grid.periodMs);
      const dated = datedRun(dueMs, state);
      if (fire) fires.push({ tick, dueMs, runAtMs: dated.runAtMs, skipped });
      expect(!fire || (dated.settledMs ?? 0) >= (state.settledMs ?? 0)).toBe(true);
      state = { ...state, ...(fire && dated), nextDueMs: next };
    }
    return fires;
  }

  const grid = { periodMs: minute, phaseMs: 7_000 };
  const seconds = (count: number, from: number): number[] => Array.from({ length: count }, (_, n) => from + n * 1_000);
  const gaps = (fires: readonly { tick: number }[]): number[] => fires.slice(1).map(({ tick }, index) => tick - (fires[index]?.tick ?? 0));
  const start = 1_760_000_000_000;

  it("fires once in each slot while the clock is steady", () => {
    const fires = simulate(grid, seconds(600, start));
    expect(fires).toHaveLength(10);
    expect(new Set(gaps(fires))).toEqual(new Set([60]));
  });

  it("keeps the cadence when the clock goes back two hours: no second fire, no gap over a period (C-02)", () => {
    const fires = simulate(grid, [...seconds(330, start), ...seconds(600, start + 330_000 - 7_200_000)]);
    expect(new Set(gaps(fires))).toEqual(new Set([60]));
  });

  it("never leaves more than a period after the clock went back by more than one", () => {
    fc.assert(
      fc.property(
        slots,
        instant,
        fc.integer({ min: 2, max: 500 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (any, nowMs, periods, part) => {
          const decision = dueDecision({
            ...any,
            nowMs,
            settledMs: nowMs + periods * any.periodMs,
            nextDueMs: nextDueMs({ ...any, afterMs: nowMs + Math.floor((periods + part) * any.periodMs) }),
          });
          expect(decision.fire).toBe(false);
          expect(decision.nextDueMs - nowMs).toBeLessThanOrEqual(any.periodMs);
          expect(decision.nextDueMs).toBeGreaterThan(nowMs);
        },
      ),
    );
  });

  it("does not run a slot twice when the clock goes back a little", () => {
    // The slot of tick 287 has just run.
    for (const backMs of [1_000, 5_000, 30_000]) {
      const fires = simulate(grid, [...seconds(290, start), ...seconds(600, start + 290_000 - backMs)]);
      expect(fires.map(({ tick }) => tick)).toContain(287);
      const slotsRun = fires.map(({ dueMs }) => dueMs);
      expect(new Set(slotsRun).size).toBe(slotsRun.length);
    }
  });

  it("catches up at most once after a jump forward or a long stop, and says what it left out (C-03)", () => {
    const fires = simulate(grid, [...seconds(120, start), ...seconds(300, start + 120_000 + 6 * 3_600_000)]);
    const late = fires.filter(({ tick }) => tick === 120);
    expect(late).toEqual([expect.objectContaining({ skipped: 359 })]);
    expect(fires.filter(({ skipped }) => skipped > 0)).toHaveLength(1);
    expect(gaps(fires.filter(({ tick }) => tick > 120)).every((gap) => gap === 60)).toBe(true);
  });

  it("fires at most once per slot, and never early, whatever the clock does going forward", () => {
    fc.assert(
      fc.property(slots, instant, fc.array(fc.integer({ min: 0, max: 5_000_000 }), { maxLength: 40 }), (any, from, steps) => {
        let nowMs = from;
        const clock = steps.map((step) => (nowMs += step));
        const fires = simulate(any, clock);
        const slotsRun = fires.map(({ dueMs }) => dueMs);
        expect(new Set(slotsRun).size).toBe(slotsRun.length);
        for (const { tick, dueMs } of fires) {
          expect(dueMs).toBeLessThanOrEqual(clock[tick] ?? 0);
          expect((clock[tick] ?? 0) - dueMs).toBeLessThan(any.periodMs);
        }
      }),
    );
  });

  it("dates no two runs alike, whatever the clock does, and those of new slots by their slots", () => {
    fc.assert(
      fc.property(slots, instant, fc.array(fc.integer({ min: -5_000_000, max: 5_000_000 }), { maxLength: 60 }), (any, from, steps) => {
        let nowMs = from;
        const fires = simulate(
          any,
          steps.map((step) => (nowMs += step)),
        );
        const dates = fires.map(({ runAtMs }) => runAtMs);
        expect(new Set(dates).size).toBe(dates.length);
        let latest = 0;
        for (const { dueMs, runAtMs } of fires) {
          expect(runAtMs === dueMs).toBe(dueMs > latest);
          expect(runAtMs - dueMs).toBeLessThan(61);
          latest = Math.max(latest, dueMs);
        }
      }),
    );
  });
});
