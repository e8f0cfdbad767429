import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Breaker, breakerAfter, closedBreaker, failuresToOpen, restMs } from "../../../src/domain/alerting/breaker.ts";
import {
  attemptsAlone,
  type DeliveryOutcome,
  longestRetryDelayMs,
  maxRetryDelayMs,
  stepAfter,
} from "../../../src/domain/alerting/delivery-plan.ts";
import { maxDigest, nextMessage, stormSize } from "../../../src/domain/alerting/digest-plan.ts";

const ok: DeliveryOutcome = { ok: true, status: "200" };
const down = (retryAfterMs?: number): DeliveryOutcome => ({
  ok: false,
  status: "503",
  isRetryable: true,
  isReceiverDown: true,
  retryAfterMs,
});
const refused: DeliveryOutcome = { ok: false, status: "403", isRetryable: false, isReceiverDown: false };

const hour = 3_600_000;
const day = 24 * hour;

describe("a delivery", () => {
  it.each([
    ["one that arrived", ok, 1, 0, { kind: "delivered" }],
    ["one that arrived late", ok, 200, 2 * day, { kind: "delivered" }],
    ["a first failure", down(), 1, 0, { kind: "again", inMs: 20_000 }],
    ["a second failure", down(), 2, 20_000, { kind: "again", inMs: 40_000 }],
    ["a fifth failure", down(), 5, hour, { kind: "again", inMs: 320_000 }],
    ["a hundredth failure", down(), 100, hour, { kind: "again", inMs: longestRetryDelayMs }],
    ["a failure shortly before the end", down(), 100, day - 5_000, { kind: "again", inMs: 5_000 }],
    ["a failure at the end", down(), 100, day, { kind: "given_up", because: "retries_used_up", inMs: longestRetryDelayMs }],
    ["one that will never do", refused, 1, 0, { kind: "given_up", because: "permanent", inMs: null }],
    ["a wish to wait", down(45_000), 1, 0, { kind: "again", inMs: 45_000 }],
    ["a wish to come sooner", down(1_000), 1, 0, { kind: "again", inMs: 20_000 }],
    ["a wish to come next year", down(31_536_000_000), 1, 0, { kind: "again", inMs: maxRetryDelayMs }],
  ])("after %s: %#", (_what, outcome, attempts, waitedMs, expected) => {
    expect(stepAfter(outcome, { attempts, waitedMs, retryForMs: day })).toEqual(expected);
  });

  it("ends within its time, at a bounded rate, whatever its receiver wishes", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat()), { maxLength: 10 }), fc.integer({ min: 0, max: 72 }), (wishes, hours) => {
        let waitedMs = 0;
        for (let attempts = 1; ; attempts += 1) {
          const step = stepAfter(down(wishes[attempts] ?? undefined), { attempts, waitedMs, retryForMs: hours * hour });
          if (step.kind === "again") {
            waitedMs += step.inMs;
            continue;
          }
          expect(waitedMs - hours * hour).toBeLessThan(1_000);
          expect(attempts).toBeLessThanOrEqual(8 + hours * 6);
          return true;
        }
      }),
    );
  });
});

describe("the breaker of a channel", () => {
  const afterFailures = (count: number, from: Breaker = closedBreaker): Breaker =>
    Array.from({ length: count }).reduce<Breaker>((breaker) => breakerAfter(breaker, down(), 1_000), from);

  it("stays closed for the attempts of one message alone", () => {
    expect(failuresToOpen).toBeGreaterThan(attemptsAlone);
    expect(restMs(afterFailures(attemptsAlone), 1_000)).toBe(0);
  });

  it.each([
    [failuresToOpen - 1, 0],
    [failuresToOpen, 30_000],
    [failuresToOpen + 1, 60_000],
    [failuresToOpen + 2, 120_000],
    [failuresToOpen + 50, 600_000],
  ])("rests after %s failures in a row for %s ms", (failures, expected) => {
    expect(restMs(afterFailures(failures), 1_000)).toBe(expected);
  });

  it("lets one through when its rest is over", () => {
    expect(restMs(afterFailures(failuresToOpen), 31_000)).toBe(0);
  });

  it.each([
    ["an arrival", ok],
    ["a refusal, which shows that somebody is there", refused],
  ])("closes with %s", (_what, outcome) => {
    expect(breakerAfter(afterFailures(failuresToOpen + 3), outcome, 1_000)).toEqual(closedBreaker);
  });
});

describe("the messages of a channel", () => {
  const budget = { perMinute: 3, perHour: 5 };
  it.each([
    ["nothing where nothing waits", 0, [], { kind: "nothing" }],
    ["one at once", 1, [], { kind: "send", count: 1 }],
    ["each of a few for itself", 4, [], { kind: "send", count: 1 }],
    ["all of a storm as one", stormSize, [], { kind: "send", count: stormSize }],
    ["the last of a minute with all that wait", 4, [50_000, 60_000], { kind: "send", count: 4 }],
    ["nothing while the minute is full", 4, [50_000, 60_000, 70_000], { kind: "wait", untilMs: 110_000 }],
    ["the last of an hour with all that wait", 4, [-900_000, -800_000, -700_000, -600_000], { kind: "send", count: 4 }],
    ["nothing while the hour is full", 4, [-900_000, -800_000, -700_000, -600_000, -500_000], { kind: "wait", untilMs: 2_700_000 }],
    ["one, where the clock was set back", 1, [500_000, 600_000, 700_000], { kind: "send", count: 1 }],
    ["what one message can list", maxDigest + 5, [], { kind: "send", count: maxDigest }],
  ] as const)("are %s", (_what, waiting, sentAtMs, expected) => {
    expect(nextMessage(waiting, sentAtMs, budget, 100_000)).toEqual(expected);
  });

  it("are one where they had no room before", () => {
    expect(nextMessage(4, [], budget, 100_000, true)).toEqual({ kind: "send", count: 4 });
  });

  it("lose no alert, repeat none, and never go beyond the budget of any minute or hour", () => {
    const budgets = fc.record({ perMinute: fc.integer({ min: 1, max: 12 }), perHour: fc.integer({ min: 1, max: 40 }) });
    const arrivals = fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 120_000 }), alerts: fc.integer({ min: 1, max: 30 }) }), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(budgets, arrivals, (limits, bursts) => {
        const sent: { atMs: number; count: number }[] = [];
        const times = () => sent.map(({ atMs }) => atMs);
        let waiting = 0;
        let nowMs = 0;
        const sendUntil = (endMs: number): void => {
          for (;;) {
            const next = nextMessage(waiting, times(), limits, nowMs);
            if (next.kind === "nothing" || (next.kind === "wait" && next.untilMs > endMs)) return;
            if (next.kind === "wait") nowMs = next.untilMs;
            else {
              sent.push({ atMs: nowMs, count: next.count });
              waiting -= next.count;
            }
          }
        };
        for (const { afterMs, alerts } of bursts) {
          sendUntil(nowMs + afterMs);
          nowMs += afterMs;
          waiting += alerts;
        }
        sendUntil(Number.MAX_SAFE_INTEGER);
        expect(sent.reduce((sum, { count }) => sum + count, 0)).toBe(bursts.reduce((sum, { alerts }) => sum + alerts, 0));
        expect(waiting).toBe(0);
        for (const [windowMs, limit] of [
          [60_000, limits.perMinute],
          [3_600_000, limits.perHour],
        ] as const)
          for (const end of times()) expect(times().filter((at) => at > end - windowMs && at <= end).length).toBeLessThanOrEqual(limit);
      }),
    );
  });
});
