import { describe, expect, it } from "vitest";
import { hasCode } from "#domain/app-error.ts";
import { createRateLimiter } from "../../../src/control-plane/http/rate-limit.ts";
import { ttlCache } from "../../../src/domain/ttl-cache.ts";

describe("createRateLimiter", () => {
  it("gives each caller and each class a window of its own, which begins with the first request", () => {
    let now = 1_000;
    const count = createRateLimiter({ a: { requests: 2, windowSeconds: 10 }, b: { requests: 1, windowSeconds: 1 } }, () => now);
    const isRefused = (limitClass: string, caller: string): boolean => {
      try {
        count(limitClass, caller);
        return false;
      } catch (error) {
        return hasCode(error, "rate_limited");
      }
    };
    expect([isRefused("a", "x"), isRefused("a", "x"), isRefused("a", "x")]).toEqual([false, false, true]);
    expect([isRefused("a", "y"), isRefused("b", "x"), isRefused("unlimited", "x")]).toEqual([false, false, false]);
    now += 9_999;
    expect(isRefused("a", "x")).toBe(true);
    now += 1;
    expect(isRefused("a", "x")).toBe(false);
    expect(["2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8:0:1::1"].map((address) => isRefused("a", address))).toEqual([
      false,
      false,
      true,
      false,
    ]);
  });
});

describe("ttlCache", () => {
  it("asks again after the time, never keeps a miss, and stays within its bound", async () => {
    let now = 0;
    const asked: string[] = [];
    const { get: find, forget } = ttlCache({ ttlMs: 10, maxEntries: 2, nowMs: () => now }, async (key) => {
      asked.push(key);
      return key === "missing" ? undefined : key.toUpperCase();
    });
    expect([await find("a"), await find("a"), await find("missing"), await find("missing")]).toEqual(["A", "A", undefined, undefined]);
    expect(asked).toEqual(["a", "missing", "missing"]);
    now = 10;
    await find("a");
    await find("b");
    await find("c");
    await find("a");
    expect(asked.slice(3)).toEqual(["a", "b", "c", "a"]);
    forget("a");
    await find("a");
    expect(asked.slice(7)).toEqual(["a"]);
  });

  it("asks once, however many want a key at the same time; who waited for a miss asks again", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { promise: miss, resolve: resolveMiss } = Promise.withResolvers<undefined>();
    const answers: Promise<string | undefined>[] = [promise, miss, Promise.resolve("made meanwhile")];
    const { get } = ttlCache({ ttlMs: 10, maxEntries: 2, nowMs: () => 0 }, () => answers.shift() ?? Promise.resolve(undefined));
    const many = [get("a"), get("a"), get("a")];
    resolve("value");
    expect(await Promise.all(many)).toEqual(["value", "value", "value"]);
    const two = [get("b"), get("b")];
    resolveMiss(undefined);
    expect(await Promise.all(two)).toEqual([undefined, "made meanwhile"]);
  });

  it("does not keep what was loaded before it was told to forget", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const answers = [promise, Promise.resolve(undefined)];
    const { get, forget } = ttlCache({ ttlMs: 10, maxEntries: 2, nowMs: () => 0 }, () => answers.shift() ?? Promise.resolve(undefined));
    const first = get("a");
    forget("a");
    resolve("old");
    expect([await first, await get("a")]).toEqual(["old", undefined]);
  });
});
