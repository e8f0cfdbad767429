import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planRun, retryLocation } from "#domain/run-plan.ts";

describe("planRun", () => {
  it("takes the next location each time, data centers and private ones in turn", () => {
    let roundRobinIndex = 0;
    const seen: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const plan = planRun({ locations: ["a", "b"], privateLocations: ["c"], runParallel: false, roundRobinIndex });
      seen.push(...plan.locations);
      roundRobinIndex = plan.nextRoundRobinIndex;
    }
    expect(seen).toEqual(["a", "b", "c", "a", "b"]);
  });

  it("runs at all of them in parallel, each once", () => {
    expect(planRun({ locations: ["a", "a"], privateLocations: ["c"], runParallel: true, roundRobinIndex: 7 })).toEqual({
      locations: ["a", "c"],
      nextRoundRobinIndex: 7,
    });
  });

  it("copes with an index from a longer list, and with no location", () => {
    expect(planRun({ locations: ["a"], privateLocations: [], runParallel: false, roundRobinIndex: 9 })).toEqual({
      locations: ["a"],
      nextRoundRobinIndex: 0,
    });
    expect(planRun({ locations: [], privateLocations: [], runParallel: false, roundRobinIndex: 1 }).locations).toEqual([]);
  });
});

describe("retryLocation", () => {
  it("is another one, and all others in turn", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 6 }), fc.nat(), (all, pick) => {
        const failedAt = all[pick % all.length] ?? "";
        const visited = Array.from({ length: all.length - 1 }, (_, roll) => retryLocation(all, failedAt, roll));
        expect(new Set(visited)).toEqual(new Set(all.filter((each) => each !== failedAt)));
      }),
    );
  });

  it("is undefined where there is no other", () => {
    expect(retryLocation(["a"], "a", 3)).toBeUndefined();
    expect(retryLocation(["a", "b"], "gone", 0)).toBe("a");
  });
});
