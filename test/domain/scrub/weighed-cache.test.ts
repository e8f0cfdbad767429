import { describe, expect, it } from "vitest";
import { WeighedCache } from "#domain/scrub/weighed-cache.ts";

function cacheOf(limits: { entries: number; bytes: number }): { get: (key: string) => string; made: string[] } {
  const made: string[] = [];
  const cache = new WeighedCache(limits, (key) => {
    made.push(key);
    return { value: key.toUpperCase(), bytes: key.length * 98 }; // with its key 100 for each letter
  });
  return { get: (key) => cache.get(key), made };
}

describe("WeighedCache", () => {
  it("keeps the entries used last, as many as it may", () => {
    const { get, made } = cacheOf({ entries: 2, bytes: 10_000 });
    for (const key of ["a", "b", "a", "c", "a", "b"]) expect(get(key)).toBe(key.toUpperCase());
    expect(made).toEqual(["a", "b", "c", "b"]);
  });

  it("keeps no more bytes than it may", () => {
    const { get, made } = cacheOf({ entries: 100, bytes: 400 });
    for (const key of ["aa", "b", "c", "dd", "b", "c", "aa"]) get(key);
    expect(made).toEqual(["aa", "b", "c", "dd", "aa"]);
  });

  it("makes what is too large by itself each time, and lets nothing else go for it", () => {
    const { get, made } = cacheOf({ entries: 100, bytes: 300 });
    for (const key of ["a", "large", "large", "a"]) get(key);
    expect(made).toEqual(["a", "large", "large"]);
  });
});
