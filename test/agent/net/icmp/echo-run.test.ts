import fc from "fast-check";
import { expect, it } from "vitest";
import { lookDelayMs, replyLimitMs } from "../../../../src/agent/net/icmp/echo-run.ts";

/** The waits after which the socket is looked at, until the limit. */
function looks(longestMs: number): number[] {
  const at: number[] = [];
  for (let waitedMs = 0; waitedMs < replyLimitMs; waitedMs += lookDelayMs(waitedMs, longestMs)) at.push(waitedMs);
  return at;
}

it("looks again soon after a reply could be there, seldom later, and never much after the limit", () => {
  const property = fc.property(fc.double({ min: 0, max: replyLimitMs, noNaN: true }), (longestMs) => {
    const at = looks(longestMs);
    expect(at.length).toBeLessThan(70);
    expect(at.every((waitedMs) => waitedMs === 0 || waitedMs >= Math.min(longestMs, 1))).toBe(true);
    const last = at.at(-1) ?? 0;
    expect(last + lookDelayMs(last, longestMs)).toBeLessThanOrEqual(replyLimitMs + 1);
  });
  fc.assert(property);
});

it("finds a reply within half of its round trip", () => {
  const property = fc.property(fc.double({ min: 2, max: 1_900, noNaN: true }), (rttMs) => {
    const found = looks(0).find((waitedMs) => waitedMs >= rttMs) ?? replyLimitMs;
    expect(found - rttMs).toBeLessThanOrEqual(Math.max(1, Math.min(rttMs / 2 + 0.5, 50)));
  });
  fc.assert(property);
});
