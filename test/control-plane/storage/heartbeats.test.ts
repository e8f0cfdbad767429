import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { CheckRow, HeartbeatSettings, PingToken, Storage } from "../../../src/control-plane/storage/storage.ts";
import { account, definition, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const minute = 60_000;
const pinged = (open: string): PingToken => ({ hash: `hash of ${open}`, open });
const never = { periodMs: 0, phaseMs: 0, nextDueMs: null };

async function heartbeat(storage: Storage, accountId: number, settings: Partial<HeartbeatSettings> = {}): Promise<CheckRow> {
  return storage.checks.create({
    uuid: randomUUID(),
    accountId,
    type: "HEARTBEAT",
    definition: definition(),
    locationIds: [],
    schedule: never,
    heartbeat: { token: pinged(randomUUID()), periodMs: 10 * minute, graceMs: 0, ...settings },
    nowMs: t0,
  });
}

const ping = (storage: Storage, { id }: CheckRow, atMs: number): Promise<void> =>
  storage.heartbeats.ping({ checkId: id, atMs, source: "https://jobs.example", userAgent: "curl/8" });
const all = { fromMs: 0, toMs: t0 * 2, limit: 100 };
const states = async (storage: Storage, { id }: CheckRow): Promise<unknown[]> =>
  (await storage.heartbeats.events(id, all)).map(({ state, atMs }) => [state, (atMs - t0) / minute]).toReversed();
const change = (storage: Storage, of: CheckRow, activated: boolean, settings: HeartbeatSettings) =>
  storage.checks.update(of.accountId, of.uuid, {
    definition: definition({ activated }),
    locationIds: [],
    schedule: never,
    heartbeat: settings,
    nowMs: t0 + minute,
  });

describe.each(engines.names)("heartbeats on %s", (engine) => {
  it("are found by their token, which no other can have", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const of = await heartbeat(storage, owner.id, { token: pinged("the-token-of-one") });
    expect(await storage.heartbeats.checkIdOf(pinged("the-token-of-one"))).toBe(of.id);
    expect(await storage.heartbeats.checkIdOf(pinged("the-token-of-none"))).toBeUndefined();
    const twice = heartbeat(storage, owner.id, { token: pinged("the-token-of-one") });
    await expect(twice).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("pingToken") });
    expect((await storage.checks.list(owner.id, { page: 1, limit: 10 })).total).toBe(1);
    const other = await heartbeat(storage, owner.id, { token: pinged("another-token-here") });
    const stolen = change(storage, other, true, { token: pinged("the-token-of-one"), periodMs: minute, graceMs: 0 });
    await expect(stolen).rejects.toMatchObject({ code: "conflict" });
    await storage.checks.remove(owner.id, of.uuid, t0);
    expect(await storage.heartbeats.checkIdOf(pinged("the-token-of-one"))).toBeUndefined();
  });

  it("write pings and alerts, and tell the check's status by the last of them", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const of = await heartbeat(storage, owner.id);
    expect(await storage.heartbeats.sweep(t0 + 1_000 * minute, 100)).toBe(0);
    expect(await storage.checks.statuses(owner.id)).toEqual([]);
    await ping(storage, of, t0);
    await ping(storage, of, t0 + 9 * minute);
    expect(await storage.checks.status(owner.id, of.uuid)).toMatchObject({
      hasFailures: false,
      longestRunMs: null,
      lastRunLocation: null,
      lastCheckRunId: null,
      createdAtMs: t0,
      updatedAtMs: t0 + 9 * minute,
    });
    expect(await storage.heartbeats.sweep(t0 + 19 * minute - 1, 100)).toBe(0);
    expect(await storage.heartbeats.timer(of.id)).toMatchObject({ periodMs: 10 * minute, startedAtMs: t0 + 9 * minute, isFailing: false });
    expect(await storage.heartbeats.sweep(t0 + 19 * minute, 100)).toBe(1);
    expect(await storage.heartbeats.sweep(t0 + 19 * minute, 100)).toBe(0);
    expect(await storage.checks.status(owner.id, of.uuid)).toMatchObject({ hasFailures: true });
    expect(await storage.heartbeats.timer(of.id)).toMatchObject({ startedAtMs: t0 + 19 * minute, isFailing: true });
    expect(await storage.heartbeats.timer(of.id + 1_000)).toBeUndefined();
    expect((await storage.checks.list(owner.id, { page: 1, limit: 10, status: "failing" })).total).toBe(1);
    await ping(storage, of, t0 + 20 * minute);
    expect((await storage.checks.list(owner.id, { page: 1, limit: 10, status: "passing" })).total).toBe(1);
    expect(await states(storage, of)).toEqual([
      ["RECEIVED", 0],
      ["RECEIVED", 9],
      ["FAILING", 19],
      ["LATE", 20],
    ]);
    const [late, failed] = await storage.heartbeats.events(of.id, all);
    expect(late).toMatchObject({ source: "https://jobs.example", userAgent: "curl/8" });
    expect(failed).toMatchObject({ source: null, userAgent: null });
    expect(await storage.heartbeats.event(of.id, late?.id ?? 0)).toEqual(late);
    expect(await storage.heartbeats.event(of.id + 1, late?.id ?? 0)).toBeUndefined();
  });

  it("count each of many pings at once, in their order", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const [one, two] = await Promise.all([heartbeat(storage, owner.id), heartbeat(storage, owner.id)]);
    const times = Array.from({ length: 40 }, (_, index) => t0 + index * minute);
    await Promise.all(times.flatMap((atMs) => [ping(storage, one, atMs), ping(storage, two, atMs)]));
    for (const of of [one, two]) {
      const told = await states(storage, of);
      expect(told).toHaveLength(40);
      expect(told[0]).toEqual(["RECEIVED", 0]);
      expect(told.slice(1)).toEqual(times.slice(1).map((_, index) => ["EARLY", index + 1]));
    }
  });

  it("write an alert once, whoever looks: two sweepers, or a ping that comes first", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const many = await Promise.all(Array.from({ length: 12 }, () => heartbeat(storage, owner.id)));
    await Promise.all(many.map((of) => ping(storage, of, t0)));
    const later = t0 + 11 * minute;
    await Promise.all([
      storage.heartbeats.sweep(later, 100),
      storage.heartbeats.sweep(later, 100),
      ...many.map((of) => ping(storage, of, later)),
    ]);
    await storage.heartbeats.sweep(later, 100);
    for (const of of many) {
      expect(await states(storage, of)).toEqual([
        ["RECEIVED", 0],
        ["FAILING", 10],
        ["LATE", 11],
      ]);
    }
  });

  it("forget all but their events when they are deactivated", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const settings = { token: pinged(randomUUID()), periodMs: 10 * minute, graceMs: 0 };
    const of = await heartbeat(storage, owner.id, settings);
    await ping(storage, of, t0);
    await change(storage, of, false, settings);
    expect(await storage.checks.statuses(owner.id)).toEqual([]);
    await ping(storage, of, t0 + 2 * minute);
    expect(await storage.heartbeats.sweep(t0 + 60 * minute, 100)).toBe(0);
    await change(storage, of, true, settings);
    expect(await storage.heartbeats.sweep(t0 + 60 * minute, 100)).toBe(0);
    await ping(storage, of, t0 + 61 * minute);
    expect(await states(storage, of)).toEqual([
      ["RECEIVED", 0],
      ["RECEIVED", 61],
    ]);
  });

  it("do not alert for the past when their period becomes shorter", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const of = await heartbeat(storage, owner.id);
    await ping(storage, of, t0 - 5 * minute);
    await change(storage, of, true, { token: pinged(randomUUID()), periodMs: minute, graceMs: 0 });
    expect(await storage.heartbeats.sweep(t0 + 2 * minute - 1, 100)).toBe(0);
    expect(await storage.heartbeats.sweep(t0 + 2 * minute, 100)).toBe(1);
  });

  it("wait so much longer as nobody was there to be pinged, once for all who start", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const [missed, pending] = await Promise.all([heartbeat(storage, owner.id), heartbeat(storage, owner.id, { periodMs: 60 * minute })]);
    expect(await storage.heartbeats.resume(t0, 6_000)).toBe(0);
    await Promise.all([ping(storage, missed, t0), ping(storage, pending, t0)]);
    await storage.heartbeats.markAlive(t0 + 9 * minute);
    const outages = await Promise.all([
      storage.heartbeats.resume(t0 + 39 * minute, 6_000),
      storage.heartbeats.resume(t0 + 39 * minute, 6_000),
    ]);
    expect(outages.toSorted((a, b) => a - b)).toEqual([0, 30 * minute]);
    expect(await storage.heartbeats.sweep(t0 + 40 * minute - 1, 100)).toBe(0);
    expect(await storage.heartbeats.sweep(t0 + 40 * minute, 100)).toBe(1);
    expect(await states(storage, missed)).toEqual([
      ["RECEIVED", 0],
      ["FAILING", 40],
    ]);
    expect(await storage.heartbeats.sweep(t0 + 90 * minute - 1, 100)).toBe(1);
    await ping(storage, pending, t0 + 90 * minute - 1);
    expect((await states(storage, pending)).map((event) => (event as unknown[])[0])).toEqual(["RECEIVED", "RECEIVED"]);
  });

  it("do not take a short gap between two marks for an outage", async () => {
    const storage = await engines.open(engine);
    await storage.heartbeats.markAlive(t0);
    expect(await storage.heartbeats.resume(t0 + 6_000, 6_000)).toBe(0);
    expect(await storage.heartbeats.resume(t0 + 12_001, 6_000)).toBe(6_001);
    expect(await storage.heartbeats.resume(t0, 6_000)).toBe(0);
  });

  it("count alerts and pings of a window, of all states or some", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const one = await heartbeat(storage, owner.id); // one after the other: answers come in the order of their numbers
    const two = await heartbeat(storage, owner.id);
    const none = await heartbeat(storage, owner.id);
    for (const at of [0, 1, 10, 30]) await ping(storage, one, t0 + at * minute);
    await ping(storage, two, t0);
    const window = { fromMs: t0, toMs: t0 + 30 * minute };
    const ids = [one.id, two.id, none.id];
    expect(await storage.heartbeats.availability(ids, window)).toEqual([
      { checkId: one.id, pings: 3, alerts: 1 },
      { checkId: two.id, pings: 1, alerts: 0 },
    ]);
    expect(await storage.heartbeats.availability([one.id], { fromMs: t0, toMs: t0 + 31 * minute })).toEqual([
      { checkId: one.id, pings: 4, alerts: 1 },
    ]);
    expect(await storage.heartbeats.availability(ids, { ...window, states: ["EARLY", "FAILING"] })).toEqual([
      { checkId: one.id, pings: 1, alerts: 1 },
    ]);
    expect((await storage.heartbeats.events(one.id, { ...all, states: ["LATE"] })).map(({ atMs }) => atMs)).toEqual([t0 + 30 * minute]);
    expect(await storage.heartbeats.availability([none.id], window)).toEqual([]);
  });

  it("lose their events by age, the oldest first, and with their check", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const of = await heartbeat(storage, owner.id);
    for (let index = 0; index < 9; index += 1) await ping(storage, of, t0 + index * minute);
    expect(await storage.heartbeats.prune(t0 + 5 * minute, 3)).toEqual({ deleted: 3, more: true });
    expect(await storage.heartbeats.prune(t0 + 5 * minute, 100)).toEqual({ deleted: 2, more: false });
    expect(await states(storage, of)).toHaveLength(4);
    await storage.checks.remove(owner.id, of.uuid, t0);
    expect(await storage.heartbeats.sweep(t0 + 1_000 * minute, 100)).toBe(0);
    await storage.results.prune(0, 1_000);
    expect(await storage.heartbeats.events(of.id, all)).toEqual([]);
  });
});
