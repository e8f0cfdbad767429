import { describe, expect, it } from "vitest";
import { emptyRollUp, rankOf, rollUps } from "../../../src/control-plane/console/groups/roll-up.ts";
import type { IndexedCheck } from "../../../src/control-plane/storage/storage.ts";

const nowMs = 1_800_000_000_000;
let ids = 0;

function check(group: number | null, status: "passing" | "degraded" | "failing" | null, changes: Partial<IndexedCheck> = {}): IndexedCheck {
  ids += 1;
  return {
    id: ids,
    uuid: crypto.randomUUID(),
    type: "API",
    name: `Check ${ids}`,
    activated: true,
    muted: false,
    mutedUntilMs: null,
    tags: [],
    searched: "",
    groupName: group === null ? null : "Shop",
    ofGroup: group === null ? null : { id: group, activated: true, muted: false },
    latest: status === null ? null : { status, startedAtMs: nowMs - 60_000, sslDaysRemaining: null },
    totals: { passed: 0, degraded: 0, failed: 0, responseTimeMs: 0 },
    ...changes,
  };
}

describe("how the checks of groups stand together", () => {
  it("counts each check of a group once by its state, and those that send no alerts beside it", () => {
    const sums = rollUps(
      [
        check(1, "passing"),
        check(1, "passing", { muted: true }),
        check(1, "degraded", { mutedUntilMs: nowMs + 1 }),
        check(1, "failing", { mutedUntilMs: nowMs }),
        check(1, null),
        check(1, "failing", { activated: false }),
        check(2, "passing", { latest: { status: "passing", startedAtMs: nowMs - 26 * 3_600_000, sslDaysRemaining: null } }),
        check(null, "failing"),
      ],
      nowMs,
    );
    expect([...sums.keys()]).toEqual([1, 2]);
    const one = sums.get(1);
    expect(one).toMatchObject({ checks: 6, muted: 2, worst: "failing" });
    expect(Object.fromEntries(one?.counts ?? [])).toEqual({ passing: 2, degraded: 1, failing: 1, "no data": 1, deactivated: 1 });
    // What is silent for too long tells nothing.
    expect(sums.get(2)?.worst).toBe("no data");
  });

  it("is as bad as the worst active check; what needs somebody comes first, and empty groups last", () => {
    const worst = (...checks: IndexedCheck[]) => rollUps(checks, nowMs).get(1) ?? emptyRollUp;
    const ordered = [
      worst(check(1, "passing"), check(1, "failing")),
      worst(check(1, "degraded"), check(1, "failing", { activated: false })),
      worst(check(1, null), check(1, "passing")),
      worst(check(1, "passing")),
      worst(check(1, "failing", { activated: false })),
      worst(),
    ];
    expect(ordered.map((one) => one.worst)).toEqual(["failing", "degraded", "no data", "passing", "deactivated", null]);
    expect(ordered.toSorted((a, b) => rankOf(a) - rankOf(b))).toEqual(ordered);
  });
});
