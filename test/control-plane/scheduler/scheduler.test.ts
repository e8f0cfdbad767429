import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import FakeTimers from "@sinonjs/fake-timers";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nextDueMs, phaseMs } from "#domain/schedule.ts";
import { planFiring } from "../../../src/control-plane/scheduler/plan-firing.ts";
import { createScheduler } from "../../../src/control-plane/scheduler/scheduler.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { DueCheck, Storage } from "../../../src/control-plane/storage/storage.ts";

const startMs = Date.UTC(2026, 0, 1);
const log = pino({ level: "silent" });

describe("planFiring", () => {
  const due: DueCheck = {
    pauses: [],
    checkId: 1,
    accountId: 1,
    periodMs: 60_000,
    phaseMs: 0,
    nextDueMs: startMs,
    settledMs: null,
    relivedMs: null,
    relives: 0,
    roundRobin: 1,
    runParallel: false,
    locationIds: [7, 8, 9],
  };
  const ran = { settledMs: startMs, relivedMs: null, relives: 0, gaps: [] };
  it.each([
    [
      "goes on to the next location each time",
      due,
      startMs,
      { ...ran, nextDueMs: startMs + 60_000, roundRobin: 2, run: { dueMs: startMs, locationIds: [8] } },
    ],
    [
      "uses all locations in parallel",
      { ...due, runParallel: true },
      startMs,
      { ...ran, nextDueMs: startMs + 60_000, roundRobin: 1, run: { dueMs: startMs, locationIds: [7, 8, 9] } },
    ],
    [
      "waits for the next time while it is paused, and that is no gap",
      { ...due, pauses: [{ startsAtMs: startMs - 1, endsAtMs: startMs + 200_000 }] },
      startMs + 130_000,
      { ...ran, settledMs: startMs + 120_000, nextDueMs: startMs + 180_000, roundRobin: 1, run: null },
    ],
    [
      "runs nowhere without a location, and that is no gap",
      { ...due, locationIds: [] },
      startMs + 130_000,
      { ...ran, settledMs: null, nextDueMs: startMs + 180_000, roundRobin: 1, run: null },
    ],
    [
      "stands for the planned time however late it is",
      { ...due, periodMs: 86_400_000 },
      startMs + 7_200_000,
      { ...ran, nextDueMs: startMs + 86_400_000, roundRobin: 2, run: { dueMs: startMs, locationIds: [8] } },
    ],
    [
      "makes up for a long stop with one run of the newest slot, and a gap of those before",
      due,
      startMs + 3_630_000,
      {
        ...ran,
        settledMs: startMs + 3_600_000,
        nextDueMs: startMs + 3_660_000,
        roundRobin: 2,
        run: { dueMs: startMs + 3_600_000, locationIds: [8] },
        gaps: [{ reason: "control_plane_down", firstSlotMs: startMs, lastSlotMs: startMs + 3_540_000, slots: 60 }],
      },
    ],
    [
      "does not run late into maintenance that began meanwhile",
      { ...due, periodMs: 86_400_000, pauses: [{ startsAtMs: startMs + 3_600_000, endsAtMs: startMs + 9_000_000 }] },
      startMs + 7_200_000,
      {
        ...ran,
        nextDueMs: startMs + 86_400_000,
        roundRobin: 1,
        run: null,
        gaps: [{ reason: "control_plane_down", firstSlotMs: startMs, lastSlotMs: startMs, slots: 1 }],
      },
    ],
    [
      "dates a run apart whose slot comes again because the clock was set back",
      { ...due, settledMs: startMs + 600_000 },
      startMs + 900,
      {
        ...ran,
        settledMs: startMs + 600_000,
        relivedMs: startMs,
        relives: 1,
        nextDueMs: startMs + 60_000,
        roundRobin: 2,
        run: { dueMs: startMs + 1, locationIds: [8] },
      },
    ],
  ])("%s", (_case, check, nowMs, expected) => {
    expect(planFiring(check, nowMs)).toEqual(expected);
  });
});

describe("the scheduler", () => {
  let dataDir: string;
  let storage: Storage;
  let accountId: number;
  let locationId: number;
  let clock: FakeTimers.Clock;
  const lags: number[] = [];
  const gaps: [string, number][] = [];
  /** By how much the wall clock was set. */
  let stepMs = 0;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "outpost-scheduler-"));
    storage = await openStorage({ dataDir, nowMs: startMs, synchronous: "normal" }); // no timer of these tests waits for a disk
    accountId = (await storage.accounts.create({ uuid: crypto.randomUUID(), name: "A", runtimeId: "2026.04", nowMs: startMs })).id;
    locationId = (await storage.locations.dataCenter("eu-west-1"))?.id ?? 0;
    clock = FakeTimers.install({ now: startMs, toFake: ["setTimeout", "clearTimeout"] });
    lags.length = 0;
    fired.length = 0;
    gaps.length = 0;
    stepMs = 0;
  });
  afterEach(async () => {
    clock.uninstall();
    await storage.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  async function addCheck(periodMs: number): Promise<void> {
    const uuid = crypto.randomUUID();
    const phase = phaseMs(uuid, 0, null, periodMs);
    await storage.checks.create({
      uuid,
      accountId,
      type: "API",
      locationIds: [locationId],
      nowMs: clock.now,
      definition: { name: "c", activated: true, muted: false, tags: [], frequency: 0, frequencyOffset: 10, runParallel: false },
      schedule: { periodMs, phaseMs: phase, nextDueMs: nextDueMs({ periodMs, phaseMs: phase, afterMs: clock.now }) },
    });
  }
  const scheduler = (schedule: Pick<Storage["schedule"], "fireDue" | "nextDueMs"> = recorded) =>
    createScheduler({
      schedule,
      signals: storage.signals,
      nowMs: () => clock.now + stepMs,
      monotonicMs: () => clock.now,
      observeLag: (seconds) => lags.push(seconds),
      countGaps: (reason, slots) => gaps.push([reason, slots]),
      report: { worked() {}, failed() {} },
      log,
    });

  /** Moves the clock in small steps and lets the store's thread answer between them, however slow the machine is. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 250) {
      await clock.tickAsync(Math.min(250, left));
      for (let turn = 0; turn < 3 || (turn < 40 && (await isBehind())); turn += 1) {
        await storage.schedule.nextDueMs();
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    }
  }

  async function isBehind(): Promise<boolean> {
    const dueMs = await storage.schedule.nextDueMs();
    return dueMs !== null && dueMs <= clock.now;
  }

  /** What was fired, by the transactions that came through. */
  const fired: { checkId: number; runAtMs: number }[] = [];
  const recorded: Pick<Storage["schedule"], "fireDue" | "nextDueMs"> = {
    nextDueMs: () => storage.schedule.nextDueMs(),
    async fireDue(nowMs, limit, plan) {
      const runs: typeof fired = [];
      const claimed = await storage.schedule.fireDue(nowMs, limit, (due) => {
        const firing = plan(due);
        if (firing.run !== null) runs.push({ checkId: due.checkId, runAtMs: firing.run.dueMs });
        return firing;
      });
      fired.push(...runs);
      return claimed;
    },
  };

  it("runs each check once in each period, by the plan and not by when it ran last", async () => {
    await Promise.all(Array.from({ length: 20 }, () => addCheck(10_000)));
    const service = scheduler();
    await service.start();
    await pass(61_000);
    await service.stop(AbortSignal.timeout(1_000));
    const byCheck = Map.groupBy(
      fired.filter(({ runAtMs }) => runAtMs <= startMs + 60_000),
      ({ checkId }) => checkId,
    );
    expect(byCheck.size).toBe(20);
    for (const runs of byCheck.values()) {
      expect(runs).toHaveLength(6);
      const times = runs.map(({ runAtMs }) => runAtMs).toSorted((a, b) => a - b);
      expect(times.slice(1).map((time, index) => time - (times[index] ?? 0))).toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
    }
  });

  it("wakes when a check is written that is due earlier", async () => {
    await addCheck(86_400_000);
    const service = scheduler();
    await service.start();
    await pass(500);
    await addCheck(1_000);
    await pass(2_500);
    await service.stop(AbortSignal.timeout(1_000));
    expect(fired.length).toBeGreaterThanOrEqual(2);
  });

  it("backs off when the store fails and goes on when it works again", async () => {
    await addCheck(1_000);
    let calls = 0;
    const failing = {
      nextDueMs: () => storage.schedule.nextDueMs(),
      fireDue: (...args: Parameters<Storage["schedule"]["fireDue"]>) => {
        calls += 1;
        return calls <= 5 ? Promise.reject(new Error("store away")) : recorded.fireDue(...args);
      },
    };
    const service = scheduler(failing);
    await service.start();
    await pass(1_000);
    expect(calls).toBeLessThan(4);
    await pass(40_000);
    await service.stop(AbortSignal.timeout(1_000));
    expect(calls).toBeGreaterThan(5);
    expect(fired.length).toBeGreaterThan(0);
    expect(new Set(gaps.map(([reason]) => reason))).toEqual(new Set(["store_unavailable"]));
  });

  it("tells of slots that passed while it was away, while the store was, and because the clock was set", async () => {
    await addCheck(10_000);
    await pass(61_000);
    const service = scheduler();
    await service.start();
    await pass(6_000);
    const [[, passed] = ["", 0]] = gaps;
    expect([4, 5, 6]).toContain(passed);
    stepMs = 3_600_000;
    await pass(6_000);
    await service.stop(AbortSignal.timeout(1_000));
    expect(gaps).toEqual([
      ["control_plane_down", passed],
      ["clock_jump", expect.toSatisfy((slots: number) => slots === 359 || slots === 360)],
    ]);
  });
});
