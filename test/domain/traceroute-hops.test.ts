import { describe, expect, it } from "vitest";
import type { TracerouteHop } from "#contract/checks/traceroute.ts";
import { hopParts } from "#domain/traceroute-hops.ts";

const latency = { avg: null, min: null, max: null, stdDev: null };
const packets = { packetsSent: 3, packetsReceived: 0, packetLoss: 100, latency };
const hopOf = (answers: string, at: number): TracerouteHop => {
  const address = answers === "*" ? null : answers;
  return { hop: at + 1, address, hostname: null, addresses: [address ?? []].flat(), alternatives: [], ...packets };
};

describe("hops as people read them", () => {
  it.each([
    ["", ""],
    ["a", "1 a"],
    ["a b", "1 a, 2 b"],
    ["*", "1 *"],
    ["* * *", "1-3 *"],
    ["a * * b * c * *", "1 a, 2-3 *, 4 b, 5 *, 6 c, 7-8 *"],
  ])("of %j are %j: silent ones in a row are one", (answers, expected) => {
    const parts = hopParts(answers.split(" ").filter(Boolean).map(hopOf));
    const told = parts.map(({ first, last, hop }) => `${first === last ? first : `${first}-${last}`} ${hop?.address ?? "*"}`);
    expect(told.join(", ")).toBe(expected);
  });
});
