import { describe, expect, it } from "vitest";
import type { MaintenanceStatus } from "#contract/maintenances.ts";
import { type MaintenanceState, statusOf, withChangedUpdate, withoutUpdate, withUpdate } from "#domain/maintenance-updates.ts";

const hour = 3_600_000;
const startMs = Date.UTC(2026, 4, 1, 10);
const planned: MaintenanceState = { startsAt: "2026-05-01T10:00:00Z", endsAt: "2026-05-01T12:00:00Z", updates: [] };
const rules = { timezone: null, autoStart: true, autoEnd: true };
const told = (state: MaintenanceState, status: MaintenanceStatus, nowMs: number, by = rules): MaintenanceState =>
  withUpdate(state, by, { id: `${status} ${nowMs}`, status, description: "", notifySubscribers: false }, nowMs);

describe("the status of a maintenance", () => {
  it.each<[string, number, MaintenanceStatus | null, { autoStart: boolean; autoEnd: boolean }, MaintenanceStatus]>([
    ["before", -1, null, { autoStart: true, autoEnd: true }, "SCHEDULED"],
    ["at its start", 0, null, { autoStart: true, autoEnd: true }, "IN_PROGRESS"],
    ["at its start", 0, null, { autoStart: false, autoEnd: true }, "SCHEDULED"],
    ["at its end", 2 * hour, null, { autoStart: true, autoEnd: true }, "COMPLETED"],
    ["at its end", 2 * hour, null, { autoStart: true, autoEnd: false }, "IN_PROGRESS"],
    ["meanwhile", hour, "VERIFYING", { autoStart: true, autoEnd: true }, "VERIFYING"],
    ["at its end", 2 * hour, "VERIFYING", { autoStart: true, autoEnd: true }, "COMPLETED"],
    ["at its end", 2 * hour, "VERIFYING", { autoStart: true, autoEnd: false }, "VERIFYING"],
    ["at its end", 2 * hour, "CANCELLED", { autoStart: true, autoEnd: true }, "CANCELLED"],
  ])("%s (%i ms), after %s, by %j is %5$s", (_when, offsetMs, status, flags, expected) => {
    const by = { ...rules, ...flags };
    const state = status === null ? planned : told(planned, status, startMs + 1, by);
    expect(statusOf(state, by, startMs + offsetMs)).toBe(expected);
  });

  const next = (from: MaintenanceStatus, to: MaintenanceStatus): MaintenanceState =>
    told(told(planned, from, startMs + hour), to, startMs + hour + 1);

  it.each<[MaintenanceStatus, MaintenanceStatus]>([
    ["IN_PROGRESS", "VERIFYING"],
    ["VERIFYING", "IN_PROGRESS"],
    ["VERIFYING", "CANCELLED"],
    ["COMPLETED", "COMPLETED"],
  ])("%s may become %s", (from, to) => {
    expect(next(from, to).updates.map(({ status }) => status)).toEqual([from, to]);
  });

  it.each<[MaintenanceStatus, MaintenanceStatus]>([
    ["IN_PROGRESS", "SCHEDULED"],
    ["COMPLETED", "IN_PROGRESS"],
    ["CANCELLED", "COMPLETED"],
  ])("%s cannot become %s", (from, to) => {
    expect(() => next(from, to)).toThrow(expect.objectContaining({ code: "conflict" }));
  });
});

describe("an update", () => {
  it("that begins and ends it before its time moves both, and gives them back", () => {
    const early = startMs - hour;
    const ended = told(planned, "COMPLETED", early);
    const now = new Date(early).toISOString();
    expect(ended).toMatchObject({ startsAt: now, endsAt: now });
    expect(withoutUpdate(ended, `COMPLETED ${early}`)).toEqual(planned);
  });

  it("gives back no time that was moved since, and none where it is not the newest", () => {
    const begun = told(planned, "IN_PROGRESS", startMs - hour);
    const id = `IN_PROGRESS ${startMs - hour}`;
    expect(withoutUpdate({ ...begun, startsAt: "2026-05-01T08:00:00Z" }, id)?.startsAt).toBe("2026-05-01T08:00:00Z");
    const verified = told(begun, "VERIFYING", startMs);
    expect(withoutUpdate(verified, id)).toMatchObject({ startsAt: begun.startsAt, updates: [{ status: "VERIFYING" }] });
    expect(withoutUpdate(verified, "another")).toBeUndefined();
  });

  it("that is changed counts as if it had been told at first", () => {
    const begun = told(planned, "IN_PROGRESS", startMs - hour);
    const id = `IN_PROGRESS ${startMs - hour}`;
    const changed = withChangedUpdate(begun, rules, id, { status: "SCHEDULED", description: "later" });
    expect(changed).toMatchObject({
      startsAt: planned.startsAt,
      updates: [{ id, status: "SCHEDULED", description: "later", createdAtMs: startMs - hour }],
    });
    expect(withChangedUpdate(begun, rules, "another", { description: "" })).toBeUndefined();
  });
});
