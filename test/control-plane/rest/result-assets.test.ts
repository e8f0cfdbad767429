import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesName } from "../../../src/control-plane/rest/result-assets.ts";

describe("the name of an asset", () => {
  it.each([
    { pattern: "", name: "a.log", fits: true },
    { pattern: "race", name: "traceroute.txt", fits: true },
    { pattern: "TRACE", name: "traceroute.txt", fits: true },
    { pattern: "pcap", name: "traceroute.txt", fits: false },
    { pattern: "*", name: "a.log", fits: true },
    { pattern: "*.log", name: "a.log", fits: true },
    { pattern: "*.log", name: "a.log.gz", fits: false },
    { pattern: "a*b*c", name: "aXbXbXc", fits: true },
    { pattern: "a*b*c", name: "aXbX", fits: false },
    { pattern: "?.log", name: "a.log", fits: true },
    { pattern: "?.log", name: "ab.log", fits: false },
    { pattern: "a?", name: "a", fits: false },
    { pattern: "a.?og", name: "axlog", fits: false },
    { pattern: "a**", name: "a", fits: true },
  ])("$name fits $pattern: $fits", ({ pattern, name, fits }) => {
    expect(matchesName(pattern, name)).toBe(fits);
  });

  it("fits a pattern as the same regular expression does", () => {
    const text = (letters: readonly string[]) => fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 });
    fc.assert(
      fc.property(text(["a", "b", "*", "?"]), text(["a", "b"]), (pattern, name) => {
        fc.pre(/[*?]/.test(pattern));
        expect(matchesName(pattern, name)).toBe(new RegExp(`^${pattern.replaceAll("*", ".*").replaceAll("?", ".")}$`).test(name));
      }),
    );
  });

  it("is held against the worst pattern at once", () => {
    expect(matchesName(`${"*a".repeat(99)}b`, "a".repeat(60))).toBe(false);
  });
});
