import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InquiryLimits } from "../../../src/agent/evidence/inquiry-limits.ts";

describe("InquiryLimits", () => {
  it("looks into four failures at a time, and into the next when one is done", () => {
    const limits = new InquiryLimits();
    expect(["a", "b", "c", "d", "e"].map((subject) => limits.enter(subject, "job", 0))).toEqual([null, null, null, null, "busy"]);
    limits.leave();
    expect(limits.enter("e", "job", 1)).toBeNull();
  });

  it("looks into the same failure once in five minutes, but into every attempt of one job", () => {
    const limits = new InquiryLimits();
    const enter = (atMs: number, jobId = `job at ${atMs}`): unknown => {
      const skipped = limits.enter("db 5432 ECONNREFUSED", jobId, atMs);
      if (skipped === null) limits.leave();
      return skipped;
    };
    expect([0, 1, 299_999, 300_000, 300_001].map((atMs) => enter(atMs))).toEqual([null, "repeated", "repeated", null, "repeated"]);
    expect([enter(300_002, "job at 300000"), enter(300_003)]).toEqual([null, "repeated"]);
  });

  it("begins thirty in a minute, and never more than four at a time, whatever comes", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ gapMs: fc.integer({ min: 0, max: 4_000 }), ends: fc.boolean() }), { maxLength: 300 }), (events) => {
        const limits = new InquiryLimits();
        const begun: number[] = [];
        let running = 0;
        let nowMs = 0;
        for (const [index, { gapMs, ends }] of events.entries()) {
          nowMs += gapMs;
          if (ends && running > 0) {
            limits.leave();
            running -= 1;
          }
          if (limits.enter(`subject ${index}`, `job ${index}`, nowMs) !== null) continue;
          begun.push(nowMs);
          running += 1;
          expect(running).toBeLessThanOrEqual(4);
          expect(begun.filter((atMs) => nowMs - atMs < 60_000).length).toBeLessThanOrEqual(30);
        }
      }),
    );
  });
});
