import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backoffMs, retryAfterMs } from "#domain/backoff.ts";

describe("backoffMs", () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [6, 32_000],
    [7, 60_000],
    [5_000, 60_000],
  ])("after %i failures waits up to %i ms", (failures, limitMs) => {
    expect(backoffMs(failures, 0)).toBe(0);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (random) => backoffMs(failures, random) < limitMs),
    );
    expect(backoffMs(failures, 0.5)).toBe(limitMs / 2);
  });
});

describe("retryAfterMs", () => {
  const nowMs = Date.parse("2026-05-01T12:00:00Z");
  it.each([
    ["0", 0],
    ["30", 30_000],
    [" 30 ", 30_000],
    ["9999999999999999999999", 300_000],
    ["Fri, 01 May 2026 12:00:20 GMT", 20_000],
    ["Fri, 01 May 2026 11:00:00 GMT", 0],
    ["Sat, 02 May 2026 12:00:00 GMT", 300_000],
    ["Friday, 01-May-26 12:00:20 GMT", 20_000],
    ["Fri May  1 12:00:20 2026", 20_000],
    ["", undefined],
    ["-5", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["2026", 300_000],
    ["Fri, 99 Foo 2026 12:00:00 GMT", undefined],
    [null, undefined],
    [undefined, undefined],
  ])("%j: %s", (header, expected) => {
    expect(retryAfterMs(header, nowMs)).toBe(expected);
  });
  it("takes any text without throwing", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(retryAfterMs(text, nowMs) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
