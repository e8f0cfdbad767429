import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CheckHere, type LocationSeen, type Notice, nextSilence, notSilent, silentAfterMs } from "#domain/alerting/silence.ts";

const minute = 60_000;
const check = (checkId: number, dataMinute: number | null, intervalMinutes = 10, sinceMinute = 0): CheckHere => ({
  checkId,
  intervalMs: intervalMinutes * minute,
  dataMs: dataMinute === null ? null : dataMinute * minute,
  sinceMs: sinceMinute * minute,
});
const seen = (agentMinute: number | null, ...checks: readonly CheckHere[]): LocationSeen => ({
  agentSeenMs: agentMinute === null ? null : agentMinute * minute,
  checks,
});

/** Notices of looks at these minutes. */
function told(
  ...looks: readonly (readonly [atMinute: number, seen: LocationSeen])[]
): readonly (readonly [number, Notice["kind"], readonly number[]])[] {
  let state = notSilent;
  return looks.flatMap(([atMinute, of]) => {
    const step = nextSilence(state, of, atMinute * minute);
    state = step.state;
    return step.notices.map(({ kind, checkIds }) => [atMinute, kind, checkIds] as const);
  });
}

describe("data that stays away", () => {
  it("is told once when agents went silent, for all checks together, and nothing of each", () => {
    const silent = seen(5, check(2, 5), check(1, 5));
    expect(told([14, silent], [15, silent], [16, silent], [300, silent])).toEqual([[15, "AGENTS_SILENT", [1, 2]]]);
    expect(nextSilence(notSilent, silent, 300 * minute).marked).toEqual([1, 2]);
  });

  it("is told to be over when agents are back, and checks have their intervals again", () => {
    const [silent, back] = [seen(5, check(1, 5)), seen(100, check(1, 5))];
    expect(told([20, silent], [100, back], [109, seen(109, check(1, 5))])).toEqual([
      [20, "AGENTS_SILENT", [1]],
      [100, "AGENTS_BACK", []],
    ]);
    expect(told([20, silent], [100, back], [130, seen(130, check(1, 5))]).at(-1)).toEqual([130, "NO_DATA", [1]]);
  });

  it("is told once for a check that has none for three intervals while agents are there", () => {
    const without = (at: number) => [at, seen(at, check(1, 0), check(2, at))] as const;
    expect(told(without(29), without(30), without(31), [32, seen(32, check(1, 32), check(2, 32))])).toEqual([
      [30, "NO_DATA", [1]],
      [32, "DATA_AGAIN", [1]],
    ]);
  });

  it("counts from when the check was made, and a frequent check waits out the queue", () => {
    expect(told([29, seen(29, check(1, null))], [30, seen(30, check(1, null))])).toEqual([[30, "NO_DATA", [1]]]);
    expect(told([5, seen(5, check(1, 0, 1))], [6, seen(6, check(1, 0, 1))])).toEqual([[6, "NO_DATA", [1]]]);
    expect(told([70, seen(70, check(1, 10, 10, 60))])).toEqual([]);
  });

  it("is told of a location that never had an agent, and not of one without checks", () => {
    expect(told([10, seen(null, check(1, null))])).toEqual([[10, "AGENTS_SILENT", [1]]]);
    expect(told([100, seen(null)])).toEqual([]);
  });

  it("comes to notices that alternate, whatever happens: nothing is told twice in a row", () => {
    const look = fc.record({ wait: fc.integer({ min: 1, max: 40 }), agent: fc.boolean(), data: fc.boolean() });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 80 }), (looks) => {
        let [atMinute, agentMinute, dataMinute, state] = [0, 0, 0, notSilent];
        const kinds: Notice["kind"][] = [];
        for (const { wait, agent, data } of looks) {
          atMinute += wait;
          if (agent) agentMinute = atMinute;
          if (agent && data) dataMinute = atMinute;
          const step = nextSilence(state, seen(agentMinute, check(1, dataMinute)), atMinute * minute);
          state = step.state;
          kinds.push(...step.notices.map(({ kind }) => kind));
          expect(step.marked.length > 0).toBe(state.silentSinceMs !== null || state.withoutData.length > 0);
          expect(state.silentSinceMs !== null).toBe((atMinute - agentMinute) * minute >= silentAfterMs);
        }
        const ofAgents = kinds.filter((kind) => kind.startsWith("AGENTS"));
        expect(ofAgents).toEqual(ofAgents.map((_kind, index) => (index % 2 === 0 ? "AGENTS_SILENT" : "AGENTS_BACK")));
      }),
    );
  });
});
