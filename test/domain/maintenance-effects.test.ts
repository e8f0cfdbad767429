import { describe, expect, it } from "vitest";
import { type Effect, effectOf, has, heldUntilMs, type MaintenanceRecord, type WindowRecord } from "#domain/maintenance-effects.ts";

const nightly: WindowRecord = {
  statusPageVisibility: { suppressAutoIncidents: false, affectAllServices: false, serviceIds: [] },
  startsAt: "2026-03-27T02:00",
  endsAt: "2026-03-27T04:00",
  repeatInterval: 1,
  repeatUnit: "DAY",
  repeatEndsAt: null,
  timezone: "Europe/Berlin",
  tags: ["database"],
  pauseAllChecks: false,
  silenceAlertsTags: ["shop"],
  silenceAllAlerts: false,
  plan: 0,
  plannedAtMs: Date.parse("2026-03-01T00:00Z"),
};
const at = (text: string): number => Date.parse(text);
const clock = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

function silencedUntil(window: WindowRecord, time: string, ...changed: readonly MaintenanceRecord[]): string | null {
  return clock(heldUntilMs([effectOf("silences", window, changed, at(time), at(time))], ["shop"], at(time)));
}

describe("a window that silences", () => {
  it.each([
    ["before it", nightly, "2026-03-27T00:59:59Z", null],
    ["from its start", nightly, "2026-03-27T01:00:00Z", "2026-03-27T03:00:00.000Z"],
    ["at its end", nightly, "2026-03-27T03:00:00Z", null],
    // 02:00 does not exist: it begins at 03:00, and ends at 04:00 as ever
    ["in the night that skips its start", nightly, "2026-03-29T00:59:00Z", null],
    ["in the night that skips its start, an hour later", nightly, "2026-03-29T01:00:00Z", "2026-03-29T02:00:00.000Z"],
    ["in the first night of summer", nightly, "2026-03-30T00:30:00Z", "2026-03-30T02:00:00.000Z"],
    ["in the night with an hour that comes twice, the first time", nightly, "2026-10-25T00:00:00Z", "2026-10-25T03:00:00.000Z"],
    ["in the night with an hour that comes twice, the second time", nightly, "2026-10-25T01:30:00Z", "2026-10-25T03:00:00.000Z"],
    [
      "on the 31st, in a month without one",
      { ...nightly, startsAt: "2027-12-31", endsAt: "2028-01-01", repeatUnit: "MONTH" },
      "2028-04-30T12:00:00Z",
      "2028-04-30T22:00:00.000Z",
    ],
    [
      "on a leap day",
      { ...nightly, startsAt: "2027-12-31", endsAt: "2028-01-01", repeatUnit: "MONTH" },
      "2028-02-29T12:00:00Z",
      "2028-02-29T23:00:00.000Z",
    ],
  ] as const)("%s", (_when, window, time, expected) => {
    expect(silencedUntil(window, time)).toBe(expected);
  });

  const moved = { startsAt: "2026-05-03T10:00:00Z", endsAt: "2026-05-03T11:00:00Z" };
  const third: MaintenanceRecord = {
    plan: 0,
    index: 37,
    planned: { startsAt: "2026-05-03T00:00:00.000Z", endsAt: "2026-05-03T02:00:00.000Z" },
    moved: {},
    updates: [],
    isDeleted: false,
  };
  const told = {
    id: "u",
    description: "",
    notifySubscribers: false,
    createdAtMs: 0,
    previousStatus: "SCHEDULED",
    previousStartsAt: "",
    previousEndsAt: "",
    dateAdjustments: null,
  } as const;
  it.each([
    ["as planned", third, "2026-05-03T01:00:00Z", "2026-05-03T02:00:00.000Z"],
    ["not when it was deleted", { ...third, isDeleted: true }, "2026-05-03T01:00:00Z", null],
    ["not when it was called off", { ...third, updates: [{ ...told, status: "CANCELLED" }] }, "2026-05-03T01:00:00Z", null],
    ["not when it was moved away", { ...third, moved }, "2026-05-03T01:00:00Z", null],
    ["where it was moved to", { ...third, moved }, "2026-05-03T10:30:00Z", "2026-05-03T11:00:00.000Z"],
    [
      "only as long as it was cut to",
      { ...third, moved: { endsAt: "2026-05-03T00:30:00Z" } },
      "2026-05-03T00:10:00Z",
      "2026-05-03T00:30:00.000Z",
    ],
  ] as const)("%s", (_what, record, time, expected) => {
    expect(silencedUntil(nightly, time, record)).toBe(expected);
  });

  it("goes on in the maintenance that had begun when its times were changed, and in no other of the earlier ones", () => {
    const window = {
      ...nightly,
      startsAt: "2026-06-01T02:00",
      endsAt: "2026-06-01T03:00",
      plan: 1,
      plannedAtMs: at("2026-05-03T01:00:00Z"),
    };
    expect(silencedUntil(window, "2026-05-03T01:30:00Z", third)).toBe("2026-05-03T02:00:00.000Z");
    expect(silencedUntil({ ...window, plannedAtMs: at("2026-05-02T00:00:00Z") }, "2026-05-03T01:30:00Z", third)).toBeNull();
  });
});

describe("who is chosen", () => {
  const span = { startsAtMs: 0, endsAtMs: 10 };
  const effects: readonly Effect[] = [
    { tags: new Set(["shop", "web"]), spans: [span] },
    { tags: new Set(["web"]), spans: [{ startsAtMs: 5, endsAtMs: 20 }] },
  ];

  it.each([
    [["shop"], 6, 10],
    [["web", "x"], 6, 20],
    [["web"], 4, 10],
    [["web"], 20, null],
    [["Shop"], 6, null],
    [[], 6, null],
  ])("of %j at %i: until %s", (tags, atMs, expected) => {
    expect(heldUntilMs(effects, tags, atMs)).toBe(expected);
  });

  it("is everybody, also without tags, where all are", () => {
    const all = effectOf("silences", { ...nightly, silenceAllAlerts: true }, [], at("2026-03-27T02:00:00Z"), at("2026-03-27T02:00:00Z"));
    expect(clock(heldUntilMs([all], [], at("2026-03-27T02:00:00Z")))).toBe("2026-03-27T03:00:00.000Z");
  });

  it("is told by effect: what pauses runs silences nothing by itself", () => {
    const pausing = { ...nightly, silenceAlertsTags: [] };
    expect([has("pauses", pausing), has("silences", pausing)]).toEqual([true, false]);
    expect([has("pauses", { ...pausing, tags: [] }), has("pauses", { ...pausing, tags: [], pauseAllChecks: true })]).toEqual([false, true]);
  });
});
