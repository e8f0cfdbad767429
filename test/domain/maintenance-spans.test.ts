import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maintenanceSpans, occurrence, planOf } from "#domain/maintenance.ts";

describe("the maintenance at some time", () => {
  const schedules = fc.record({
    startsAt: fc.date({ min: new Date(0), max: new Date("2040-01-01"), noInvalidDate: true }).map((date) => date.toISOString()),
    minutes: fc.integer({ min: 1, max: 1_500 }),
    repeatInterval: fc.integer({ min: 1, max: 5 }),
    repeatUnit: fc.constantFrom("DAY", "WEEK", "MONTH" as const),
    timezone: fc.constantFrom("Europe/Berlin", "Australia/Lord_Howe", null),
  });
  const question = fc.record({ minutes: fc.integer({ min: -6_000, max: 6_000 }), lengthMinutes: fc.constantFrom(0, 0, 1, 90, 5_760) });

  it("is the same whatever was asked before", () => {
    fc.assert(
      fc.property(schedules, fc.nat({ max: 400 }), fc.array(question, { minLength: 1, maxLength: 12 }), (given, index, questions) => {
        const { minutes, ...rest } = given;
        const endsAt = new Date(Date.parse(rest.startsAt) + minutes * 60_000).toISOString();
        const schedule = { ...rest, endsAt, repeatEndsAt: null };
        const [asked, changes] = [planOf(schedule), [{ index: index + 1, startsAtMs: 0, endsAtMs: 1, isOver: true }]];
        const middleMs = occurrence(asked, index)?.startsAtMs ?? 0;
        for (const { minutes: offset, lengthMinutes } of questions) {
          const fromMs = middleMs + offset * 60_000;
          const toMs = fromMs + lengthMinutes * 60_000;
          const first = maintenanceSpans({ plan: planOf(schedule), changes }, fromMs, toMs);
          expect(maintenanceSpans({ plan: asked, changes }, fromMs, toMs)).toEqual(first);
        }
      }),
    );
  });
});
