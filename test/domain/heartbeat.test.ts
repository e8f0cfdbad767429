import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterPing, afterTime, alertDueMs, type HeartbeatTimer, withTimes } from "#domain/heartbeat.ts";

const minute = 60_000;
const waiting: HeartbeatTimer = { periodMs: 10 * minute, graceMs: 2 * minute, startedAtMs: null, isFailing: false };
const running: HeartbeatTimer = { ...waiting, startedAtMs: 0 };

describe("a heartbeat", () => {
  it("waits for ever for its first ping, which starts the timer", () => {
    expect(alertDueMs(waiting)).toBeNull();
    expect(afterTime(waiting, Number.MAX_SAFE_INTEGER)).toEqual({ events: [], timer: waiting });
    expect(afterPing(waiting, 5)).toEqual({ events: [{ state: "RECEIVED", atMs: 5 }], timer: { ...waiting, startedAtMs: 5 } });
  });

  it.each([
    { atMs: 0, state: "EARLY" },
    { atMs: 5 * minute - 1, state: "EARLY" },
    { atMs: 5 * minute, state: "RECEIVED" },
    { atMs: 10 * minute, state: "RECEIVED" },
    { atMs: 10 * minute + 1, state: "GRACE" },
    { atMs: 12 * minute - 1, state: "GRACE" },
  ])("calls a ping after $atMs ms $state", ({ atMs, state }) => {
    expect(afterPing(running, atMs).events).toEqual([{ state, atMs }]);
  });

  it("alerts when nothing came by period and grace, and again after as long", () => {
    expect(afterTime(running, 12 * minute - 1).events).toEqual([]);
    const first = afterTime(running, 12 * minute);
    expect(first.events).toEqual([{ state: "FAILING", atMs: 12 * minute }]);
    expect(afterTime(first.timer, 24 * minute - 1).events).toEqual([]);
    expect(afterTime(first.timer, 24 * minute).events).toEqual([{ state: "FAILING", atMs: 24 * minute }]);
  });

  it("makes up for a long time in which nobody looked with one alert, dated to when it was due", () => {
    const { events, timer } = afterTime(running, 1_000 * minute);
    expect(events).toEqual([{ state: "FAILING", atMs: 12 * minute }]);
    expect(alertDueMs(timer)).toBe(1_012 * minute);
  });

  it("calls the first ping after an alert LATE, and the next one by its time", () => {
    const failing = afterTime(running, 12 * minute).timer;
    const late = afterPing(failing, 13 * minute);
    expect(late.events).toEqual([{ state: "LATE", atMs: 13 * minute }]);
    expect(late.timer.isFailing).toBe(false);
    expect(afterPing(late.timer, 22 * minute).events).toEqual([{ state: "RECEIVED", atMs: 22 * minute }]);
  });

  it("loses no miss to a ping that comes before anybody looked", () => {
    expect(afterPing(running, 15 * minute).events).toEqual([
      { state: "FAILING", atMs: 12 * minute },
      { state: "LATE", atMs: 15 * minute },
    ]);
  });

  it("never alerts while pings come in time, and always once when they stop, however often somebody looks", () => {
    const gap = fc.integer({ min: 0, max: 12 * minute - 1 });
    const looks = fc.array(fc.integer({ min: 0, max: 12 * minute - 1 }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(fc.tuple(gap, looks), { minLength: 1, maxLength: 20 }), looks, (pings, last) => {
        let timer: HeartbeatTimer = waiting;
        let now = 0;
        const alerts: number[] = [];
        const look = (atMs: number): void => {
          const step = afterTime(timer, atMs);
          timer = step.timer;
          alerts.push(...step.events.map((event) => event.atMs));
        };
        for (const [after, between] of pings) {
          for (const offset of between.filter((one) => one < after).toSorted((a, b) => a - b)) look(now + offset);
          now += after;
          timer = afterPing(timer, now).timer;
        }
        expect(alerts).toEqual([]);
        for (const offset of last.toSorted((a, b) => a - b)) look(now + 12 * minute + offset);
        look(now + 24 * minute - 1);
        expect(alerts).toEqual([now + 12 * minute]);
      }),
    );
  });

  it("starts its timer anew when its times change, and does not start it when they do not or nothing was pinged", () => {
    const times = { periodMs: minute, graceMs: 0 };
    expect(withTimes(running, times, 9 * minute)).toEqual({ ...running, ...times, startedAtMs: 9 * minute });
    expect(withTimes(running, { periodMs: 10 * minute, graceMs: 2 * minute }, 9 * minute)).toEqual(running);
    expect(withTimes(waiting, times, 9 * minute)).toEqual({ ...waiting, ...times });
  });
});
