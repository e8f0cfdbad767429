import { describe, expect, it } from "vitest";
import { countText, durationText, lengthText, percentText, spanElements, timeElement } from "../../../src/control-plane/view/units.ts";

describe("numbers on pages", () => {
  it.each([
    [0, "0 ms"],
    [0.0424, "0.042 ms"],
    [0.25, "0.3 ms"],
    [7, "7 ms"],
    [84.4, "84 ms"],
    [999.4, "999 ms"],
    [999.6, "1.00 s"],
    [1_240, "1.24 s"],
    [12_340, "12.3 s"],
    [120_000, "120 s"],
  ])("%f ms is %s", (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });

  it.each([
    [100, "100 %"],
    [99.999, "99.99 %"],
    [99.5, "99.5 %"],
    [50, "50 %"],
    [0.04, "0 %"],
    [0, "0 %"],
  ])("a share of %f is %s: only what never failed is 100", (percent, text) => {
    expect(percentText(percent)).toBe(text);
  });

  it.each([
    [0, "1 min"],
    [35 * 60_000, "35 min"],
    [4 * 3_600_000, "4 h"],
    [4.5 * 3_600_000, "4 h 30 min"],
    [50 * 3_600_000, "2 d 2 h"],
    [48 * 3_600_000, "2 d"],
  ])("%f ms of an incident are %s", (ms, text) => {
    expect(lengthText(ms)).toBe(text);
  });

  it("count in words, and tell times with their zone", () => {
    expect([countText(1, "check"), countText(1_200, "check")]).toEqual(["1 check", "1,200 checks"]);
    const at = Date.UTC(2026, 10, 2, 4, 5);
    expect(timeElement(at).text).toBe('<time datetime="2026-11-02T04:05:00.000Z">2 Nov 2026, 04:05 UTC</time>');
    expect(spanElements(at, at + 3_600_000, "to").text).toMatch(/2 Nov 2026, 04:05 UTC<\/time> to <time[^>]*>05:05 UTC/);
    expect(spanElements(at, at + 86_400_000, "to").text).toMatch(/to <time[^>]*>3 Nov 2026, 04:05 UTC/);
  });
});
