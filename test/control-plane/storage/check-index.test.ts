import { describe, expect, it } from "vitest";
import { account, agent, check, definition, leaseOne, location, minutely, report, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("the index of checks in %s", (engine) => {
  it("tells of an account's checks what reports need, and how they stand", async () => {
    const storage = await engines.open(engine);
    const [owner, stranger] = [await account(storage), await account(storage)];
    const berlin = await location(storage, owner.id);
    const ran = await check(storage, owner.id, [berlin.id], { name: `Ran "é"`, tags: ["b", "a"], muted: true });
    const idle = await check(storage, owner.id, [berlin.id], { name: "Idle", activated: false }, { ...minutely, nextDueMs: null });
    const foreign = await check(storage, stranger.id, [berlin.id]);
    await start(storage, ran, [berlin.id]);
    const by = await agent(storage, berlin);
    await storage.results.ingest(by, [report(await leaseOne(storage, by), { isDegraded: true })], t0 + 1_000);

    // Only those of the account; and what was known of a check before is not told any more.
    await storage.checkIndex.ofAccount(owner.id);
    expect(await storage.checks.muteUntil(owner.id, [idle.uuid, foreign.uuid, "nonsense"], t0 + 5_000, t0)).toEqual([idle.uuid]);

    const told = await storage.checkIndex.ofAccount(owner.id);
    expect(told).toEqual([
      {
        id: ran.id,
        uuid: ran.uuid,
        type: "API",
        name: `Ran "é"`,
        activated: true,
        muted: true,
        mutedUntilMs: null,
        tags: ["b", "a"],
        searched: expect.stringMatching(/^ran "é"\nb\na/) as string,
        groupName: null,
        ofGroup: null,
        latest: { status: "degraded", startedAtMs: t0 + 100, sslDaysRemaining: null },
        totals: { passed: 0, degraded: 1, failed: 0, responseTimeMs: 100.25 },
      },
      {
        id: idle.id,
        uuid: idle.uuid,
        type: "API",
        name: "Idle",
        activated: false,
        muted: false,
        mutedUntilMs: t0 + 5_000,
        tags: [],
        searched: expect.stringMatching(/^idle\n/) as string,
        groupName: null,
        ofGroup: null,
        latest: null,
        totals: { passed: 0, degraded: 0, failed: 0, responseTimeMs: 0 },
      },
    ]);
    expect(await storage.checkIndex.byUuids(owner.id, [idle.uuid, foreign.uuid, "nonsense"])).toEqual([told[1]]);
    expect(await storage.checkIndex.byUuids(owner.id, [])).toEqual([]);
    expect(await storage.checkIndex.activatedByUuid(ran.uuid)).toEqual(told[0]);
    expect(await storage.checkIndex.activatedByUuid(idle.uuid)).toBeUndefined();
    expect(await storage.checkIndex.activatedOfGroup(1)).toEqual([]);
  });

  it("tells what a check is called now, also after two changes in one millisecond, and nothing of one that is gone", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const [changed, removed] = [await check(storage, owner.id, [berlin.id]), await check(storage, owner.id, [berlin.id])];
    const rename = (name: string) =>
      storage.checks.update(owner.id, changed.uuid, {
        definition: definition({ name }),
        locationIds: [berlin.id],
        schedule: minutely,
        nowMs: t0,
      });
    for (const name of ["First", "Second"]) {
      await rename(name);
      expect((await storage.checkIndex.ofAccount(owner.id)).map((told) => told.name)).toEqual([name, removed.definition.name]);
    }
    await storage.checks.remove(owner.id, removed.uuid, t0);
    expect((await storage.checkIndex.ofAccount(owner.id)).map(({ uuid }) => uuid)).toEqual([changed.uuid]);
  });

  it("counts every run once, however often and late it is reported", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const berlin = await location(storage, owner.id);
    const counted = await check(storage, owner.id, [berlin.id]);
    const by = await agent(storage, berlin);
    const outcomes = [
      { hasFailures: true },
      {},
      { hasErrors: true, isDegraded: true },
      { isDegraded: true },
      { isCancelled: true },
      { agentSide: true },
    ];
    for (const [index, outcome] of outcomes.entries()) {
      await start(storage, counted, [berlin.id], t0 - index * 1_000);
      const job = await leaseOne(storage, by);
      const reported = report(job, { ...outcome, responseTimeMs: 100 });
      await storage.results.ingest(by, [reported, reported], t0 + 1_000);
      await storage.results.ingest(by, [reported], t0 + 2_000);
    }
    const told = await storage.checkIndex.activatedByUuid(counted.uuid);
    expect(told?.totals).toEqual({ passed: 1, degraded: 1, failed: 2, responseTimeMs: 400 });
    expect(told?.latest?.status).toBe("failing");
  });
});
