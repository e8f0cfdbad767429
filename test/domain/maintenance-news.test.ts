import { describe, expect, it } from "vitest";
import type { MaintenanceRecord } from "#domain/maintenance-effects.ts";
import { type AnnouncedWindow, isShownOn, maintenanceNews, maintenanceTelling } from "#domain/maintenance-news.ts";
import { type UpdateRecord, withUpdate } from "#domain/maintenance-updates.ts";

const visibility: AnnouncedWindow["statusPageVisibility"] = {
  enabled: true,
  severity: null,
  affectAllServices: false,
  suppressAutoIncidents: false,
  notifyOnStart: true,
  notifyOnEnd: true,
  reminderMinutesBefore: [60],
  autoStart: true,
  autoEnd: true,
  showAffectedServices: true,
  statusPageIds: [],
  serviceIds: [],
};
const nightly: AnnouncedWindow = {
  name: "Updates",
  description: "The shop is read-only.",
  startsAt: "2026-03-27T02:00",
  endsAt: "2026-03-27T04:00",
  repeatInterval: 1,
  repeatUnit: "DAY",
  repeatEndsAt: null,
  timezone: "Europe/Berlin",
  tags: [],
  pauseAllChecks: false,
  silenceAlertsTags: [],
  silenceAllAlerts: false,
  statusPageVisibility: visibility,
  plan: 0,
  plannedAtMs: Date.parse("2026-03-01T00:00Z"),
};
const once = { ...nightly, repeatInterval: null, repeatUnit: null };
const at = (text: string): number => Date.parse(text);
const seen = (changes: object): AnnouncedWindow => ({ ...once, statusPageVisibility: { ...visibility, ...changes } });
/** Of the first occurrence, which is from 01:00 to 03:00 UTC. */
const record = (changes: Partial<MaintenanceRecord> = {}): MaintenanceRecord => {
  const planned = { startsAt: once.startsAt, endsAt: once.endsAt };
  return { plan: 0, index: 0, planned, moved: {}, updates: [], isDeleted: false, ...changes };
};
const update = (status: UpdateRecord["status"], text: string, notifySubscribers = false, before: MaintenanceRecord = record()) => {
  const state = { ...before.planned, ...before.moved, updates: before.updates };
  const rules = { timezone: once.timezone, ...visibility };
  const { updates, startsAt, endsAt } = withUpdate(state, rules, { id: text, status, description: text, notifySubscribers }, at(text));
  const times = { ...(startsAt !== once.startsAt && { startsAt }), ...(endsAt !== once.endsAt && { endsAt }) };
  return { ...before, updates, moved: times };
};
/** What is told in this time, when each kind is told at its moment: one minute after the other. */
const told = (window: AnnouncedWindow, from: string, to: string, ...changed: readonly MaintenanceRecord[]): readonly string[] => {
  const minutes = Array.from({ length: (at(to) - at(from)) / 60_000 }, (_, n) => at(from) + n * 60_000);
  return minutes.flatMap((ms) =>
    maintenanceNews(window, changed, ms, ms + 60_000).map((news) => `${news.kind} ${new Date(news.atMs).toISOString().slice(5, 16)}`),
  );
};
/** What is told at once, by who comes back after so long. */
const late = (window: AnnouncedWindow, from: string, to: string, ...changed: readonly MaintenanceRecord[]): readonly string[] =>
  maintenanceNews(window, changed, at(from), at(to)).map(({ kind, index }) => `${kind} ${index}`);

describe("those who follow a status page", () => {
  it.each([
    ["a night of winter", "2026-03-27T12:00Z", ["REMINDER 03-28T00:00", "START 03-28T01:00", "END 03-28T03:00"]],
    // 02:00 does not exist: it begins at 03:00, an hour after the reminder that counts from it
    ["the night that skips its start", "2026-03-28T12:00Z", ["REMINDER 03-29T00:00", "START 03-29T01:00", "END 03-29T02:00"]],
    ["the first night of summer", "2026-03-29T12:00Z", ["REMINDER 03-29T23:00", "START 03-30T00:00", "END 03-30T02:00"]],
    ["the night with an hour that comes twice", "2026-10-24T12:00Z", ["REMINDER 10-24T23:00", "START 10-25T00:00", "END 10-25T03:00"]],
  ])("hear of maintenance before it, when it begins and when it is over: %s", (_night, from, expected) => {
    expect(told(nightly, from, new Date(at(from) + 18 * 3_600_000).toISOString())).toEqual(expected);
  });

  it("are told nothing that the window does not tell, nor of one that no page shows", () => {
    const silent = { notifyOnStart: false, notifyOnEnd: false, reminderMinutesBefore: [] };
    for (const changes of [silent, { enabled: false }]) expect(told(seen(changes), "2026-03-26T23:00Z", "2026-03-27T04:00Z")).toEqual([]);
    const one = told(seen({ ...silent, notifyOnEnd: true }), "2026-03-26T23:00Z", "2026-03-27T04:00Z");
    expect(one).toEqual(["END 03-27T03:00"]);
  });

  it("are told late what is still true, and of several reminders the last", () => {
    const reminding = seen({ reminderMinutesBefore: [60, 90, 1440] });
    expect(late(reminding, "2026-03-25T23:00Z", "2026-03-27T00:30Z")).toEqual(["REMINDER 0"]);
    expect(late(reminding, "2026-03-25T23:00Z", "2026-03-27T01:30Z")).toEqual(["START 0"]);
    expect(late(reminding, "2026-03-25T23:00Z", "2026-03-27T03:30Z")).toEqual(["END 0"]);
    expect(late(nightly, "2026-03-27T00:30Z", "2026-03-28T01:30Z")).toEqual(["END 0", "START 1"]);
  });

  it("hear of an occurrence at its new times, and not at those that it had", () => {
    const moved = record({ moved: { startsAt: "2026-03-27T05:00:00Z", endsAt: "2026-03-27T06:00:00Z" } });
    const expected = ["REMINDER 03-27T04:00", "START 03-27T05:00", "END 03-27T06:00"];
    expect(told(once, "2026-03-26T23:00Z", "2026-03-27T08:00Z", moved)).toEqual(expected);
  });

  it.each([
    ["deleted", record({ isDeleted: true })],
    ["called off", update("CANCELLED", "2026-03-26T12:00Z")],
  ])("hear nothing of one that is %s", (_how, changed) => {
    expect(told(once, "2026-03-26T23:00Z", "2026-03-27T04:00Z", changed)).toEqual([]);
  });

  it("hear of one that began before its window was planned anew, and of none that did not", () => {
    const anew = { ...once, startsAt: "2026-04-01", endsAt: "2026-04-02", plan: 1, plannedAtMs: at("2026-03-27T02:00Z") };
    expect(told(anew, "2026-03-27T02:00Z", "2026-03-27T04:00Z", record())).toEqual(["END 03-27T03:00"]);
    expect(told({ ...anew, plannedAtMs: at("2026-03-27T00:00Z") }, "2026-03-26T23:00Z", "2026-03-27T04:00Z", record())).toEqual([]);
  });

  it("hear of an early beginning and an early end when they are, by the update where it tells", () => {
    const began = update("IN_PROGRESS", "2026-03-27T00:30Z");
    const ended = update("COMPLETED", "2026-03-27T02:00Z", false, began);
    expect(told(once, "2026-03-27T00:00Z", "2026-03-27T02:00Z", began)).toEqual(["START 03-27T00:30"]);
    expect(told(once, "2026-03-27T01:00Z", "2026-03-27T04:00Z", ended)).toEqual(["END 03-27T02:00"]);
    const loud = update("COMPLETED", "2026-03-27T02:00Z", true, update("IN_PROGRESS", "2026-03-27T00:30Z", true));
    expect(told(once, "2026-03-27T00:00Z", "2026-03-27T04:00Z", loud)).toEqual(["UPDATE 03-27T00:30", "UPDATE 03-27T02:00"]);
  });

  it("wait for the update where the clock begins and ends nothing", () => {
    const byHand = seen({ autoStart: false, autoEnd: false, reminderMinutesBefore: [] });
    expect(told(byHand, "2026-03-27T00:00Z", "2026-03-27T05:00Z")).toEqual([]);
    const began = update("IN_PROGRESS", "2026-03-27T01:20Z", false, record({ moved: { startsAt: "2026-03-27T01:30:00Z" } }));
    expect(told(byHand, "2026-03-27T00:00Z", "2026-03-27T05:00Z", began)).toEqual(["START 03-27T01:20"]);
  });

  it("are told nothing by a mail that waited until it is true no more", () => {
    const [start] = maintenanceNews(once, [], at("2026-03-27T00:59Z"), at("2026-03-27T01:00Z"));
    const telling = (text: string, ...changed: readonly MaintenanceRecord[]) => maintenanceTelling(once, changed, start!, at(text))?.status;
    expect(telling("2026-03-27T01:10Z")).toBe("IN_PROGRESS");
    expect(telling("2026-03-27T03:00Z")).toBeUndefined();
    expect(telling("2026-03-27T01:10Z", update("CANCELLED", "2026-03-27T01:05Z"))).toBeUndefined();
    expect(telling("2026-03-27T01:10Z", record({ isDeleted: true }))).toBeUndefined();
    const [reminder] = maintenanceNews(once, [], at("2026-03-26T23:59Z"), at("2026-03-27T00:00Z"));
    const moved = record({ moved: { startsAt: "2026-03-28T01:00:00Z", endsAt: "2026-03-28T02:00:00Z" } });
    expect(maintenanceTelling(once, [moved], reminder!, at("2026-03-27T00:10Z"))).toBeUndefined();
    expect(maintenanceTelling(once, [], reminder!, at("2026-03-27T00:10Z"))).toMatchObject({ description: "The shop is read-only." });
  });

  it("are those of the pages that a window names, or that show a service of it", () => {
    const shown = (changes: object) => isShownOn("page", (id) => id === "one", { ...visibility, ...changes });
    expect(shown({})).toBe(true);
    expect(shown({ enabled: false })).toBe(false);
    expect(shown({ statusPageIds: ["PAGE"], serviceIds: ["two"] })).toBe(true);
    expect(shown({ statusPageIds: ["other"], serviceIds: ["one"] })).toBe(false);
    expect([shown({ serviceIds: ["ONE"] }), shown({ serviceIds: ["two"] })]).toEqual([true, false]);
    expect(shown({ serviceIds: ["two"], affectAllServices: true })).toBe(true);
  });
});
