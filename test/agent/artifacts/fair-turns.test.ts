import { describe, expect, it } from "vitest";
import { FairTurns } from "../../../src/agent/artifacts/fair-turns.ts";

/** In which order turns come to those who ask for them in this one, all at once. */
async function orderOf(keys: readonly string[]): Promise<string> {
  const turns = new FairTurns();
  const order: string[] = [];
  const all = keys.map(async (key) => {
    using _turn = await turns.take(key);
    order.push(key);
    await new Promise(setImmediate);
  });
  await Promise.all(all);
  return order.join("");
}

describe("fair turns", () => {
  it("come in the order of asking for one key", async () => {
    const turns = new FairTurns();
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3].map(async (number) => {
        using _turn = await turns.take("a");
        order.push(number);
      }),
    );
    expect(order).toEqual([1, 2, 3]);
  });

  it.each([
    ["aaaab", "abaaa"],
    ["aaabbbc", "abcabab"],
    ["ab", "ab"],
  ])("of %s come as %s", async (asked, given) => {
    expect(await orderOf(Array.from(asked))).toBe(given);
  });

  it("can be taken again after all were given back", async () => {
    const turns = new FairTurns();
    (await turns.take("a"))[Symbol.dispose]();
    using turn = await turns.take("a");
    expect(turn).toBeDefined();
  });
});
