import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fairPlaces, type Placed, type PlaceLimits } from "../../../src/domain/alerting/fair-places.ts";

const limits: PlaceLimits = { total: 8, account: 4, slow: 2 };

/** Accounts by letters; slow receivers by capitals. */
const placed = (letters: string): readonly (Placed & { readonly at: number })[] =>
  letters.split("").map((letter, at) => ({ accountId: letter.toLowerCase().charCodeAt(0) - 96, isSlow: letter < "a", at }));
const letterOf = ({ accountId, isSlow }: Placed): string => String.fromCharCode(accountId + (isSlow ? 64 : 96));
const given = (waiting: string, taken = ""): string => fairPlaces(placed(waiting), placed(taken), limits).map(letterOf).join("");

describe("places for messages", () => {
  it.each([
    ["nobody who waits", "", "aaa", ""],
    ["one who waits", "a", "", "a"],
    ["an account alone, up to its own limit", "aaaaaaaa", "", "aaaa"],
    ["an account beside what it has", "aaaa", "aaa", "a"],
    ["an account that has all of its own", "aa", "aaaa", ""],
    ["accounts that take turns", "aaabbb", "", "ababab"],
    ["who has fewest first", "aabb", "aa", "bbaa"],
    ["up to the limit of all", "aaaabbbbcccc", "", "abcabcab"],
    ["the first place of an account beyond it", "aab", "ccccdddd", "ab"],
    ["slow receivers, up to their part", "AAAAa", "", "AAa"],
    ["no slow receiver beside enough of them", "AAa", "AA", "a"],
    ["slow receivers of each account for itself", "AABB", "AA", "BB"],
  ])("go to %s: %s beside %s", (_what, waiting, taken, expected) => {
    expect(given(waiting, taken)).toBe(expected);
  });

  it("go to the first of an account's own", () => {
    expect(fairPlaces(placed("aaaaa"), placed("aa"), limits).map(({ at }) => at)).toEqual([0, 1]);
  });

  it("are never more than the limits say, and no account without one waits", () => {
    const anyone = fc.array(fc.record({ accountId: fc.integer({ min: 1, max: 5 }), isSlow: fc.boolean() }), { maxLength: 60 });
    fc.assert(
      fc.property(anyone, anyone, (waiting, before) => {
        const taken = fairPlaces(before, [], limits);
        const all = [...taken, ...fairPlaces(waiting, taken, limits)];
        const byAccount = Map.groupBy(all, ({ accountId }) => accountId);
        for (const { accountId } of waiting) expect(byAccount.has(accountId)).toBe(true);
        for (const own of byAccount.values()) {
          expect(own.length).toBeLessThanOrEqual(limits.account);
          expect(own.filter(({ isSlow }) => isSlow).length).toBeLessThanOrEqual(limits.slow);
        }
        expect(all.length).toBeLessThanOrEqual(limits.total + byAccount.size);
      }),
    );
  });
});
