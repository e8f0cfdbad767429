import { describe, expect, it } from "vitest";
import { causeLine, longestTroubled } from "../../../src/control-plane/console/check/standing.ts";
import type { CheckTrouble, TroubledPlace } from "../../../src/control-plane/storage/storage.ts";

const at = (clock: string): number => Date.parse(`2026-09-15T${clock}:00Z`);
const place = (locationName: string, changes: Partial<TroubledPlace>): TroubledPlace => ({
  locationCode: locationName.toLowerCase(),
  locationName,
  standing: "degraded",
  sinceMs: at("09:32"),
  runs: 2,
  result: { id: 7, runAtMs: at("09:42") },
  error: null,
  ...changes,
});
const trouble: CheckTrouble = {
  of: 3,
  alert: null,
  places: [
    place("Paris", { standing: "failing", error: "expected 503 to equal 200" }),
    place("Berlin", {}),
    place("Lyon", { sinceMs: at("09:02"), runs: 5 }),
  ],
};

describe("how a check stands", () => {
  it("is so since it was at the first of its locations, with as many runs", () => {
    expect(longestTroubled("degraded", trouble)?.locationName).toBe("Lyon");
    expect(causeLine({ checkUuid: "c1", nowMs: at("10:00") }, "degraded", trouble).text).toMatch(/09:02.*5 runs in a row/);
  });

  it("is told with the newest error, and since when it fails, not since when it was degraded", () => {
    const { text } = causeLine({ checkUuid: "c1", nowMs: at("10:00") }, "failing", trouble);
    expect(text).toMatch(/^<p class="cause bad"><span class="error">expected 503 to equal 200<.*09:32.*2 runs in a row/);
    expect(longestTroubled("passing", trouble)).toBeUndefined();
  });

  it("is told with who looks after its alert, and with the incident that is open for it", () => {
    const alert = {
      id: 5,
      openedAtMs: at("09:35"),
      handling: {
        acknowledged: { atMs: at("09:40"), untilMs: at("23:40"), by: "Ana" },
        snoozed: null,
        assignee: { id: "p1", name: "Ben" },
      },
      degradedBy: null,
      incidentUuid: "i1",
    };
    const lineAt = (nowMs: number, changes: object = {}) =>
      causeLine({ checkUuid: "c1", nowMs }, "failing", { ...trouble, alert: { ...alert, ...changes } }).text;
    expect(lineAt(at("10:00"))).toMatch(
      /Acknowledged by Ana until .*Assigned to Ben.*\/alerts\/episodes\/.*View alert.*\/incidents\/i1".*Open incident/,
    );
    expect(lineAt(at("23:50"))).not.toContain("Acknowledged");
    expect(lineAt(at("10:00"), { incidentUuid: null })).not.toContain("/incidents/");
  });
});
