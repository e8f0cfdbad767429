import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { comparePaths, type TracedPath, tracedPath } from "#domain/traceroute-path.ts";

/** `a b|c * t`: hops by spaces, equal ways by bars, silence by a star. */
function path(text: string, more: Partial<TracedPath> = {}): TracedPath {
  const hops = text.split(" ").map((hop) => (hop === "*" ? [] : hop.split("|")));
  return { protocol: "TCP", target: "t", isReached: text.endsWith("t"), hops, ...more };
}

describe("comparePaths", () => {
  it.each([
    ["the same hops", "a b t", "a b t"],
    ["a hop that is silent now", "a b t", "a * t"],
    ["a hop that was silent", "a * t", "a b t"],
    ["another of two equal ways", "a b|c t", "a c t"],
    ["equal ways that were not all seen", "a b t", "a c|b t"],
    ["a target that is not reached any more", "a b t", "a b * * *"],
    ["a path that ends sooner without the target", "a b t", "a"],
    ["a target that is reached again", "a * *", "a b c t"],
  ])("is no change: %s", (_, before, now) => {
    expect(comparePaths(path(before), path(now))).toEqual({ is: "same" });
  });

  it.each([
    ["a b t", "a c t", "hop 2 is c instead of b"],
    ["a b|c t", "a d|e t", "hop 2 is d or e instead of b or c"],
    ["a b c t", "x b y t", "hop 1 is x instead of a; hop 3 is y instead of c"],
    ["a b *", "a c t", "hop 2 is c instead of b"],
    ["a b t", "a b c t", "4 hops instead of 3: behind hop 2 (b) it goes through c, before straight on"],
    ["a b c t", "a t", "2 hops instead of 4: behind hop 1 (a) it goes straight on, before through b, then c"],
    ["a b t", "a x y t", "4 hops instead of 3: behind hop 1 (a) it goes through x, then y, before through b"],
    ["a t", "t", "1 hop instead of 2: from the agent on it goes straight on, before through a"],
    ["a b t", "a * * t", "4 hops instead of 3: behind hop 2 it goes through a silent hop, before straight on"],
    ["a b|c|d|e|f t", "a x t", "hop 2 is x instead of b or c or d or 2 others"],
    [
      "a b c d e f t",
      "g h i j k l t",
      "hop 1 is g instead of a; hop 2 is h instead of b; hop 3 is i instead of c; hop 4 is j instead of d; hop 5 is k instead of e; and 1 more",
    ],
  ])("tells %s → %s", (before, now, words) => {
    expect(comparePaths(path(before), path(now))).toEqual({ is: "changed", words });
  });

  it.each([
    ["to another address", path("a t"), path("b t", { target: "u" })],
    ["by another protocol", path("a t"), path("b t", { protocol: "UDP" })],
    ["on which nobody answered", path("a t"), path("* *")],
    ["without a hop", path("a t"), { ...path("*"), hops: [] }],
  ])("does not compare a path %s", (_, before, now) => {
    expect(comparePaths(before, now)).toEqual({ is: "incomparable" });
    expect(comparePaths(now, before)).toEqual({ is: "incomparable" });
  });

  it("finds no path different from itself, whatever falls silent, and says changes both ways", () => {
    const hops = fc.array(fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 3 }), { minLength: 1, maxLength: 8 });
    const any = fc.record({ protocol: fc.constant("TCP"), target: fc.constant("t"), isReached: fc.boolean(), hops });
    const property = fc.property(any, any, fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), (one, other, silent) => {
      const quieter = { ...one, hops: one.hops.map((hop, at) => (silent[at] ? [] : hop)) };
      expect(comparePaths(one, quieter).is).not.toBe("changed");
      expect(comparePaths(one, other).is).toBe(comparePaths(other, one).is);
    });
    fc.assert(property);
  });
});

describe("tracedPath", () => {
  it("takes who answered at each hop from a result, and nothing that differs from run to run", () => {
    const latency = { avg: 1, min: 1, max: 1, stdDev: 0 };
    const hop = { hostname: "r.test", packetsSent: 3, packetsReceived: 3, packetLoss: 0, latency };
    const response = {
      hostname: "host.test",
      resolvedIp: "10.0.0.9",
      ipFamily: "IPv4",
      port: 443,
      protocol: "TCP",
      probeProtocol: "TCP SYN",
      totalHops: 2,
      destinationReached: true,
      destinationState: "open",
      refusal: null,
      packetLoss: 0,
      finalHopLatency: latency,
      hops: [
        { ...hop, hop: 1, address: "10.0.0.1", addresses: ["10.0.0.1"], alternatives: ["10.0.0.2"] },
        { ...hop, hop: 2, address: "10.0.0.9", addresses: ["10.0.0.9"], alternatives: [] },
      ],
    } as const;
    expect(tracedPath({ response: structuredClone(response) as never })).toEqual({
      protocol: "TCP",
      target: "10.0.0.9",
      isReached: true,
      hops: [["10.0.0.1", "10.0.0.2"], ["10.0.0.9"]],
    });
    expect(tracedPath({ response: null })).toBeNull();
  });
});
