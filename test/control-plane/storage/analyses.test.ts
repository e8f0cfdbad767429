import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { account, agent, check, leaseOne, location, report, start, t0, useEngines } from "./fixture.ts";

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
    const [episode] = await storage.analyses.unaskedEpisodes(10);
    expect(episode).toMatchObject({ accountId: owner.id, errorGroupId: expect.any(Number) });
    expect(await storage.analyses.ask([{ ...episode!, wanted: wanted() }])).toBe(1);
    expect(await storage.analyses.ask([{ ...episode!, wanted: wanted() }])).toBe(0);
    expect(await storage.analyses.unaskedEpisodes(10)).toEqual([]);
    expect(await storage.analyses.claim(t0, minute, 10)).toHaveLength(1);
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
    expect(await storage.causes.firstFailure(shop.id, berlin.code, t0 + 1_000)).toBe(t0 + 60_000);
    expect(await storage.causes.firstFailure(shop.id, paris.code, t0 + 1_000)).toBeNull();
    const versions = await storage.causes.agentVersions(owner.id, berlin.code, t0);
    expect(versions.length).toBeGreaterThan(0);
    expect(new Set(versions.map(({ version }) => version))).toEqual(new Set(["1.0.0"]));
    expect(await storage.causes.agentVersions(owner.id, theirs.code, t0)).toEqual([]);
  });
});
