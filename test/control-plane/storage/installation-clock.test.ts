import { describe, expect, it } from "vitest";
import { earlierOf, InstallationClock } from "../../../src/control-plane/storage/installation-clock.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import { t0, useEngines } from "./fixture.ts";

const hour = 3_600_000;

/** Two clocks that a test moves. */
function clocks(wallMs: number) {
  let monotonicMs = 0;
  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    pass(ms: number, wall = ms) {
      monotonicMs += ms;
      wallMs += wall;
    },
  };
}

describe("the installation's clock", () => {
  it.each([
    ["the wall clock goes with it", 10_000, 10_000, 0],
    ["NTP slews", 10_000, 9_000, 0],
    ["a step back", 10_000, 10_000 - 25 * hour, -25 * hour],
    ["a step forward", 10_000, 10_000 + 25 * hour, 25 * hour],
  ])("goes on by monotonic time: %s", (_what, passed, wall, stepMs) => {
    const both = clocks(t0);
    const clock = new InstallationClock(both, t0);
    both.pass(passed, wall);
    const told = clock.waitMs(both.nowMs());
    expect(Math.abs(told - t0 - passed)).toBeLessThanOrEqual(2_000);
    expect(clock.shownMs(told)).toBe(both.nowMs());
    expect(clock.look()).toEqual({ waitMs: told, stepMs });
    expect(clock.look().stepMs).toBe(0);
    both.pass(5_000);
    expect(clock.waitMs(both.nowMs())).toBe(told + 5_000);
  });

  it("is right also for a moment that was read before a step", () => {
    const both = clocks(t0);
    const clock = new InstallationClock(both, t0);
    const readMs = both.nowMs();
    both.pass(10, -25 * hour);
    clock.look();
    expect(clock.waitMs(readMs)).toBe(t0 + 10);
  });

  it("catches up with another process, and never goes back for one", () => {
    const both = clocks(t0);
    const clock = new InstallationClock(both, t0);
    clock.catchUp(t0 + 500);
    expect(clock.waitMs(t0)).toBe(t0 + 500);
    clock.catchUp(t0);
    expect(clock.waitMs(t0)).toBe(t0 + 500);
  });

  it("does not let a wall clock that was set forward make anything old", () => {
    const both = clocks(t0);
    const clock = new InstallationClock(both, t0);
    both.pass(1_000, 1_000 + 400 * 24 * hour);
    expect(earlierOf({ waitMs: (nowMs) => clock.waitMs(nowMs) }, both.nowMs())).toBe(t0 + 1_000);
    both.pass(0, -800 * 24 * hour);
    expect(earlierOf({ waitMs: (nowMs) => clock.waitMs(nowMs) }, both.nowMs())).toBe(both.nowMs());
  });
});

const engines = await useEngines();

describe.each(engines.names)("the clock that is kept, on %s", (engine) => {
  it.each([
    ["back", -25 * hour],
    ["forward", 25 * hour],
  ])("goes on after a restart with a wall clock that was set %s", async (_where, stepMs) => {
    const place = await engines.place(engine);
    const both = clocks(Date.now());
    const startMs = both.nowMs();
    const before = await openStorage({ ...place, nowMs: startMs, clocks: both });
    both.pass(60_000);
    expect(await before.clock.keep()).toBe(0);
    await before.close();
    both.pass(0, stepMs);
    const after = await openStorage({ ...place, nowMs: both.nowMs(), clocks: both });
    const atMs = after.clock.waitMs(both.nowMs());
    const passedMs = atMs - startMs - 60_000;
    // One SQLite file has no other clock: it takes a step forward for an outage.
    const outageMs = engine === "sqlite" && stepMs > 0 ? stepMs : 0;
    expect(passedMs).toBeGreaterThanOrEqual(outageMs);
    expect(passedMs).toBeLessThan(outageMs + 10_000);
    await after.close();
  });

  it("is one for all processes: the furthest counts", async () => {
    const place = await engines.place(engine);
    if (engine === "sqlite") return; // one process
    const [one, two] = [clocks(t0), clocks(t0)];
    const first = await openStorage({ ...place, nowMs: t0, clocks: one });
    const second = await openStorage({ ...place, nowMs: t0, clocks: two });
    two.pass(3_000, -25 * hour);
    await second.clock.keep();
    await first.clock.keep();
    expect(first.clock.waitMs(one.nowMs())).toBe(t0 + 3_000);
    await Promise.all([first.close(), second.close()]);
  });
});
