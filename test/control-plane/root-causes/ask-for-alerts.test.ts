import { describe, expect, it } from "vitest";
import { createAlertAsking } from "../../../src/control-plane/root-causes/ask-for-alerts.ts";
import type { AccountRow, AnalysisRow, LookedEpisode, UnaskedEpisode } from "../../../src/control-plane/storage/storage.ts";

const minute = 60_000;
/** The error group that has an analysis. */
const analysed = 7;

const ofGroup = (errorGroupId: number | null) => (errorGroupId === null ? null : { errorGroupId, testFailureGroupId: null });

/** A store that hands out what waits, and keeps what was asked. */
function asking(settings: Readonly<Record<string, unknown>> = {}) {
  const waiting: UnaskedEpisode[] = [];
  const looked: LookedEpisode[] = [];
  let nowMs = 0;
  let id = 0;
  const ask = createAlertAsking({
    analyses: {
      unaskedEpisodes: async (_nowMs, limit) => waiting.slice(0, limit),
      latest: async (_account, { errorGroupId }) => (errorGroupId === analysed ? ({} as AnalysisRow) : undefined),
      async ask(_nowMs, some) {
        waiting.splice(0, some.length);
        looked.push(...some);
        return some.length;
      },
    },
    accounts: { byId: async () => ({ settings }) as AccountRow },
    nowMs: () => nowMs,
  });
  return {
    ask,
    open: (accountId: number, count: number, errorGroupId: number | null = 1, isAgain = false) =>
      waiting.push(...Array.from({ length: count }, () => ({ id: (id += 1), accountId, of: ofGroup(errorGroupId), isAgain }))),
    wanted: (accountId: number) => looked.filter((one) => one.accountId === accountId && one.wanted !== null).length,
    looked: () => looked.length,
    goOn: (ms: number) => (nowMs += ms),
  };
}

describe("asking for analyses of alerts", () => {
  it("asks for the first 20 of an account in five minutes, however many looks a storm takes, and for those of others beside it", async () => {
    const site = asking();
    site.open(1, 500);
    site.open(2, 3);
    for (let count = 0; count < 4; count += 1) await site.ask();
    expect([site.wanted(1), site.wanted(2), site.looked()]).toEqual([20, 3, 503]);
    site.open(1, 5);
    await site.ask();
    expect(site.wanted(1)).toBe(20);
    site.goOn(6 * minute);
    site.open(1, 5);
    await site.ask();
    expect(site.wanted(1)).toBe(25);
  });

  it("asks for none without an error, and for none where the account does not want that", async () => {
    const site = asking();
    site.open(1, 2, null);
    expect(await site.ask()).toBe(2);
    expect([site.wanted(1), site.looked(), await site.ask()]).toEqual([0, 2, 0]);
    const other = asking({ rootCauses: "asked" });
    other.open(1, 2);
    await other.ask();
    expect([other.wanted(1), other.looked()]).toEqual([0, 2]);
  });

  it("asks again for those that were analysed, whatever else was asked for, and for no others", async () => {
    const site = asking();
    site.open(1, 30);
    await site.ask();
    site.open(1, 3, analysed, true);
    site.open(1, 2, 8, true);
    await site.ask();
    expect([site.wanted(1), site.looked()]).toEqual([23, 35]);
    const other = asking({ rootCauses: "asked" });
    other.open(1, 2, analysed, true);
    await other.ask();
    expect([other.wanted(1), other.looked()]).toEqual([0, 2]);
  });
});
