import { describe, expect, it } from "vitest";
import { bucketEdges, bucketsOf, calendarBuckets, quickWindow, requestedWindow, timeZoneNamed } from "../../src/domain/time-range.ts";

const at = (text: string): number => Date.parse(text);
const iso = (ms: number): string => new Date(ms).toISOString().replace(":00.000Z", "Z");
const hour = 3_600_000;
/** A Wednesday; in Berlin it is Thursday, half past midnight. */
const now = at("2026-11-18T23:30:00Z");

describe("time zones", () => {
  it.each([
    ["Europe/Berlin", "Europe/Berlin"],
    ["europe/berlin", "Europe/Berlin"],
    ["UTC", "UTC"],
    ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["Etc/GMT+5", "Etc/GMT+5"],
    ["+02:00", null],
    ["Mars/Olympus", null],
    ["", null],
    ["../../etc/passwd", null],
    ["Europe/Berlin\n", null],
    ["A".repeat(5_000), null],
  ])("%j is %j", (given, expected) => {
    expect(timeZoneNamed(given)).toBe(expected);
  });
});

describe("quick ranges", () => {
  it.each([
    ["last24Hours", "UTC", "2026-11-17T23:30Z", "2026-11-18T23:30Z"],
    ["last7Days", "Europe/Berlin", "2026-11-11T23:30Z", "2026-11-18T23:30Z"],
    ["last30Days", "UTC", "2026-10-19T23:30Z", "2026-11-18T23:30Z"],
    ["thisWeek", "UTC", "2026-11-16T00:00Z", "2026-11-18T23:30Z"],
    ["thisWeek", "Europe/Berlin", "2026-11-15T23:00Z", "2026-11-18T23:30Z"],
    ["lastWeek", "Europe/Berlin", "2026-11-08T23:00Z", "2026-11-15T23:00Z"],
    ["thisMonth", "America/New_York", "2026-11-01T04:00Z", "2026-11-18T23:30Z"],
    ["lastMonth", "Europe/Berlin", "2026-09-30T22:00Z", "2026-10-31T23:00Z"],
  ] as const)("%s in %s is %s to %s", (range, timeZone, from, to) => {
    const window = quickWindow(range, now, timeZone);
    expect([iso(window.fromMs), iso(window.toMs)]).toEqual([from, to]);
  });

  it("begin a week on the Monday that has just come", () => {
    const midnight = at("2026-11-16T00:00:00Z");
    expect(quickWindow("thisWeek", midnight, "UTC")).toEqual({ fromMs: midnight, toMs: midnight });
    expect(iso(quickWindow("thisWeek", midnight - 1, "UTC").fromMs)).toBe("2026-11-09T00:00Z");
  });

  it("have a week of 167 or 169 hours where the clock was changed", () => {
    const hours = (nowText: string): number => {
      const { fromMs, toMs } = quickWindow("lastWeek", at(nowText), "Europe/Berlin");
      return (toMs - fromMs) / hour;
    };
    expect([hours("2026-04-01T12:00:00Z"), hours("2026-10-28T12:00:00Z"), hours("2026-05-06T12:00:00Z")]).toEqual([167, 169, 168]);
  });

  it("begin with the first instant of a day that has no midnight", () => {
    // In Santiago the clock went from 2026-09-05 24:00 to 01:00.
    expect(
      iso(bucketsOf({ fromMs: at("2026-09-06T12:00:00Z"), toMs: at("2026-09-06T13:00:00Z") }, 1440, "America/Santiago").startMs(0)),
    ).toBe("2026-09-06T04:00Z");
  });
});

describe("a requested window", () => {
  const asked = (from?: number, to?: number) => requestedWindow({ fromMs: from, toMs: to, range: "last24Hours" }, now, "UTC");

  it("takes its missing end from now, its missing start from the quick range at its end", () => {
    expect(asked()).toEqual({ fromMs: now - 24 * hour, toMs: now });
    expect(asked(now - 5 * hour)).toEqual({ fromMs: now - 5 * hour, toMs: now });
    expect(asked(undefined, now - 48 * hour)).toEqual({ fromMs: now - 72 * hour, toMs: now - 48 * hour });
    expect(asked(now - 3.7, now - 1.2)).toEqual({ fromMs: now - 4, toMs: now - 2 });
  });

  it.each([
    { from: now, to: now, message: /^"from" must be before "to"/ },
    { from: now + 1, to: undefined, message: /^"from" must be before now/ },
    { from: now - 801 * 24 * hour, to: undefined, message: /^"from" must be at most 800 days before now/ },
    { from: 0, to: now, message: /^"from" must be at most 800 days before "to"/ },
    { from: undefined, to: 8.64e15, message: /^"to" must be at most 800 days ahead/ },
  ])("cannot be $from to $to", ({ from, to, message }) => {
    expect(() => asked(from, to)).toThrow(expect.objectContaining({ code: "invalid_input", message: expect.stringMatching(message) }));
  });
});

describe("buckets", () => {
  const edges = (from: string, to: string, minutes: number, timeZone = "UTC", first = 0, count = 100): string[] => {
    const window = { fromMs: at(from), toMs: at(to) };
    return bucketEdges(bucketsOf(window, minutes, timeZone), window, first, count).map(iso);
  };

  it("of part of a day are counted from the epoch, the outer ones cut to the window", () => {
    expect(edges("2026-11-18T10:20:00Z", "2026-11-18T12:10:00Z", 60)).toEqual([
      "2026-11-18T10:20Z",
      "2026-11-18T11:00Z",
      "2026-11-18T12:00Z",
      "2026-11-18T12:10Z",
    ]);
    expect(edges("2026-11-18T10:00:00Z", "2026-11-18T11:00:00Z", 60)).toEqual(["2026-11-18T10:00Z", "2026-11-18T11:00Z"]);
  });

  it("of days begin at local midnight, also where a day has 25 hours", () => {
    expect(edges("2026-10-24T12:00:00Z", "2026-10-26T12:00:00Z", 1440, "Europe/Berlin")).toEqual([
      "2026-10-24T12:00Z",
      "2026-10-24T22:00Z",
      "2026-10-25T23:00Z",
      "2026-10-26T12:00Z",
    ]);
  });

  it("of weeks begin on Monday", () => {
    expect(edges("2026-11-09T00:00:00Z", "2026-11-18T00:00:00Z", 7 * 1440)).toEqual([
      "2026-11-09T00:00Z",
      "2026-11-16T00:00Z",
      "2026-11-18T00:00Z",
    ]);
  });

  it("tell where the first begins, even before the window", () => {
    const buckets = bucketsOf({ fromMs: at("2026-11-18T10:20:00Z"), toMs: at("2026-11-18T12:10:00Z") }, 60, "UTC");
    expect([buckets.count, iso(buckets.startMs(0))]).toEqual([3, "2026-11-18T10:00Z"]);
  });

  it("come in pages that meet", () => {
    const page = (first: number) => edges("2026-11-18T00:30:00Z", "2026-11-18T05:00:00Z", 60, "UTC", first, 2);
    expect([page(0), page(2), page(4), page(6)]).toEqual([
      ["2026-11-18T00:30Z", "2026-11-18T01:00Z", "2026-11-18T02:00Z"],
      ["2026-11-18T02:00Z", "2026-11-18T03:00Z", "2026-11-18T04:00Z"],
      ["2026-11-18T04:00Z", "2026-11-18T05:00Z"],
      [],
    ]);
  });

  it.each([
    [1, "UTC"],
    [7, "Asia/Kolkata"],
    [60, "Europe/Berlin"],
    [1440, "Europe/Berlin"],
    [2880, "America/New_York"],
    [10_080, "Australia/Lord_Howe"],
    [43_200, "Pacific/Apia"],
  ])("of %i minutes in %s cover every window without gap or overlap", (minutes, timeZone) => {
    for (const [startHour, length] of [
      [0, 1],
      [13, 50],
      [1_000.25, 700.5],
      [7_000, 5_000],
    ] as const) {
      const fromMs = at("2026-01-01T00:00:00Z") + startHour * hour;
      const window = { fromMs, toMs: fromMs + length * hour };
      const buckets = bucketsOf(window, minutes, timeZone);
      const all = bucketEdges(buckets, window, 0, buckets.count);
      expect([all[0], all.at(-1), all.length]).toEqual([window.fromMs, window.toMs, buckets.count + 1]);
      expect(all).toEqual([...new Set(all)].toSorted((a, b) => a - b));
      expect(buckets.startMs(0)).toBeLessThanOrEqual(fromMs);
      expect(buckets.startMs(1)).toBeGreaterThan(fromMs);
    }
  });

  it("of calendar months begin on the first", () => {
    const window = { fromMs: at("2026-09-15T00:00:00Z"), toMs: at("2026-12-01T00:00:00Z") };
    const buckets = calendarBuckets(window, "month", "Europe/Berlin");
    expect(bucketEdges(buckets, window, 0, buckets.count).map(iso)).toEqual([
      "2026-09-15T00:00Z",
      "2026-09-30T22:00Z",
      "2026-10-31T23:00Z",
      "2026-11-30T23:00Z",
      "2026-12-01T00:00Z",
    ]);
  });
});
