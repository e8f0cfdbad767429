import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { HopAnswer } from "../../../../src/agent/net/trace/hop-answer.ts";
import { longestWaitMs, type PathPlan, PathProbes } from "../../../../src/agent/net/trace/path-probes.ts";

const plan: PathPlan = { maxHops: 30, maxUnknownHops: 4, probesPerHop: 3, finalProbes: 3, window: 1 };
const router = (from: string): HopAnswer => ({ from, rttMs: 10, is: "router", says: "" });
const target: HopAnswer = { from: "t", rttMs: 12, is: "target", says: "open" };
const refusal: HopAnswer = { from: "r2", rttMs: 11, is: "unreachable", says: "host unreachable" };

/** Runs to the end; `answer` says what comes for the n-th probe with so many hops, null for silence. @returns hops in the order of sending */
function run(
  answer: (hop: number, sent: number) => HopAnswer | null,
  more: Partial<PathPlan> = {},
): { probes: PathProbes; hops: number[]; tookMs: number } {
  const probes = new PathProbes({ ...plan, ...more });
  const hops: number[] = [];
  let nowMs = 0;
  for (; !probes.isOver; nowMs += 10) {
    if (nowMs > 1_000_000) throw new Error("it never ends");
    for (let due = probes.next(nowMs); due !== null; due = probes.next(nowMs)) {
      const { hop, number } = due;
      hops.push(hop);
      const told = answer(hop, hops.filter((other) => other === hop).length);
      if (told !== null) probes.hear(number, told, nowMs);
    }
    probes.expire(nowMs);
  }
  return { probes, hops, tookMs: nowMs };
}

const threeHops = (hop: number): HopAnswer => (hop >= 3 ? target : router(`r${hop}`));

describe("the probes of a path", () => {
  it("go outwards to the target, and then over all hops again", () => {
    expect(run(threeHops).hops).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });

  it("go to the target more often than to routers, where that is wanted", () => {
    expect(run(threeHops, { finalProbes: 5 }).hops).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 3, 3]);
  });

  it("stop after so many silent hops in a row, and ask those that answered again", () => {
    const { hops, probes } = run((hop) => (hop <= 2 ? router(`r${hop}`) : null));
    expect(hops).toEqual([1, 2, 3, 4, 5, 6, 1, 2, 1, 2]);
    expect(probes).toMatchObject({ end: null, lastHeard: 2, lastAsked: 6 });
  });

  it("begin to count silent hops anew where one answers", () => {
    const { hops } = run((hop) => (hop % 4 === 0 ? router(`r${hop}`) : null), { probesPerHop: 1, finalProbes: 1, maxHops: 10 });
    expect(hops).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("stop at maxHops", () => {
    expect(run((hop) => router(`r${hop}`), { maxHops: 2 }).hops).toEqual([1, 2, 1, 2, 1, 2]);
  });

  it("stop where somebody refuses", () => {
    const { hops, probes } = run((hop) => (hop === 1 ? router("r1") : refusal), { finalProbes: 9 });
    expect(hops).toEqual([1, 2, 1, 2, 1, 2]);
    expect(probes.end).toMatchObject({ hop: 2, answer: { is: "unreachable" } });
  });

  it("find the target's own hop, though its first probe was lost and a later one arrived too", () => {
    const { probes, hops } = run((hop, sent) => (hop === 3 && sent === 1 ? null : threeHops(hop)));
    expect(hops).toEqual([1, 2, 3, 4, 1, 2, 3, 1, 2, 3]);
    expect(probes.end?.hop).toBe(3);
  });

  it("are no more under way than the window has room for", () => {
    const probes = new PathProbes({ ...plan, window: 3 });
    expect([1, 2, 3, 4].map(() => probes.next(0)?.hop ?? null)).toEqual([1, 2, 3, null]);
    probes.hear(1, router("r2"), 5);
    expect(probes.next(5)?.hop).toBe(4);
  });

  it("are waited for less long once silence has lasted, and never so long that the kernel sends a SYN again", () => {
    const { tookMs } = run(() => null, { maxUnknownHops: 15, maxHops: 30 });
    expect(tookMs).toBeLessThan(3 * longestWaitMs + 12 * 300 + 300);
  });

  it("take a late answer, but only the first one", () => {
    const probes = new PathProbes({ ...plan, window: 4 });
    const number = probes.next(0)?.number ?? -1;
    expect(probes.expire(longestWaitMs)).toEqual([number]);
    probes.hear(number, router("late"), 1_500);
    probes.hear(number, router("again"), 1_600);
    expect(probes.probes[number]?.answer?.from).toBe("late");
  });

  it("that did not leave this host say nothing", () => {
    const probes = new PathProbes(plan);
    const number = probes.next(0)?.number ?? -1;
    probes.unsent(number);
    probes.hear(number, router("r1"), 5);
    expect(probes.probes[number]).toMatchObject({ answer: null, isVoid: true });
  });

  it("end for every network, in bounded number", () => {
    const kinds = fc.constantFrom<HopAnswer | null>(null, router("r"), target, refusal);
    const window = fc.integer({ min: 1, max: 4 });
    const property = fc.property(
      fc.array(kinds, { minLength: 1, maxLength: 300 }),
      window,
      fc.integer({ min: 1, max: 64 }),
      (answers, size, maxHops) => {
        let asked = 0;
        const { hops, probes } = run(() => answers[asked++ % answers.length] ?? null, { window: size, maxHops });
        expect(hops.length).toBeLessThanOrEqual(maxHops * 3);
        expect(Math.max(...hops)).toBeLessThanOrEqual(maxHops);
        expect(probes.lastAsked - probes.lastHeard).toBeLessThanOrEqual(30);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});

describe("an answer that does not say whose it is", () => {
  it("is that of the only probe under way", () => {
    const probes = new PathProbes({ ...plan, window: 3 });
    const number = probes.next(0)?.number ?? -1;
    probes.hear(null, { ...router("old"), rttMs: null }, 7);
    expect(probes.probes[number]?.answer).toMatchObject({ from: "old", rttMs: 7 });
  });

  it("of several is nobody's: they are sent again one by one, when no answer to them can come any more", () => {
    const probes = new PathProbes({ ...plan, window: 3 });
    for (let due = probes.next(0); due !== null; due = probes.next(0));
    probes.hear(null, router("old"), 7);
    expect(probes.probes.map(({ isVoid }) => isVoid)).toEqual([true, true, true]);
    expect(probes.next(8)).toBeNull();
    expect(probes.isOver).toBe(false);
    expect([probes.next(7 + longestWaitMs)?.hop, probes.next(7 + longestWaitMs)]).toEqual([1, null]);
  });

  it("of the target's is that of the first probe beyond the routers", () => {
    const probes = new PathProbes({ ...plan, window: 3 });
    for (let due = probes.next(0); due !== null; due = probes.next(0));
    probes.hear(0, router("r1"), 3);
    probes.hear(null, target, 5);
    expect(probes.end?.hop).toBe(2);
  });
});
