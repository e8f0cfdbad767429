import { describe, expect, it } from "vitest";
import { account, agent, check, leaseOne, location, report, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("what changed of an account's checks in %s", (engine) => {
  it("is those whose newest result was taken since then, as the index tells of them", async () => {
    const storage = await engines.open(engine);
    const [owner, stranger] = [await account(storage), await account(storage)];
    const berlin = await location(storage, owner.id);
    const [early, late, foreign] = [
      await check(storage, owner.id, [berlin.id]),
      await check(storage, owner.id, [berlin.id]),
      await check(storage, stranger.id, [berlin.id]),
    ];
    await check(storage, owner.id, [berlin.id]);
    const by = await agent(storage, berlin);
    const run = async (ran: typeof early, changes: object, nowMs: number): Promise<void> => {
      await start(storage, ran, [berlin.id]);
      await storage.results.ingest(by, [report(await leaseOne(storage, by), changes)], nowMs);
    };
    await run(early, {}, t0 + 1_000);
    await run(late, { hasFailures: true }, t0 + 2_000);
    await run(foreign, {}, t0 + 2_000);

    const index = (await storage.checkIndex.ofAccount(owner.id)).map(({ id, latest, totals }) => ({ id, latest, totals }));
    const since = (ms: number) => storage.checkStandings.changedSince(owner.id, ms);
    expect((await since(0)).toSorted((a, b) => a.id - b.id)).toEqual(index.slice(0, 2));
    expect((await since(0))[0]?.latest.status).toBeDefined();
    expect((await since(t0 + 1_001)).map(({ id, latest: { status } }) => [id, status])).toEqual([[late.id, "failing"]]);
    expect(await since(t0 + 2_001)).toEqual([]);
    await run(early, { isDegraded: true }, t0 + 3_000);
    expect((await since(t0 + 2_001)).map(({ id, totals: { passed, degraded } }) => [id, passed, degraded])).toEqual([[early.id, 1, 1]]);
  });
});
