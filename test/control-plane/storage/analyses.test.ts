import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { account, agent, check, definition, leaseOne, location, report, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const minute = 60_000;

describe.each(engines.names)("root-cause analyses in %s", (engine) => {
  const wanted = (createdAtMs = t0) => ({ uuid: randomUUID(), userContext: "", createdAtMs, askedBy: null });
  const of = (errorGroupId: number) => ({ errorGroupId, testFailureGroupId: null });
  const completed = { provider: "outpost", model: "rules", durationMs: 3, analysis: { causes: [] } };

  it("are asked for once at a time, claimed once, and end once", async () => {
    const storage = await engines.open(engine);
    const { analyses } = storage;
    const owner = await account(storage);
    const askedBy = { userId: "u", userName: "ada@example.com", role: "OWNER" } as const;
    const first = await analyses.request(owner.id, of(1), { ...wanted(), askedBy });
    expect(await analyses.request(owner.id, of(1), wanted())).toEqual(first);
    const other = await analyses.request(owner.id, { errorGroupId: null, testFailureGroupId: 1 }, wanted());
    expect(other.uuid).not.toBe(first.uuid);
    const claimed = await analyses.claim(t0, minute, 1);
    expect(claimed).toEqual([{ ...first, attempts: 1 }]);
    expect((await analyses.claim(t0, minute, 10)).map(({ uuid }) => uuid)).toEqual([other.uuid]);
    expect(await analyses.claim(t0, minute, 10)).toEqual([]);
    expect((await analyses.claim(t0 + 2 * minute, minute, 10)).map(({ attempts }) => attempts)).toEqual([2, 2]);
    await analyses.end(first.uuid, "COMPLETED", completed);
    await analyses.end(first.uuid, "FAILED", null);
    expect(await analyses.find(owner.id, first.uuid)).toMatchObject({ status: "COMPLETED", completed, askedBy });
    expect(await analyses.find(owner.id + 1, first.uuid)).toBeUndefined();
    const again = await analyses.request(owner.id, of(1), wanted(t0 + minute));
    expect(again.uuid).not.toBe(first.uuid);
    expect((await analyses.ofGroup(owner.id, of(1))).map(({ uuid }) => uuid)).toEqual([first.uuid]);
    expect((await analyses.latest(owner.id, of(1)))?.uuid).toBe(again.uuid);
    expect(await analyses.latest(owner.id, of(2))).toBeUndefined();
  });

  it("know what models took for them, and go with their time", async () => {
    const storage = await engines.open(engine);
    const { analyses } = storage;
    const owner = await account(storage);
    const [old, young] = [
      await analyses.request(owner.id, of(1), wanted(t0)),
      await analyses.request(owner.id, of(2), wanted(t0 + minute)),
    ];
    expect(await analyses.spentSince(owner.id, t0)).toBe(0);
    await analyses.spend(old.uuid, 100);
    await analyses.spend(young.uuid, 20);
    await analyses.spend(young.uuid, 3);
    expect(await analyses.spentSince(owner.id, t0)).toBe(123);
    expect(await analyses.spentSince(owner.id, t0 + 1)).toBe(23);
    expect(await analyses.spentSince(owner.id + 1, t0)).toBe(0);
    expect(await analyses.prune(t0 + 1, 10)).toBe(1);
    expect([await analyses.find(owner.id, old.uuid), (await analyses.find(owner.id, young.uuid))?.uuid]).toEqual([undefined, young.uuid]);
  });

  it("are asked for by an episode once", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const by = await agent(storage, berlin);
    const one = await check(storage, owner.id, [berlin.id]);
    await start(storage, one, [berlin.id]);
    await storage.results.ingest(by, [report(await leaseOne(storage, by), { startedAt: t0, hasFailures: true, errorMessage: "no" })], t0);
    const [episode] = await storage.analyses.unaskedEpisodes(t0, 10);
    expect(episode).toMatchObject({ accountId: owner.id, of: { errorGroupId: expect.any(Number), testFailureGroupId: null } });
    expect(await storage.analyses.ask(t0, [{ ...episode!, wanted: wanted() }])).toBe(1);
    expect(await storage.analyses.ask(t0, [{ ...episode!, wanted: wanted() }])).toBe(0);
    expect(await storage.analyses.unaskedEpisodes(t0, 10)).toEqual([]);
    expect(await storage.analyses.claim(t0, minute, 10)).toHaveLength(1);
  });

  it("are asked for by an episode of a degraded check, and of a heartbeat, by the check itself", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const by = await agent(storage, berlin);
    const slow = await check(storage, owner.id, [berlin.id]);
    await start(storage, slow, [berlin.id]);
    await storage.results.ingest(by, [report(await leaseOne(storage, by), { startedAt: t0, isDegraded: true })], t0);
    const job = await pinged(storage, owner.id);
    await storage.heartbeats.ping({ checkId: job.id, atMs: t0, source: null, userAgent: null });
    await storage.heartbeats.sweep(t0 + 11 * minute, 10);
    const episodes = await storage.analyses.unaskedEpisodes(t0 + 11 * minute, 10);
    expect(episodes.map((one) => one.of?.checkId)).toEqual([slow.id, job.id]);
    expect(
      await storage.analyses.ask(
        t0,
        episodes.map((episode) => ({ ...episode, wanted: wanted() })),
      ),
    ).toBe(2);
    const asked = await storage.analyses.claim(t0, minute, 10);
    expect(asked.map(({ checkId, errorGroupId }) => [checkId, errorGroupId])).toEqual([
      [slow.id, null],
      [job.id, null],
    ]);
    await storage.analyses.end(asked[0]!.uuid, "COMPLETED", completed);
    expect(await storage.analyses.ofGroup(owner.id, episodes[0]!.of!)).toHaveLength(1);
    expect((await storage.analyses.latest(owner.id, episodes[1]!.of!))?.status).toBe("PENDING");
    expect(await storage.analyses.latest(owner.id + 1, episodes[1]!.of!)).toBeUndefined();
  });

  it("find other heartbeats that were missed or pinged in a time, and a check's id where it is the account's", async () => {
    const storage = await engines.open(engine);
    const [owner, stranger] = [await account(storage), await account(storage)];
    const [job, missed, alive, quiet] = [
      await pinged(storage, owner.id),
      await pinged(storage, owner.id),
      await pinged(storage, owner.id),
      await pinged(storage, owner.id),
    ];
    const foreign = await pinged(storage, stranger.id);
    const ping = (checkId: number, atMs: number) => storage.heartbeats.ping({ checkId, atMs, source: null, userAgent: null });
    for (const { id } of [job, missed, alive, quiet, foreign]) await ping(id, t0);
    await ping(alive.id, t0 + 9 * minute);
    await storage.heartbeats.sweep(t0 + 11 * minute, 10);
    const beside = await storage.causes.heartbeatsBeside(owner.id, job.id, { fromMs: t0 + minute, toMs: t0 + 12 * minute });
    const isMissed = new Map(beside.map((one) => [one.uuid, one.isMissed]));
    expect([missed, alive, quiet, job, foreign].map(({ uuid }) => isMissed.get(uuid))).toEqual([true, false, true, undefined, undefined]);
    expect(await storage.causes.heartbeatsBeside(owner.id, job.id, { fromMs: t0 + 20 * minute, toMs: t0 + 30 * minute })).toEqual([]);
    expect(await storage.causes.checkUuid(owner.id, job.id)).toBe(job.uuid);
    expect(await storage.causes.checkUuid(stranger.id, job.id)).toBeUndefined();
  });
});

function pinged(storage: Storage, accountId: number) {
  return storage.checks.create({
    uuid: randomUUID(),
    accountId,
    type: "HEARTBEAT",
    definition: definition(),
    locationIds: [],
    schedule: { periodMs: 0, phaseMs: 0, nextDueMs: null },
    heartbeat: { token: { hash: randomUUID(), open: null }, periodMs: 10 * minute, graceMs: 0 },
    nowMs: t0,
  });
}

describe.each(engines.names)("what was said of the cause of an episode in %s", (engine) => {
  it("is looked at again a minute after another location fails or passes again, once, and not after the end", async () => {
    const storage = await engines.open(engine);
    const { analyses } = storage;
    const owner = await account(storage);
    const places = [await location(storage, owner.id), await location(storage, owner.id, "paris")];
    const one = await check(
      storage,
      owner.id,
      places.map(({ id }) => id),
    );
    const run = async (place: number, startedAt: number, isFailed: boolean): Promise<void> => {
      const at = places[place]!;
      const by = await agent(storage, at, startedAt);
      await start(storage, one, [at.id]);
      const failure = isFailed ? { hasFailures: true, errorMessage: "no" } : {};
      await storage.results.ingest(by, [report(await leaseOne(storage, by), { startedAt, ...failure })], startedAt);
    };
    const dueAt = async (nowMs: number): Promise<readonly boolean[]> => {
      const due = await analyses.unaskedEpisodes(nowMs, 10);
      await analyses.ask(
        nowMs,
        due.map((episode) => ({ ...episode, wanted: null })),
      );
      return due.map(({ isAgain }) => isAgain);
    };
    await run(0, t0, true);
    expect(await dueAt(t0)).toEqual([false]);
    await run(0, t0 + 1_000, true);
    expect(await dueAt(t0 + 2 * minute)).toEqual([]);
    await run(1, t0 + 3 * minute, true);
    expect([await dueAt(t0 + 3.5 * minute), await dueAt(t0 + 4 * minute), await dueAt(t0 + 4 * minute)]).toEqual([[], [true], []]);
    await run(1, t0 + 5 * minute, false);
    expect(await dueAt(t0 + 6 * minute)).toEqual([true]);
    await run(0, t0 + 7 * minute, false);
    expect(await dueAt(t0 + 9 * minute)).toEqual([]);
  });
});

describe.each(engines.names)("what is around a failure in %s", (engine) => {
  it("is the account's runs of that time, by check and location, and no other account's", async () => {
    const storage = await engines.open(engine);
    const [owner, stranger] = [await account(storage), await account(storage)];
    const [berlin, paris, theirs] = [
      await location(storage, owner.id),
      await location(storage, owner.id, "paris"),
      await location(storage, stranger.id, "oslo"),
    ];
    const shop = await check(storage, owner.id, [berlin.id, paris.id], { name: "Shop" });
    const cart = await check(storage, owner.id, [berlin.id], { name: "Cart", request: { url: "https://Shop.example/cart" } });
    const foreign = await check(storage, stranger.id, [theirs.id]);
    const run = async (one: typeof shop, at: typeof berlin, startedAt: number, isFailed: boolean) => {
      const by = await agent(storage, at, startedAt);
      await start(storage, one, [at.id]);
      const failure = isFailed ? { hasFailures: true, errorMessage: "no" } : {};
      await storage.results.ingest(by, [report(await leaseOne(storage, by), { startedAt, ...failure })], startedAt);
    };
    await run(shop, berlin, t0 + 1_000, false);
    await run(shop, berlin, t0 + 60_000, true);
    await run(shop, berlin, t0 + 70_000, true);
    await run(shop, paris, t0 + 61_000, false);
    await run(cart, berlin, t0 + 62_000, true);
    await run(foreign, theirs, t0 + 63_000, true);
    const around = await storage.causes.around(owner.id, shop.id, { fromMs: t0 + 30_000, toMs: t0 + 90_000 });
    expect(around.checks).toEqual([{ id: cart.id, uuid: cart.uuid, type: "API", name: "Cart", target: "shop.example" }]);
    expect(around.runs.map(({ checkId, locationId, isFailed }) => [checkId, locationId, isFailed])).toEqual([
      [shop.id, berlin.id, true],
      [cart.id, berlin.id, true],
      [shop.id, paris.id, false],
      [shop.id, berlin.id, true],
    ]);
    expect([...around.locations.keys()].toSorted((a, b) => a - b)).toEqual([berlin.id, paris.id]);
    expect(await storage.causes.firstFailure(shop.id, berlin.code, t0 + 1_000, "failing")).toBe(t0 + 60_000);
    expect(await storage.causes.firstFailure(shop.id, paris.code, t0 + 1_000, "failing")).toBeNull();
    const versions = await storage.causes.agentVersions(owner.id, berlin.code, t0);
    expect(versions.length).toBeGreaterThan(0);
    expect(new Set(versions.map(({ version }) => version))).toEqual(new Set(["1.0.0"]));
    expect(await storage.causes.agentVersions(owner.id, theirs.code, t0)).toEqual([]);
  });
});
