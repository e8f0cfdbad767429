import { describe, expect, it } from "vitest";
import { planFiring } from "../../../src/control-plane/scheduler/plan-firing.ts";
import type { DueCheck, Firing } from "../../../src/control-plane/storage/storage.ts";
import { account, agent, check, definition, lease, location, minutely, scene, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

/** Nothing happens. */
function unmoved({ nextDueMs, settledMs, relivedMs, relives, roundRobin }: DueCheck): Firing {
  return { nextDueMs, settledMs, relivedMs, relives, roundRobin, run: null, gaps: [] };
}

/** Runs at the next location in turn, a minute later again. */
function plan(due: DueCheck): Firing {
  const at = due.locationIds[due.roundRobin % due.locationIds.length];
  return {
    ...unmoved(due),
    settledMs: due.nextDueMs,
    nextDueMs: due.nextDueMs + due.periodMs,
    roundRobin: due.roundRobin + 1,
    run: at === undefined ? null : { dueMs: due.nextDueMs, locationIds: [at] },
  };
}

describe.each(engines.names)("the schedule on %s", (engine) => {
  it("fires what is due, and moves the next due time forward in the same step", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const of = await check(storage, owner.id, [berlin.id]);
    const woken: (readonly number[])[] = [];
    storage.signals.onJobs((locations) => woken.push(locations));
    const seen: DueCheck[] = [];
    const fire = (nowMs: number) =>
      storage.schedule.fireDue(nowMs, 100, (due) => {
        seen.push(due);
        return plan(due);
      });
    expect(await storage.schedule.nextDueMs()).toBe(t0);
    expect(await fire(t0 - 1)).toBe(0);
    expect(await fire(t0 + 20)).toBe(1);
    expect(await fire(t0 + 20)).toBe(0);
    expect(await storage.schedule.nextDueMs()).toBe(t0 + 60_000);
    expect(await fire(t0 + 60_000)).toBe(1);
    expect(
      seen.map((due) => [due.checkId, due.periodMs, due.nextDueMs, due.settledMs, due.roundRobin, due.runParallel, due.locationIds]),
    ).toEqual([
      [of.id, 60_000, t0, t0 - 60_000, 0, false, [berlin.id]],
      [of.id, 60_000, t0 + 60_000, t0, 1, false, [berlin.id]],
    ]);
    expect(woken).toEqual([[berlin.id], [berlin.id]]);
    expect((await lease(storage, await agent(storage, berlin), t0 + 60_000)).map((job) => job.runAtMs)).toEqual([t0 + 60_000]);
  });

  it("draws the plan anew when the clock was set back, and fires no slot twice for it", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const hourly = { periodMs: 3_600_000, phaseMs: 0 };
    await check(storage, owner.id, [berlin.id], {}, { ...hourly, nextDueMs: t0 });
    const fire = (nowMs: number) => storage.schedule.fireDue(nowMs, 100, (due) => planFiring(due, nowMs));
    expect(await fire(t0 + 5)).toBe(1);
    expect(await storage.schedule.nextDueMs()).toBe(t0 + 3_600_000);
    // Back by less than a period: the slot that ran last lies ahead again, and stays left out.
    expect(await fire(t0 - 1_000)).toBe(0);
    expect(await storage.schedule.nextDueMs()).toBe(t0 + 3_600_000);
    const yesterday = t0 - 86_400_000;
    expect(await fire(yesterday + 1_000)).toBe(1);
    expect(await storage.schedule.nextDueMs()).toBe(yesterday + 3_600_000);
    expect(await fire(yesterday + 2_000)).toBe(0);
    expect(await fire(yesterday + 3_600_000)).toBe(1);
    expect((await storage.jobs.queueDepths(t0 + 5)).map((depth) => depth.queued)).toEqual([2]);
  });

  it("fires each check once, however many schedulers claim at the same time", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const places = [await location(storage, owner.id, "berlin"), await location(storage, owner.id, "paris")];
    await Promise.all(
      Array.from({ length: 60 }, () =>
        check(
          storage,
          owner.id,
          places.map((place) => place.id),
          { runParallel: true },
        ),
      ),
    );
    const all = (due: DueCheck): Firing => ({ ...plan(due), run: { dueMs: due.nextDueMs, locationIds: due.locationIds } });
    const claimed = await Promise.all(Array.from({ length: 12 }, () => storage.schedule.fireDue(t0, 10, all)));
    expect(claimed.reduce((sum, count) => sum + count, 0) + (await storage.schedule.fireDue(t0, 100, all))).toBe(60);
    expect(await storage.jobs.queueDepths(t0)).toEqual(
      places.map((place) => ({ locationId: place.id, queued: 60, leased: 0, oldestDueMs: t0 })),
    );
  });

  it("moves only the next due time of a check that has nowhere to run", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    await check(storage, owner.id, []);
    expect(await storage.schedule.fireDue(t0, 10, plan)).toBe(1);
    expect(await storage.schedule.nextDueMs()).toBe(t0 + 60_000);
    expect(await storage.jobs.queueDepths(t0)).toEqual([]);
  });

  it("keeps deactivated checks out, and tells when a check was written", async () => {
    const { storage, account: owner, check: of } = await scene(await engines.open(engine));
    let changes = 0;
    const stop = storage.signals.onScheduleChanged(() => {
      changes += 1;
    });
    const change = { locationIds: of.locationIds, nowMs: t0 + 5 };
    await storage.checks.update(owner.id, of.uuid, { ...change, definition: definition({ activated: false }), schedule: minutely });
    expect(await storage.schedule.nextDueMs()).toBeNull();
    expect(await storage.schedule.fireDue(t0 + 1e6, 10, plan)).toBe(0);
    await storage.checks.update(owner.id, of.uuid, { ...change, definition: definition(), schedule: { ...minutely, nextDueMs: null } });
    expect(await storage.schedule.nextDueMs()).toBeNull();
    await storage.checks.update(owner.id, of.uuid, { ...change, definition: definition(), schedule: { ...minutely, nextDueMs: t0 + 7 } });
    expect(await storage.schedule.nextDueMs()).toBe(t0 + 7);
    stop();
    await check(storage, owner.id, []);
    expect(changes).toBe(3);
  });

  it("starts runs in the order given, and only of checks of the account", async () => {
    const { storage, account: owner, check: of, berlin } = await scene(await engines.open(engine));
    const ireland = await storage.locations.dataCenter("eu-west-1");
    if (!ireland) throw new Error("no data center");
    const run = { accountId: owner.id, checkId: of.id, source: "TRIGGER_API" };
    const sessions = await storage.schedule.startRuns([
      { ...run, runAtMs: t0 + 2, locationIds: [berlin.id, ireland.id] },
      { ...run, runAtMs: t0 + 1, locationIds: [berlin.id] },
    ]);
    expect(sessions.map((session) => [session.runAtMs, session.status, session.locationCodes])).toEqual([
      [t0 + 2, "STARTED", ["berlin", "eu-west-1"]],
      [t0 + 1, "STARTED", ["berlin"]],
    ]);
    for (const session of sessions) expect(await storage.sessions.byNo(owner.id, session.no)).toEqual(session);
    const stranger = await account(storage);
    expect(await storage.sessions.byNo(stranger.id, sessions[0]?.no ?? 0)).toBeUndefined();
    await expect(
      storage.schedule.startRuns([{ ...run, accountId: stranger.id, runAtMs: t0, locationIds: [berlin.id] }]),
    ).rejects.toMatchObject({ code: "not_found" });
    await expect(storage.schedule.startRuns([{ ...run, runAtMs: t0, locationIds: [] }])).rejects.toMatchObject({ code: "invalid_input" });
  });
});
