import { describe, expect, it } from "vitest";
import { shortMemory } from "../../../src/control-plane/pages/public/short-memory.ts";

describe("what pages remember for a short while", () => {
  const remembering = (maxEntries = 2) => {
    const at = { ms: 0 };
    const made: string[] = [];
    const memory = shortMemory<string>({ ttlMs: 10, maxEntries, nowMs: () => at.ms });
    const ask = (key: string, outcome: () => Promise<string> = async () => key) =>
      memory(key, () => {
        made.push(key);
        return outcome();
      });
    return { at, made, ask };
  };

  it("is made once for all who ask, until its time is over", async () => {
    const { at, made, ask } = remembering();
    expect(await Promise.all([ask("a"), ask("a")])).toEqual(["a", "a"]);
    at.ms = 9;
    await ask("a");
    expect(made).toEqual(["a"]);
    at.ms = 10;
    await ask("a");
    expect(made).toEqual(["a", "a"]);
  });

  it("is no failure: the next one who asks tries again", async () => {
    const { made, ask } = remembering();
    await expect(ask("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await ask("a")).toBe("a");
    expect(made).toEqual(["a", "a"]);
  });

  it("is bounded: the oldest goes", async () => {
    const { made, ask } = remembering(2);
    for (const key of ["a", "b", "c", "b", "a"]) await ask(key);
    expect(made).toEqual(["a", "b", "c", "a"]);
  });
});
