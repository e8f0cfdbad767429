import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dataCenterLocationCodes } from "#contract/locations.ts";
import { unlimited } from "../../../src/control-plane/keys/issue-key.ts";
import type { KeyRow } from "../../../src/control-plane/storage/storage.ts";
import { account, agent, check, definition, lease, leaseOne, location, minutely, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("configuration on %s", (engine) => {
  it("keeps the first mark that is offered, until it is replaced", async () => {
    const { marks } = await engines.open(engine);
    const offered = ["a", "b", "c", "d"];
    const kept = await Promise.all(offered.map((value) => marks.keep("pepper", value)));
    expect(new Set(kept).size).toBe(1);
    expect(await marks.keep("pepper", "late")).toBe(kept[0]);
    expect(await marks.keep("account", "other")).toBe("other");
    await marks.replace("pepper", "new");
    await marks.replace("fresh", "made");
    expect([await marks.keep("pepper", "late"), await marks.keep("fresh", "late")]).toEqual(["new", "made"]);
  });

  it("keeps accounts", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    expect(owner).toMatchObject({ name: "acme", runtimeId: "2026.04", settings: {}, alertSettings: {} });
    expect(await storage.accounts.list()).toEqual([owner]);
    expect(await storage.accounts.byUuid(owner.uuid)).toEqual(owner);
    expect(await storage.accounts.byId(owner.id)).toEqual(owner);
    expect(await storage.accounts.byUuid(randomUUID())).toBeUndefined();
    await expect(storage.accounts.create({ uuid: owner.uuid, name: "twin", runtimeId: "x", nowMs: t0 })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("keeps keys by their hash, those of a location in order", async () => {
    const { storage, account: owner, berlin } = await scene(await engines.open(engine));
    const key = (change: Partial<KeyRow>): KeyRow => ({
      id: randomUUID(),
      kind: "location",
      accountId: owner.id,
      locationId: berlin.id,
      role: "READ_RUN",
      maskedKey: "...abcd",
      name: "Deployments",
      createdAtMs: t0,
      updatedAtMs: null,
      lastUsedAtMs: null,
      ...unlimited,
      ...change,
    });
    const [second, first, user] = [
      key({ createdAtMs: t0 + 1 }),
      key({}),
      key({ kind: "user", locationId: null, role: "OWNER", expiresAtMs: t0 + 1, networks: ["10.0.0.0/8"], scopes: ["*:read"] }),
    ];
    for (const one of [second, first, user]) {
      const { updatedAtMs: _never, lastUsedAtMs: _unused, ...rest } = one;
      await storage.keys.create({ ...rest, hash: `hash of ${one.id}` });
    }
    expect(await storage.keys.byHash(`hash of ${user.id}`)).toEqual(user);
    expect(await storage.keys.byHash("unknown")).toBeUndefined();
    expect(await storage.keys.ofLocation(berlin.id)).toEqual([first, second]);
    expect(await storage.keys.remove(berlin.id + 1, first.id)).toBe(false);
    expect(await storage.keys.remove(berlin.id, first.id)).toBe(true);
    expect(await storage.keys.byHash(`hash of ${first.id}`)).toBeUndefined();
    const { updatedAtMs: _never, lastUsedAtMs: _unused, ...copy } = second;
    await expect(storage.keys.create({ ...copy, id: randomUUID(), hash: `hash of ${second.id}` })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  it("tells a key's new networks once, in the audit log with the place itself", async () => {
    const { storage, account: owner } = await scene(await engines.open(engine));
    const rest = { kind: "user" as const, accountId: owner.id, locationId: null, role: "OWNER" as const, maskedKey: "...abcd", name: "x" };
    await storage.keys.create({ ...unlimited, ...rest, id: "k", createdAtMs: t0, hash: "hash" });
    const entry = { accountId: owner.id, atMs: t0, operation: "use", resourceId: "k", fields: [], actor: null, request: null };
    const place = { keyId: "k", network: "10.1.2.3", atMs: t0, entry };
    const nobodys = { ...place, network: "10.1.2.4", entry: null };
    expect(await storage.keys.addPlaces([place])).toEqual([place]);
    expect(await storage.keys.addPlaces([place, nobodys, { ...place, keyId: "gone" }])).toEqual([nobodys]);
    expect(await storage.keys.addPlaces([{ ...place, keyId: "gone" }])).toEqual([]);
    const broken = { ...place, network: "10.1.2.5", entry: { ...entry, operation: null as unknown as string } }; // no engine takes it
    await expect(storage.keys.addPlaces([broken])).rejects.toThrow("operation");
    const many = Array.from({ length: 450 }, (_, index) => ({ ...place, network: `10.2.${Math.floor(index / 200)}.${index % 200}` }));
    expect(await storage.keys.addPlaces([{ ...broken, entry }, ...many])).toHaveLength(451);
    expect(await storage.audit.list(owner.id, { limit: 1_000 })).toHaveLength(452);
  });

  it("knows which data centers agents can serve: those that have a key", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const ireland = await storage.locations.dataCenter("eu-west-1");
    const frankfurt = await storage.locations.dataCenter("eu-central-1");
    const key = {
      ...unlimited,
      kind: "location" as const,
      accountId: null,
      role: "READ_RUN" as const,
      maskedKey: "...",
      name: "",
      createdAtMs: t0,
    };
    expect(await storage.locations.servedDataCenters()).toEqual([]);
    for (const [index, { id = 0 } = {}] of [ireland, berlin, frankfurt, ireland].entries())
      await storage.keys.create({ ...key, id: `key ${index}`, locationId: id, hash: `key ${index}` });
    expect(await storage.locations.servedDataCenters()).toEqual(["eu-central-1", "eu-west-1"]);
    await storage.keys.remove(frankfurt?.id ?? 0, "key 2");
    expect(await storage.locations.servedDataCenters()).toEqual(["eu-west-1"]);
  });

  it("lets one of fifty creators of a slug win", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const created = await Promise.allSettled(Array.from({ length: 50 }, () => location(storage, owner.id)));
    expect(created.filter((one) => one.status === "fulfilled")).toHaveLength(1);
    const refusals = created.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    for (const refusal of refusals) expect(refusal).toMatchObject({ code: "conflict", message: expect.stringContaining("berlin") });
    expect(await storage.locations.list(owner.id)).toHaveLength(1);
    expect(await location(storage, (await account(storage)).id)).toMatchObject({ code: "berlin" });
  });

  it("keeps an account's locations apart from those of others, and data centers for all", async () => {
    const { storage, account: owner, berlin } = await scene(await engines.open(engine));
    const stranger = await account(storage);
    expect(await storage.locations.byUuid(owner.id, berlin.uuid)).toMatchObject({ id: berlin.id, code: "berlin", lastSeenAtMs: t0 });
    expect(await storage.locations.byUuid(stranger.id, berlin.uuid)).toBeUndefined();
    expect(await storage.locations.update(stranger.id, berlin.uuid, { name: "x", nowMs: t0 })).toBeUndefined();
    expect(await storage.locations.remove(stranger.id, berlin.uuid)).toBe(false);
    expect((await storage.locations.byCodes(stranger.id, ["berlin", "eu-west-1", "nowhere"])).map((row) => row.code)).toEqual([
      "eu-west-1",
    ]);
    expect((await storage.locations.byCodes(owner.id, ["berlin", "eu-west-1"])).map((row) => row.code).toSorted()).toEqual([
      "berlin",
      "eu-west-1",
    ]);
    for (const code of dataCenterLocationCodes) expect(await storage.locations.dataCenter(code)).toMatchObject({ code, accountId: null });
    expect(await storage.locations.dataCenter("berlin")).toBeUndefined();
    expect(await storage.locations.byId(berlin.id)).toMatchObject({ code: "berlin" });
  });

  it("changes a location's name, icon and proxy, and only what is given", async () => {
    const { storage, account: owner, berlin } = await scene(await engines.open(engine));
    expect(
      await storage.locations.update(owner.id, berlin.uuid, { name: "Berlin", proxyUrl: "http://proxy:3128", nowMs: t0 + 1 }),
    ).toMatchObject({
      name: "Berlin",
      icon: "home",
      proxyUrl: "http://proxy:3128",
      updatedAtMs: t0 + 1,
    });
    expect(
      await storage.locations.update(owner.id, berlin.uuid, { name: "Berlin", icon: "flag", proxyUrl: null, nowMs: t0 + 2 }),
    ).toMatchObject({ icon: "flag", proxyUrl: null });
  });

  it("removes a location that no check names, with its keys and agents, and still shows it in old results", async () => {
    const { storage, account: owner, berlin, check: of, agent: by } = await scene(await engines.open(engine));
    const [job] = await lease(storage, by);
    if (!job) throw new Error("no job");
    await storage.results.ingest(by, [report(job)], t0 + 1_000);
    await storage.keys.create({
      ...unlimited,
      id: randomUUID(),
      kind: "location",
      accountId: owner.id,
      locationId: berlin.id,
      role: "READ_RUN",
      maskedKey: "...",
      name: "",
      createdAtMs: t0,
      hash: "key",
    });
    await expect(storage.locations.remove(owner.id, berlin.uuid)).rejects.toMatchObject({ code: "conflict" });
    await storage.checks.update(owner.id, of.uuid, { definition: definition(), locationIds: [], schedule: minutely, nowMs: t0 });
    expect(await storage.locations.remove(owner.id, berlin.uuid)).toBe(true);
    expect(await storage.locations.remove(owner.id, berlin.uuid)).toBe(false);
    expect(await storage.keys.byHash("key")).toBeUndefined();
    expect(await storage.agents.ofLocations([berlin.id], 0)).toEqual([]);
    expect(await storage.locations.list(owner.id)).toEqual([]);
    expect(await location(storage, owner.id)).toMatchObject({ code: "berlin" });
    const { items } = await storage.results.list({
      checkId: of.id,
      limit: 10,
      resultTypes: ["FINAL"],
      withDetails: false,
      locationCode: "berlin",
    });
    expect(items.map((row) => row.locationCode)).toEqual(["berlin"]);
  });

  it("keeps checks whole, with their locations in order", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const places = [await location(storage, owner.id, "b"), await location(storage, owner.id, "a")].toReversed().map((place) => place.id);
    const of = await check(storage, owner.id, places, { tags: ["x", "x", "y"], odd: { deep: [1, null, "ü"] } });
    expect(of.definition).toEqual(definition({ tags: ["x", "x", "y"], odd: { deep: [1, null, "ü"] } }));
    expect(of.locationIds).toEqual(places);
    expect(await storage.checks.byUuid(owner.id, of.uuid)).toEqual(of);
    const stranger = await account(storage);
    expect(await storage.checks.byUuid(stranger.id, of.uuid)).toBeUndefined();
    expect(await storage.checks.remove(stranger.id, of.uuid, t0)).toBe(false);
    const change = { definition: definition({ name: "new" }), locationIds: places.slice(1), schedule: minutely, nowMs: t0 + 9 };
    expect(await storage.checks.update(stranger.id, of.uuid, change)).toBeUndefined();
    expect(await storage.checks.update(owner.id, of.uuid, change)).toEqual({
      ...of,
      definition: change.definition,
      locationIds: change.locationIds,
      updatedAtMs: t0 + 9,
    });
    expect(await storage.checks.offsets(1)).toEqual(new Map([[1, 1]]));
    expect(await storage.checks.offsets(5)).toEqual(new Map());
    const idle = await check(storage, owner.id, [], { activated: false });
    expect([of.activated, idle.activated]).toEqual([true, false]);
    expect((await storage.checks.activated(owner.id)).map((one) => one.uuid)).toEqual([of.uuid]);
  });

  it("filters checks by name, URL, tags, type and status, in pages with a total", async () => {
    const { storage, account: owner, check: first, agent: by, berlin } = await scene(await engines.open(engine));
    await check(
      storage,
      owner.id,
      [berlin.id],
      { name: "Shop 100%_done", tags: ["prod", "eu"], request: { url: "https://Shop.example.com/Cart" } },
      { ...minutely, nextDueMs: null },
    );
    await check(storage, owner.id, [], { name: "shop api", tags: ["prod"], request: { hostname: "x" } });
    await check(storage, (await account(storage)).id, [], { name: "shop of others" });
    const [job] = await lease(storage, by);
    if (!job) throw new Error("no job");
    const names = async (filter: Partial<Parameters<typeof storage.checks.list>[1]>) => {
      const { items, total } = await storage.checks.list(owner.id, { page: 1, limit: 10, ...filter });
      expect(items).toHaveLength(Math.min(total, 10));
      return items.map((one) => one.definition.name);
    };
    expect(await names({})).toEqual(["a check", "Shop 100%_done", "shop api"]);
    expect(await names({ search: "SHOP" })).toEqual(["Shop 100%_done", "shop api"]);
    expect(await names({ search: "100%_d" })).toEqual(["Shop 100%_done"]);
    expect(await names({ search: "1_0%" })).toEqual([]);
    expect(await names({ urlPattern: "shop.example.com/c" })).toEqual(["Shop 100%_done"]);
    expect(await names({ tags: ["eu", "prod", "eu"] })).toEqual(["Shop 100%_done"]);
    expect(await names({ tags: ["eu", "us"] })).toEqual([]);
    expect(await names({ tags: ["prod"], search: "api" })).toEqual(["shop api"]);
    expect(await names({ type: "API" })).toHaveLength(3);
    expect(await names({ type: "DNS" })).toEqual([]);
    expect(await names({ status: "passing" })).toEqual([]);
    for (const [change, status] of [
      [{ isDegraded: true }, "degraded"],
      [{ hasErrors: true, isDegraded: true }, "failing"],
      [{}, "passing"],
    ] as const) {
      await storage.schedule.startRuns([
        { accountId: owner.id, checkId: first.id, runAtMs: t0 + 1, source: "TRIGGER_API", locationIds: [berlin.id] },
      ]);
      const [next] = await lease(storage, by, t0 + 1);
      if (!next) throw new Error("no job");
      await storage.results.ingest(by, [report(next, change)], t0 + 1_000);
      for (const one of ["passing", "degraded", "failing"] as const)
        expect(await names({ status: one })).toEqual(one === status ? ["a check"] : []);
    }
    expect(await storage.checks.list(owner.id, { page: 2, limit: 2 })).toMatchObject({
      total: 3,
      items: [{ definition: { name: "shop api" } }],
    });
  });

  it("keeps a thousand sessions of a location, those seen last", async () => {
    const { storage, berlin, agent: first } = await scene(await engines.open(engine));
    const quiet = await agent(storage, berlin, t0 + 1);
    await storage.agents.seen(first.id, { nowMs: t0 + 5_000, state: "running", outboxDepth: 0, eventLoopDelayMs: 1, clockAheadMs: null });
    for (let index = 0; index < 999; index += 1) await agent(storage, berlin, t0 + 2 + index);
    const kept = await storage.agents.ofLocations([berlin.id], 0);
    expect(kept).toHaveLength(1_000);
    expect([first.id, quiet.id].map((id) => kept.some((one) => one.id === id))).toEqual([true, false]);
  });

  it("keeps an agent that has a lease, however many sessions are opened after it", async () => {
    const of = await scene(await engines.open(engine));
    const { storage, berlin, agent: busy, account: owner } = of;
    await start(storage, await check(storage, owner.id, [berlin.id]), [berlin.id]);
    await leaseOne(storage, busy, t0);
    const ended = await agent(storage, berlin, t0 - 3_600_000);
    for (let index = 0; index < 1_050; index += 1) await agent(storage, berlin, t0 + 1 + index);
    const kept = await storage.agents.ofLocations([berlin.id], 0);
    expect(kept).toHaveLength(1_000);
    expect([busy.id, ended.id].map((id) => kept.some((one) => one.id === id))).toEqual([true, false]);
  });

  it("keeps four megabytes of sessions of a location", async () => {
    const { storage, berlin } = await scene(await engines.open(engine));
    const runtimes = Array.from({ length: 50 }, (_, index) => `${index}`.padStart(2_000, "x"));
    for (let index = 0; index < 60; index += 1) await agent(storage, berlin, t0 + 1 + index, runtimes);
    const kept = await storage.agents.ofLocations([berlin.id], 0);
    expect(kept.length).toBeGreaterThan(30);
    expect(kept.length).toBeLessThan(45);
    expect(kept[0]?.lastSeenAtMs).toBe(t0 + 60);
  });

  it("knows agents by their token until it expires, and when they were seen", async () => {
    const { storage, berlin, account: owner } = await scene(await engines.open(engine));
    const opened = await storage.agents.open({
      tokenHash: "token",
      agentId: randomUUID(),
      locationId: berlin.id,
      accountId: owner.id,
      keyId: "key",
      name: "host",
      version: "1.2.3",
      checkTypes: ["API", "TCP"],
      runtimes: ["2026.04"],
      sandboxLevel: 2,
      capabilities: { icmp: true, kernel: "6.1" },
      platform: { os: "linux", arch: "x64", nodeVersion: "26.10.0", isContainer: true },
      nowMs: t0 + 1,
      expiresAtMs: t0 + 1_000,
    });
    expect(opened).toMatchObject({
      name: "host",
      version: "1.2.3",
      checkTypes: ["API", "TCP"],
      openedAtMs: t0 + 1,
      lastSeenAtMs: t0 + 1,
      lastExecutedAtMs: null,
      state: "running",
      platform: { os: "linux", arch: "x64", nodeVersion: "26.10.0", isContainer: true },
      clockAheadMs: null,
    });
    expect(await storage.agents.byTokenHash("token", t0 + 999)).toEqual(opened);
    expect(await storage.agents.byTokenHash("token", t0 + 1_000)).toBeUndefined();
    const contacts = Array.from({ length: 20 }, (_, index) =>
      storage.agents.seen(opened.id, {
        nowMs: t0 + 10 + index,
        state: "draining",
        outboxDepth: 3,
        eventLoopDelayMs: 0.5,
        clockAheadMs: index * -1e11,
      }),
    );
    await Promise.all(contacts);
    const [seen, ...rest] = await storage.agents.ofLocations([berlin.id], t0 + 29);
    expect(seen).toMatchObject({ id: opened.id, lastSeenAtMs: t0 + 29, state: "draining", clockAheadMs: -1.9e12 });
    expect(rest).toEqual([]);
    expect(await storage.agents.ofLocations([berlin.id], t0)).toHaveLength(2);
    expect(await storage.agents.ofLocations([], 0)).toEqual([]);
    expect((await storage.locations.byId(berlin.id))?.lastSeenAtMs).toBe(t0 + 29);
    await agent(storage, berlin, t0 + 3 * 86_400_000);
    expect(await storage.agents.ofLocations([berlin.id], 0)).toHaveLength(1);
  });
});
