import { describe, expect, it } from "vitest";
import { bucketText } from "../../../../src/control-plane/pages/browser/time-axis.ts";

describe("the time of a point in a chart", () => {
  const at = (text: string): number => new Date(`2026-11-22T${text}`).getTime();

  it("is told from and to, and once where both are in the same minute", () => {
    expect(bucketText(at("20:46:00"), at("20:56:00"))).toMatch(/^22 Nov 2026, 20:46 – 20:56 \S+$/);
    expect(bucketText(at("20:46:00"), at("20:46:30"))).toMatch(/^22 Nov 2026, 20:46 \S+$/);
    expect(bucketText(at("23:59:00"), at("23:59:00") + 86_400_000)).toMatch(/^22 Nov 2026, 23:59 – 23 Nov 2026, 23:59 \S+$/);
  });
});
