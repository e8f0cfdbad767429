import { describe, expect, it } from "vitest";
import { CheckGroupCreateV2, type CheckGroupSettings } from "#contract/check-groups.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { CheckGroupRow, CheckRow, Storage } from "../../../src/control-plane/storage/storage.ts";
import { account, agent, check, definition, lease, location, minutely, report, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

function settings(change: Partial<CheckGroupSettings> = {}): CheckGroupSettings {
  const { alertChannelSubscriptions: _, environmentVariables: _variables, ...rest } = CheckGroupCreateV2.parse({ name: "g" });
  return { ...rest, privateLocations: null, environmentVariables: null, ...change };
}

function create(storage: Storage, accountId: number, change: Partial<CheckGroupSettings> = {}, locationIds: readonly number[] = []) {
  return storage.checkGroups.create({ accountId, settings: settings(change), locationIds, subscriptions: {}, nowMs: t0 });
}

function change(storage: Storage, { accountId, id }: CheckGroupRow, to: Partial<CheckGroupSettings>, locationIds: readonly number[] = []) {
  return storage.checkGroups.update(accountId, id, () => ({ settings: settings(to), locationIds, subscriptions: {} }), t0 + 1);
}

describe.each(engines.names)("check groups on %s", (engine) => {
  async function place() {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    return { storage, owner, berlin: await location(storage, owner.id), paris: await location(storage, owner.id, "paris") };
  }
  const read = (storage: Storage, { accountId, uuid }: CheckRow) => storage.checks.byUuid(accountId, uuid);

  it("are found in their account only, and listed by page, tag and name", async () => {
    const { storage, owner } = await place();
    const other = await account(storage);
    const groups = [];
    for (const [name, tags] of [
      ["a", ["x"]],
      ["b", ["x", "y"]],
      ["a", []],
    ] as const)
      groups.push(await create(storage, owner.id, { name, tags: [...tags] }));
    const ids = groups.map(({ id }) => id);
    expect(await storage.checkGroups.byId(owner.id, ids[0] ?? 0)).toEqual(groups[0]);
    expect(await storage.checkGroups.byId(other.id, ids[0] ?? 0)).toBeUndefined();
    expect(await storage.checkGroups.byIds(other.id, ids)).toEqual([]);
    const listed = async (filter: object) => {
      const { items, total } = await storage.checkGroups.list(owner.id, { page: 1, limit: 10, ...filter });
      return [items.map(({ id }) => ids.indexOf(id)), total];
    };
    expect(await listed({})).toEqual([[0, 1, 2], 3]);
    expect(await listed({ page: 2, limit: 2 })).toEqual([[2], 3]);
    expect(await listed({ tags: ["x"] })).toEqual([[0, 1], 2]);
    expect(await listed({ tags: ["x", "y"] })).toEqual([[1], 1]);
    expect(await listed({ names: ["a", "c"], limit: 1, page: 2 })).toEqual([[2], 2]);
    expect(await change(storage, { ...(groups[0] as CheckGroupRow), accountId: other.id }, {})).toBeUndefined();
    expect(await storage.checkGroups.remove(other.id, ids[0] ?? 0)).toBe(false);
  });

  it("decide whether and where their checks run, from the moment a check joins to the moment it leaves", async () => {
    const { storage, owner, berlin, paris } = await place();
    const group = await create(storage, owner.id, { activated: false, localSetupScript: "1" }, [paris.id]);
    const of = await check(storage, owner.id, [berlin.id], { groupId: group.id });
    expect(of).toMatchObject({ groupId: group.id, activated: false, locationIds: [paris.id], definition: { activated: true } });
    expect(await storage.schedule.nextDueMs()).toBeNull();
    expect(await storage.checks.activated(owner.id)).toEqual([]);

    await change(storage, group, { activated: true, runParallel: true }, []);
    expect(await read(storage, of)).toMatchObject({ activated: true, locationIds: [berlin.id] });
    expect(await storage.schedule.nextDueMs()).toBe(t0 + 60_000);
    expect((await storage.checks.activated(owner.id, group.id)).map(({ uuid }) => uuid)).toEqual([of.uuid]);
    const seen: unknown[] = [];
    await storage.schedule.fireDue(t0 + 60_000, 10, (due) => {
      seen.push([due.runParallel, due.locationIds]);
      return { ...due, nextDueMs: t0 + 120_000, roundRobin: 0, run: null, gaps: [] };
    });
    expect(seen).toEqual([[true, [berlin.id]]]);

    await change(storage, group, { activated: true }, [paris.id, berlin.id]);
    expect(await read(storage, of)).toMatchObject({ locationIds: [paris.id, berlin.id] });
    expect(await storage.schedule.nextDueMs()).toBe(t0 + 120_000);
    await change(storage, group, { activated: false }, [paris.id]);
    expect(await storage.schedule.nextDueMs()).toBeNull();

    const left = { definition: definition({ groupId: null }), locationIds: [berlin.id], schedule: minutely, nowMs: t0 };
    expect(await storage.checks.update(owner.id, of.uuid, left)).toMatchObject({
      groupId: null,
      activated: true,
      locationIds: [berlin.id],
    });
    expect(await storage.schedule.nextDueMs()).toBe(minutely.nextDueMs);
  });

  it("take their scripts' runtime to every API check, so that only an agent with it gets the job", async () => {
    const { storage, owner, berlin } = await place();
    const group = await create(storage, owner.id);
    const of = await check(storage, owner.id, [berlin.id], { groupId: group.id });
    await change(storage, group, { localTearDownScript: "1", runtimeId: "2025.04" });
    await start(storage, of, [berlin.id]);
    expect(await lease(storage, await agent(storage, berlin, t0, ["2026.04"]))).toEqual([]);
    const [job] = await lease(storage, await agent(storage, berlin, t0, ["2025.04"]));
    expect(job).toMatchObject({ group: { localTearDownScript: "1" }, check: { groupId: group.id } });
  });

  it("refuse to leave an activated check without a location, and change nothing then", async () => {
    const { storage, owner, paris, berlin } = await place();
    const group = await create(storage, owner.id, { name: "before" }, [paris.id]);
    const own = await check(storage, owner.id, [berlin.id], { groupId: group.id });
    await check(storage, owner.id, [], { groupId: group.id, activated: false });
    const bare = await check(storage, owner.id, [], { groupId: group.id });
    await expect(change(storage, group, { name: "after" })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining(bare.uuid),
      attributes: { issues: [{ path: "locations" }] },
    });
    expect((await storage.checkGroups.byId(owner.id, group.id))?.settings.name).toBe("before");
    expect((await read(storage, own))?.locationIds).toEqual([paris.id]);
  });

  it("keep a location that they, or their checks, name from being removed", async () => {
    const { storage, owner, berlin, paris } = await place();
    const group = await create(storage, owner.id, {}, [paris.id]);
    await expect(storage.locations.remove(owner.id, paris.uuid)).rejects.toMatchObject({ code: "conflict" });
    const of = await check(storage, owner.id, [berlin.id], { groupId: group.id });
    await expect(storage.locations.remove(owner.id, berlin.uuid)).rejects.toMatchObject({ code: "conflict" });
    expect(await storage.locations.users(paris.id, 5)).toEqual({ checks: [of.uuid], groups: [group.id] });
    expect(await storage.locations.users(paris.id, 0)).toEqual({ checks: [], groups: [] });
    await change(storage, group, {}, []);
    expect(await storage.locations.remove(owner.id, paris.uuid)).toBe(true);
    await storage.checks.remove(owner.id, of.uuid, t0);
    expect(await storage.locations.remove(owner.id, berlin.uuid)).toBe(true);
  });

  it("cannot go while they have checks, and no check joins one that is not there", async () => {
    const { storage, owner, berlin } = await place();
    const other = await account(storage);
    const [group, foreign] = [await create(storage, owner.id), await create(storage, other.id)];
    const of = await check(storage, owner.id, [berlin.id], { groupId: group.id });
    await expect(storage.checkGroups.remove(owner.id, group.id)).rejects.toMatchObject({ code: "conflict" });
    expect(await storage.checkGroups.checks(owner.id, group.id, { page: 1, limit: 10 })).toEqual({
      items: [{ uuid: of.uuid, type: "API" }],
      total: 1,
    });
    await storage.checks.remove(owner.id, of.uuid, t0);
    expect(await storage.checkGroups.remove(owner.id, group.id)).toBe(true);
    for (const groupId of [group.id, foreign.id])
      await expect(check(storage, owner.id, [berlin.id], { groupId })).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("change thousands of checks in a few statements, all or none", async () => {
    const { storage, owner, berlin, paris } = await place();
    const group = await create(storage, owner.id, {}, [berlin.id]);
    const many: CheckRow[] = [];
    // Some at a time: hundreds at once wait longer for a connection than the store lets them.
    while (many.length < 504) {
      const made = Array.from({ length: 24 }, () => check(storage, owner.id, [berlin.id], { groupId: group.id, tags: [] }));
      many.push(...(await Promise.all(made)));
    }
    await change(storage, group, { activated: false }, [paris.id]);
    expect(await storage.checks.activated(owner.id)).toEqual([]);
    expect(await storage.schedule.nextDueMs()).toBeNull();
    await change(storage, group, {}, [paris.id, berlin.id]);
    const after = await storage.checks.activated(owner.id, group.id);
    expect(after).toHaveLength(many.length);
    expect(new Set(after.map(({ locationIds }) => locationIds.join()))).toEqual(new Set([`${paris.id},${berlin.id}`]));
  });

  it("see a check that joins while they change", async () => {
    const { storage, owner, berlin, paris } = await place();
    const group = await create(storage, owner.id);
    const checks = await Promise.all(Array.from({ length: 6 }, () => check(storage, owner.id, [berlin.id])));
    const join = (of: CheckRow) =>
      storage.checks.update(owner.id, of.uuid, {
        definition: definition({ groupId: group.id }),
        locationIds: [berlin.id],
        schedule: minutely,
        nowMs: t0,
      });
    await Promise.all([...checks.slice(0, 3).map(join), change(storage, group, {}, [paris.id]), ...checks.slice(3).map(join)]);
    for (const of of checks) expect(await read(storage, of)).toMatchObject({ groupId: group.id, locationIds: [paris.id] });
  });
});

describe.each(engines.names)("the run of a group on %s", (engine) => {
  /** A group of so many checks at one location, and sessions of a run of it. */
  async function running(count: number, concurrency: number, opened?: Storage) {
    const storage = opened ?? (await engines.open(engine));
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const group = await create(storage, owner.id, { concurrency });
    const checks: CheckRow[] = [];
    for (let index = 0; index < count; index += 1) checks.push(await check(storage, owner.id, [berlin.id], { groupId: group.id }));
    const sessions = await storage.schedule.startRuns(
      checks.map(({ id: checkId }) => ({
        accountId: owner.id,
        checkId,
        runAtMs: t0,
        source: "GROUP_RUN_ALL",
        locationIds: [berlin.id],
        group: { id: group.id, concurrency },
      })),
    );
    return { storage, owner, checks, sessions, by: await agent(storage, berlin), berlin };
  }
  const order = (sessions: readonly { no: number }[], jobs: readonly { sessionNo: number }[]) =>
    jobs.map(({ sessionNo }) => sessions.findIndex(({ no }) => no === sessionNo));

  it("starts its sessions some at a time and in order; each end lets one more start, whose wait begins then", async () => {
    const { storage, by, sessions, owner } = await running(5, 2);
    const jobs = [...(await lease(storage, by, t0))];
    expect(order(sessions, jobs)).toEqual([0, 1]);
    expect(await storage.jobs.queueDepths(t0)).toMatchObject([{ queued: 0, leased: 2 }]);
    const done: number[] = [];
    for (let nowMs = t0 + 1_000; jobs.length > 0; nowMs += 1_000) {
      const job = jobs.shift();
      if (!job) break;
      expect(await storage.results.ingest(by, [report(job)], nowMs)).toMatchObject([{ outcome: "accepted" }]);
      done.push(...order(sessions, [job]));
      const next = await lease(storage, by, nowMs + 3);
      expect(next.map(({ leasedAtMs, dueAtMs }) => leasedAtMs - dueAtMs)).toEqual(next.map(() => 3));
      jobs.push(...next);
      expect(jobs.length).toBeLessThanOrEqual(2);
    }
    expect(done).toEqual([0, 1, 2, 3, 4]);
    for (const { no } of sessions) expect((await storage.sessions.byNo(owner.id, no))?.status).toBe("PASSED");
  });

  it("is refused while ten thousand runs of the account wait for their turn", async () => {
    const { storage, owner, checks, berlin } = await running(1, 1);
    const run = {
      accountId: owner.id,
      checkId: checks[0]?.id ?? 0,
      runAtMs: t0,
      source: "GROUP_RUN_ALL",
      locationIds: [berlin.id],
      group: { id: 1, concurrency: 1 },
    };
    await storage.schedule.startRuns(Array.from({ length: 10_001 }, () => run));
    await expect(storage.schedule.startRuns([run, run])).rejects.toMatchObject({ code: "rate_limited" });
    await expect(storage.schedule.startRuns([run])).resolves.toHaveLength(1); // nothing of it waits for a turn
  });

  it("is no matter where all may start at once", async () => {
    const { storage, by } = await running(3, 3);
    expect(await lease(storage, by, t0)).toHaveLength(3);
  });

  it("goes on when a session is cancelled, whether its turn had come or not", async () => {
    const { storage, by, sessions, owner } = await running(4, 1);
    const [first, second, third, fourth] = sessions.map(({ no }) => no) as [number, number, number, number];
    await storage.jobs.cancel(second, t0 + 1);
    expect((await storage.sessions.byNo(owner.id, second))?.status).toBe("CANCELLED");
    const leased = await lease(storage, by, t0 + 1);
    expect(order(sessions, leased)).toEqual([0]);
    await storage.jobs.cancel(third, t0 + 2);
    expect(await lease(storage, by, t0 + 2)).toEqual([]);
    await storage.jobs.cancel(first, t0 + 3);
    expect(await lease(storage, by, t0 + 3)).toEqual([]);
    expect((await storage.sessions.byNo(owner.id, fourth))?.status).toBe("STARTED");
    await storage.jobs.release(
      by.id,
      leased.map(({ no, fence }) => ({ no, fence })),
      t0 + 4,
    );
    expect(order(sessions, await lease(storage, by, t0 + 4))).toEqual([3]);
  });

  it("goes on when a check is deleted or its run is missed", async () => {
    const { storage, by, sessions, checks, owner } = await running(4, 1);
    await storage.checks.remove(owner.id, checks[0]?.uuid ?? "", t0 + 5);
    await storage.checks.remove(owner.id, checks[2]?.uuid ?? "", t0 + 6);
    const settingsOfReaper = { queueWaitMs: 360_000, acknowledgeMs: 15_000, maxLostLeases: 3, graceUntilMs: 0, limit: 100 };
    expect(await storage.jobs.reap(t0 + 360_000, settingsOfReaper)).toEqual({ requeued: 0, missed: 0 });
    expect(await storage.jobs.reap(t0 + 360_006, settingsOfReaper)).toEqual({ requeued: 0, missed: 1 });
    expect((await storage.sessions.byNo(owner.id, sessions[1]?.no ?? 0))?.status).toBe("TIMED_OUT");
    expect(order(sessions, await lease(storage, by, t0 + 360_007))).toEqual([3]);
  });

  it("tells its own process that jobs are due", async () => {
    const { storage, by, berlin } = await running(2, 1);
    const due: number[] = [];
    storage.signals.onJobs((ids) => due.push(...ids));
    const [job] = await lease(storage, by, t0);
    if (!job) throw new Error("no job");
    await storage.results.ingest(by, [report(job)], t0 + 1_000);
    expect(due).toEqual([berlin.id]);
  });

  it("loses nothing when its process is replaced half way", async () => {
    const at = await engines.place(engine);
    const { storage, by, sessions } = await running(3, 1, await openStorage({ ...at, nowMs: t0 }));
    const [first] = await lease(storage, by, t0);
    await storage.close();
    const next = await engines.open(engine, at);
    if (!first) throw new Error("no job");
    await next.results.ingest(by, [report(first)], t0 + 1_000);
    const second = await lease(next, by, t0 + 1_000);
    expect(order(sessions, second)).toEqual([1]);
    await next.results.ingest(
      by,
      second.map((job) => report(job)),
      t0 + 2_000,
    );
    expect(order(sessions, await lease(next, by, t0 + 2_000))).toEqual([2]);
  });
});

describe.skipIf(!engines.names.includes("postgres"))("two control planes on one PostgreSQL", () => {
  it("never run more of a group at a time than it allows, and all of it", async () => {
    const place = await engines.place("postgres");
    const planes = [await engines.open("postgres", place), await engines.open("postgres", place)] as const;
    const [one] = planes;
    const owner = await account(one);
    const berlin = await location(one, owner.id);
    const checks = await Promise.all(Array.from({ length: 4 }, () => check(one, owner.id, [berlin.id])));
    const group = { id: 1, concurrency: 3 };
    await one.schedule.startRuns(
      Array.from({ length: 40 }, (_, index) => {
        const checkId = checks[index % checks.length]?.id ?? 0;
        return { accountId: owner.id, checkId, runAtMs: t0, source: "GROUP_RUN_ALL", locationIds: [berlin.id], group };
      }),
    );
    const by = await agent(one, berlin);
    let done = 0;
    for (let nowMs = t0; done < 40; nowMs += 1_000) {
      const jobs = (await Promise.all(planes.map((plane) => lease(plane, by, nowMs)))).flat();
      expect(jobs.length).toBeGreaterThan(0);
      expect(jobs.length).toBeLessThanOrEqual(3);
      await Promise.all(jobs.map((job, index) => (index % 2 ? planes[1] : one).results.ingest(by, [report(job)], nowMs + 500)));
      done += jobs.length;
    }
    expect(await lease(one, by, t0 + 1_000_000)).toEqual([]);
  });
});
