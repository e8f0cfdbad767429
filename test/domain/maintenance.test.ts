import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lastStarted, type MaintenanceSchedule, maintenanceSpans, occurrence, planOf, timeOf } from "#domain/maintenance.ts";

const once: MaintenanceSchedule = {
  startsAt: "2026-03-28T01:30:00+01:00",
  endsAt: "2026-03-28T03:30:00+01:00",
  repeatInterval: null,
  repeatUnit: null,
  repeatEndsAt: null,
  timezone: "Europe/Berlin",
};
const daily = { ...once, repeatInterval: 1, repeatUnit: "DAY" } as const;

/** Start and end of an occurrence on the clock of its zone. */
function local(schedule: MaintenanceSchedule, index: number): string {
  const one = occurrence(planOf(schedule), index);
  if (!one) return "never";
  const at = (ms: number): string =>
    Temporal.Instant.fromEpochMilliseconds(ms)
      .toZonedDateTimeISO(schedule.timezone ?? "UTC")
      .toString({ timeZoneName: "never", smallestUnit: "minute" });
  return `${at(one.startsAtMs)} ${at(one.endsAtMs)}`;
}

describe("the times of a window", () => {
  it.each([
    ["2026-05-01T10:00:00.000Z", null, "2026-05-01T10:00:00.000Z"],
    ["2026-05-01T10:00:00+02:00", "Asia/Tokyo", "2026-05-01T08:00:00.000Z"],
    ["2026-05-01T10:00", "Asia/Tokyo", "2026-05-01T01:00:00.000Z"],
    ["2026-05-01T10:00:30.5", null, "2026-05-01T10:00:30.500Z"],
    ["2026-05-01", "Europe/Berlin", "2026-04-30T22:00:00.000Z"],
    ["1969-12-31", null, null],
    ["2026-02-30", null, null],
    ["2026-05-01T10:00:00.1234567891", null, null],
    ["soon", null, null],
  ])("%s in %s is %s", (text, timezone, expected) => {
    const ms = timeOf(text, timezone);
    expect(ms === null ? null : new Date(ms).toISOString()).toBe(expected);
  });

  it.each([
    [{ endsAt: "2026-03-28T01:29:59.999+01:00" }, "endsAt"],
    [{ startsAt: "1950-01-01" }, "startsAt"],
    [{ timezone: "Mars/Base" }, "timezone"],
    [{ timezone: "+02:00" }, "timezone"],
    [{ repeatInterval: 2 }, "repeatUnit"],
    [{ repeatEndsAt: "2026-03-27" }, "repeatEndsAt"],
  ])("are refused with %j", (change, path) => {
    expect(() => planOf({ ...once, ...change })).toThrow(
      expect.objectContaining({ code: "invalid_input", attributes: { issues: [expect.objectContaining({ path })] } }),
    );
  });
});

describe("a window that ends when it starts", () => {
  it.each([once, daily])("is kept, and never holds", (schedule) => {
    const plan = planOf({ ...schedule, endsAt: schedule.startsAt });
    const startMs = Date.parse(schedule.startsAt);
    for (const [fromMs, toMs] of [
      [startMs, startMs],
      [startMs - 1, startMs + 1],
      [startMs - 86_400_000, startMs + 3 * 86_400_000],
    ] as const)
      expect(maintenanceSpans({ plan, changes: [] }, fromMs, toMs)).toEqual([]);
  });
});

describe("an occurrence", () => {
  it.each([
    ["the first, as sent", daily, 0, "2026-03-28T01:30+01:00 2026-03-28T03:30+01:00"],
    ["over the hour that is skipped", daily, 1, "2026-03-29T01:30+01:00 2026-03-29T03:30+02:00"],
    ["in summer", daily, 2, "2026-03-30T01:30+02:00 2026-03-30T03:30+02:00"],
    ["over the hour that comes twice", daily, 211, "2026-10-25T01:30+02:00 2026-10-25T03:30+01:00"],
    [
      "whose start is skipped",
      { ...daily, startsAt: "2026-03-28T02:15", endsAt: "2026-03-28T02:45" },
      1,
      "2026-03-29T03:15+02:00 2026-03-29T03:45+02:00",
    ],
    [
      "whose start is skipped beyond its end",
      { ...daily, startsAt: "2026-03-28T02:50", endsAt: "2026-03-28T03:10" },
      1,
      "2026-03-29T03:50+02:00 2026-03-29T04:10+02:00",
    ],
    [
      "whose start comes twice",
      { ...daily, startsAt: "2026-10-24T02:30", endsAt: "2026-10-24T04:00" },
      1,
      "2026-10-25T02:30+02:00 2026-10-25T04:00+01:00",
    ],
    [
      "on the same day of the week",
      { ...daily, repeatInterval: 2, repeatUnit: "WEEK" },
      3,
      "2026-05-09T01:30+02:00 2026-05-09T03:30+02:00",
    ],
    [
      "on the 31st, in a shorter month",
      { ...daily, startsAt: "2026-01-31", endsAt: "2026-02-01", repeatUnit: "MONTH" },
      1,
      "2026-02-28T00:00+01:00 2026-03-01T00:00+01:00",
    ],
    [
      "on the 31st, in a month that has one",
      { ...daily, startsAt: "2026-01-31", endsAt: "2026-02-01", repeatUnit: "MONTH" },
      2,
      "2026-03-31T00:00+02:00 2026-04-01T00:00+02:00",
    ],
    [
      "over the end of a month",
      { ...daily, startsAt: "2026-01-30T22:00", endsAt: "2026-01-31T02:00", repeatUnit: "MONTH" },
      1,
      "2026-02-28T22:00+01:00 2026-03-01T02:00+01:00",
    ],
    [
      "of a leap day, a year later",
      { ...daily, startsAt: "2028-02-29", endsAt: "2028-03-01", repeatUnit: "MONTH", repeatInterval: 12 },
      1,
      "2029-02-28T00:00+01:00 2029-03-01T00:00+01:00",
    ],
    [
      "of a leap day, four years later",
      { ...daily, startsAt: "2028-02-29", endsAt: "2028-03-01", repeatUnit: "MONTH", repeatInterval: 12 },
      4,
      "2032-02-29T00:00+01:00 2032-03-01T00:00+01:00",
    ],
    [
      "without a time zone, in UTC",
      { ...daily, timezone: null, startsAt: "2026-03-28T01:30", endsAt: "2026-03-28T03:30" },
      1,
      "2026-03-29T01:30+00:00 2026-03-29T03:30+00:00",
    ],
    ["on the last day", { ...daily, repeatEndsAt: "2026-03-30" }, 2, "2026-03-30T01:30+02:00 2026-03-30T03:30+02:00"],
    ["after the last day", { ...daily, repeatEndsAt: "2026-03-30" }, 3, "never"],
    ["at the last moment", { ...daily, repeatEndsAt: "2026-03-30T01:30:00+02:00" }, 2, "2026-03-30T01:30+02:00 2026-03-30T03:30+02:00"],
    ["after the last moment", { ...daily, repeatEndsAt: "2026-03-30T01:29:59+02:00" }, 2, "never"],
    ["of a window that does not repeat", once, 1, "never"],
    ["of a window with a unit only", { ...once, repeatUnit: "DAY" }, 1, "never"],
    [
      "over a day that an island skipped",
      { ...daily, timezone: "Pacific/Apia", startsAt: "2011-12-29T08:00", endsAt: "2011-12-29T10:00" },
      2,
      "2011-12-31T08:00+14:00 2011-12-31T10:00+14:00",
    ],
  ] as const)("%s", (_what, schedule, index, expected) => {
    expect(local(schedule, index)).toBe(expected);
  });

  const schedules = fc.record({
    startsAt: fc.date({ min: new Date(0), max: new Date("2040-01-01"), noInvalidDate: true }).map((date) => date.toISOString()),
    minutes: fc.integer({ min: 1, max: 3_000 }),
    repeatInterval: fc.integer({ min: 1, max: 365 }),
    repeatUnit: fc.constantFrom("DAY", "WEEK", "MONTH" as const),
    timezone: fc.constantFrom("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca", null),
  });
  const planFrom = ({ minutes, ...rest }: typeof schedules extends fc.Arbitrary<infer T> ? T : never) => {
    const endsAt = new Date(Date.parse(rest.startsAt) + minutes * 60_000).toISOString();
    return planOf({ ...rest, endsAt, repeatEndsAt: null } as MaintenanceSchedule);
  };

  it("lasts, and starts no earlier than the one before", () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 0, max: 500 }), (given, index) => {
        const plan = planFrom(given);
        const [one, next] = [occurrence(plan, index), occurrence(plan, index + 1)];
        if (!one || !next) throw new Error("it repeats for ever");
        expect(one.endsAtMs).toBeGreaterThan(one.startsAtMs);
        expect(next.startsAtMs).toBeGreaterThanOrEqual(one.startsAtMs);
      }),
    );
  });

  it("is found again by any time from its start to the next one's", () => {
    fc.assert(
      fc.property(schedules, fc.integer({ min: 0, max: 500 }), fc.double({ min: 0, max: 1, noNaN: true }), (given, index, part) => {
        const plan = planFrom(given);
        const [one, next] = [occurrence(plan, index), occurrence(plan, index + 1)];
        if (!one || !next) throw new Error("it repeats for ever");
        const at = Math.floor(one.startsAtMs + part * (next.startsAtMs - one.startsAtMs - 1));
        fc.pre(at < next.startsAtMs);
        expect(lastStarted(plan, at)).toBe(index);
        expect(lastStarted(plan, plan.startsAtMs - 1)).toBe(-1);
      }),
    );
  });
});

describe("windows in which it is maintenance", () => {
  const at = (text: string): number => Date.parse(text);
  const window = (schedule: MaintenanceSchedule, ...changes: Parameters<typeof maintenanceSpans>[0]["changes"]) => ({
    plan: planOf(schedule),
    changes,
  });
  const isActive = (one: ReturnType<typeof window>, time: string): boolean => maintenanceSpans(one, at(time), at(time)).length > 0;

  it.each([
    ["2026-03-28T01:29:59.999+01:00", false],
    ["2026-03-28T01:30:00+01:00", true],
    ["2026-03-28T03:29:59.999+01:00", true],
    ["2026-03-28T03:30:00+01:00", false],
    ["2026-03-29T03:29:00+02:00", true],
    ["2026-03-29T03:31:00+02:00", false],
    ["2036-03-28T02:00:00+01:00", true],
  ])("at %s: %s", (time, expected) => {
    expect(isActive(window(daily), time)).toBe(expected);
  });

  it("are those whose occurrence before the last still goes on", () => {
    const long = { ...daily, endsAt: "2026-03-29T02:30:00+01:00" };
    expect(isActive(window(long), "2026-03-29T03:00:00+02:00")).toBe(true);
    const overlapping = window(long, { index: 1, startsAtMs: 0, endsAtMs: 0, isOver: true });
    expect(isActive(overlapping, "2026-03-29T01:45:00+01:00")).toBe(true);
  });

  it("follow what users changed", () => {
    const moved = { index: 1, startsAtMs: at("2026-03-29T10:00:00Z"), endsAtMs: at("2026-03-29T11:00:00Z"), isOver: false };
    expect(isActive(window(daily, moved), "2026-03-29T01:45:00+01:00")).toBe(false);
    expect(isActive(window(daily, moved), "2026-03-29T10:30:00Z")).toBe(true);
    expect(isActive(window(daily, { ...moved, isOver: true }), "2026-03-29T10:30:00Z")).toBe(false);
    expect(isActive(window(daily, { ...moved, index: null }), "2026-03-29T01:45:00+01:00")).toBe(true);
  });
});
