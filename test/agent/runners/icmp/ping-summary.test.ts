import fc from "fast-check";
import { expect, it } from "vitest";
import type { Echo } from "../../../../src/agent/net/icmp/echo-run.ts";
import { summarize } from "../../../../src/agent/runners/icmp/ping-summary.ts";

/** Numbers are round trips, null is a lost request, "unsent" one that never left. */
function echoes(...fates: readonly (number | null | "unsent")[]): Echo[] {
  return fates.map((fate, index) => ({
    sequence: index + 1,
    wasSent: fate !== "unsent",
    rttMs: typeof fate === "number" ? fate : null,
    ttl: typeof fate === "number" ? 64 : null,
    type: typeof fate === "number" ? 0 : null,
    code: typeof fate === "number" ? 0 : null,
    from: null,
  }));
}

it.each([
  // ping's own words for these three: rtt min/avg/max/mdev = 1.000/2.000/3.000/0.816 ms
  { fates: [1, 2, 3], packetLoss: 0, latency: { min: 1, avg: 2, max: 3, stdDev: 0.816 } },
  { fates: [1.23456, null, null], packetLoss: 66.667, latency: { min: 1.235, avg: 1.235, max: 1.235, stdDev: 0 } },
  { fates: [null, null], packetLoss: 100, latency: { min: null, avg: null, max: null, stdDev: null } },
  { fates: [4, "unsent"], packetLoss: 0, latency: { min: 4, avg: 4, max: 4, stdDev: 0 } },
  { fates: ["unsent"], packetLoss: 100, latency: { min: null, avg: null, max: null, stdDev: null } },
] as const)("$fates: $packetLoss % lost", ({ fates, packetLoss, latency }) => {
  expect(summarize(echoes(...fates))).toMatchObject({ packetLoss, latency });
});

type Known = Record<"min" | "avg" | "max" | "stdDev", number>;

it("counts, and keeps the minimum, average and maximum in order", () => {
  const fate = fc.oneof(fc.double({ min: 0, max: 2_000, noNaN: true }), fc.constant(null), fc.constant("unsent" as const));
  const property = fc.property(fc.array(fate, { minLength: 1, maxLength: 50 }), (fates) => {
    const { packetsSent, packetsReceived, packetLoss, latency, pingResults } = summarize(echoes(...fates));
    expect(packetsReceived).toBe(pingResults.filter(({ success }) => success).length);
    expect(packetsReceived).toBeLessThanOrEqual(packetsSent);
    expect(packetLoss).toBeGreaterThanOrEqual(0);
    expect(packetLoss).toBeLessThanOrEqual(100);
    const { min, avg, max, stdDev } = { min: 0, avg: 0, max: 0, stdDev: 0, ...(packetsReceived > 0 ? latency : {}) } as Known;
    expect(min).toBeLessThanOrEqual(avg);
    expect(avg).toBeLessThanOrEqual(max);
    expect(stdDev).toBeLessThanOrEqual((max - min) / 2 + 0.002);
  });
  fc.assert(property);
});
