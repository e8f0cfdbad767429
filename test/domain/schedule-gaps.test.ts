import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gapsOf, type Interruption, slotsIn } from "#domain/schedule-gaps.ts";

const minute = 60_000;
const at = (minutes: number): number => minutes * minute;
const span = (from: number, to: number) => ({ startsAtMs: at(from), endsAtMs: at(to) });

describe("gapsOf", () => {
  it.each([
    { what: "nothing", first: 5, last: 4, pauses: [], interruptions: [], gaps: [] },
    { what: "a downtime as one", first: 1, last: 9, pauses: [], interruptions: [], gaps: [["control_plane_down", 1, 9, 9]] },
    {
      what: "a store that went away after a restart as two",
      first: 1,
      last: 9,
      pauses: [],
      interruptions: [{ ...span(4, 20), reason: "store_unavailable" as const }],
      gaps: [
        ["control_plane_down", 1, 3, 3],
        ["store_unavailable", 4, 9, 6],
      ],
    },
    {
      what: "what lies around a pause",
      first: 1,
      last: 9,
      pauses: [span(3.5, 6)],
      interruptions: [],
      gaps: [
        ["control_plane_down", 1, 3, 3],
        ["control_plane_down", 6, 9, 4],
      ],
    },
    { what: "no slot of a pause", first: 1, last: 9, pauses: [span(0, 12)], interruptions: [], gaps: [] },
  ])("tells $what", ({ first, last, pauses, interruptions, gaps }) => {
    const told = gapsOf({ firstMs: at(first), lastMs: at(last), periodMs: minute }, pauses, interruptions);
    expect(told.map(({ reason, firstSlotMs, lastSlotMs, slots }) => [reason, firstSlotMs / minute, lastSlotMs / minute, slots])).toEqual(
      gaps,
    );
  });

  it("has each slot that is not paused once, with the first reason that holds then", () => {
    const spans = fc.record({ startsAtMs: fc.integer({ min: 0, max: 1_000 }), lengthMs: fc.integer({ min: 1, max: 400 }) });
    // Interruptions are measured by a clock that counts parts of a millisecond.
    const broken = fc
      .record({ startsAtMs: fc.integer({ min: 0, max: 4_000 }), lengthMs: fc.integer({ min: 1, max: 1_600 }) })
      .map(({ startsAtMs, lengthMs }) => ({ startsAtMs: startsAtMs / 4, lengthMs: lengthMs / 4 }));
    const reason = fc.constantFrom("store_unavailable" as const, "clock_jump" as const);
    const schedule = fc.record({
      firstMs: fc.integer({ min: 0, max: 99 }),
      count: fc.integer({ min: 1, max: 40 }),
      periodMs: fc.integer({ min: 1, max: 30 }),
    });
    fc.assert(
      fc.property(
        schedule,
        fc.array(spans, { maxLength: 3 }),
        fc.array(fc.tuple(broken, reason), { maxLength: 3 }),
        (of, paused, breaks) => {
          const { firstMs, count, periodMs } = of;
          const pauses = paused.map(({ startsAtMs, lengthMs }) => ({ startsAtMs, endsAtMs: startsAtMs + lengthMs }));
          const interruptions = breaks.map(
            ([{ startsAtMs, lengthMs }, why]): Interruption => ({ startsAtMs, endsAtMs: startsAtMs + lengthMs, reason: why }),
          );
          const gaps = gapsOf({ firstMs, lastMs: firstMs + (count - 1) * periodMs, periodMs }, pauses, interruptions);
          const told = gaps.flatMap((gap) => {
            expect(gap.lastSlotMs).toBe(gap.firstSlotMs + (gap.slots - 1) * periodMs);
            return Array.from({ length: gap.slots }, (_, index) => [gap.firstSlotMs + index * periodMs, gap.reason]);
          });
          const holds = (slot: number) => (one: { startsAtMs: number; endsAtMs: number }) => one.startsAtMs <= slot && slot < one.endsAtMs;
          const expected = Array.from({ length: count }, (_, index) => firstMs + index * periodMs)
            .filter((slot) => !pauses.some(holds(slot)))
            .map((slot) => [slot, interruptions.find(holds(slot))?.reason ?? "control_plane_down"]);
          expect(told).toEqual(expected);
        },
      ),
    );
  });
});

describe("slotsIn", () => {
  it("counts each slot of a gap in one of the times that it is cut into", () => {
    const gap = fc.record({
      firstSlotMs: fc.integer({ min: 0, max: 500 }),
      slots: fc.integer({ min: 1, max: 50 }),
      periodMs: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(
        gap,
        fc.integer({ min: 0, max: 3_000 }),
        fc.integer({ min: 0, max: 3_000 }),
        ({ firstSlotMs, slots, periodMs }, one, other) => {
          const [fromMs, toMs] = [Math.min(one, other), Math.max(one, other)];
          const of = { reason: "clock_jump" as const, firstSlotMs, lastSlotMs: firstSlotMs + (slots - 1) * periodMs, slots };
          const all = Array.from({ length: slots }, (_, index) => firstSlotMs + index * periodMs);
          expect(slotsIn(of, fromMs, toMs)).toBe(all.filter((slot) => fromMs <= slot && slot < toMs).length);
        },
      ),
    );
  });
});
