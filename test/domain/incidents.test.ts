import { describe, expect, it } from "vitest";
import { durationMs, latestFirst, statusOf, stoppedAtMs } from "../../src/domain/incidents.ts";

const update = (status: "INVESTIGATING" | "IDENTIFIED" | "MONITORING" | "RESOLVED", publicAtMs: number) => ({ status, publicAtMs });

describe("an incident of status pages", () => {
  it.each([
    { updates: [], status: "INVESTIGATING", duration: null },
    { updates: [update("IDENTIFIED", 10)], status: "IDENTIFIED", duration: null },
    { updates: [update("IDENTIFIED", 10), update("RESOLVED", 70)], status: "RESOLVED", duration: 60 },
    // An update that is told later of an earlier moment.
    { updates: [update("IDENTIFIED", 10), update("RESOLVED", 70), update("MONITORING", 5)], status: "RESOLVED", duration: 65 },
    { updates: [update("RESOLVED", 70), update("INVESTIGATING", 80)], status: "INVESTIGATING", duration: null },
    // At the same moment the one that was written last counts.
    { updates: [update("INVESTIGATING", 10), update("RESOLVED", 10)], status: "RESOLVED", duration: 0 },
  ])("has the status of its latest update: $status after $duration", ({ updates, status, duration }) => {
    expect(statusOf(updates)).toBe(status);
    expect(durationMs(updates)).toBe(duration);
  });

  it("tells its updates from the latest to the first", () => {
    const [a, b, c] = [update("IDENTIFIED", 10), update("MONITORING", 30), update("MONITORING", 10)];
    expect(latestFirst([a, b, c])).toEqual([b, c, a]);
  });
});

describe("an incident of a dashboard", () => {
  it.each([
    { saidMs: null, statuses: ["INVESTIGATING"], expected: null },
    { saidMs: null, statuses: ["INVESTIGATING", "RESOLVED"], expected: 1 },
    { saidMs: 500, statuses: ["INVESTIGATING", "RESOLVED"], expected: 500 },
    { saidMs: 500, statuses: ["MAINTENANCE"], expected: 500 },
    { saidMs: null, statuses: ["RESOLVED", "INVESTIGATING"], expected: null },
  ] as const)("that is said to end at $saidMs and went through $statuses stopped at $expected", ({ saidMs, statuses, expected }) => {
    const updates = statuses.map((status, createdAtMs) => ({ status, createdAtMs }));
    expect(stoppedAtMs(saidMs, updates)).toBe(expected);
  });
});
