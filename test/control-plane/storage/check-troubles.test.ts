import { describe, expect, it } from "vitest";
import { account, agent, check, leaseOne, location, report, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("how a check stands over its locations in %s", (engine) => {
  it("is as bad as the newest run of any of them, whichever ran last, and says where, since when and why", async () => {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const [berlin, paris] = [await location(storage, owner.id), await location(storage, owner.id, "paris")];
    const one = await check(storage, owner.id, [berlin.id, paris.id]);
    const agents = new Map([
      [berlin, await agent(storage, berlin)],
      [paris, await agent(storage, paris)],
    ]);
    let nowMs = t0;
    const run = async (place: typeof berlin, changes: object): Promise<number> => {
      nowMs += 1_000;
      const by = agents.get(place)!;
      await start(storage, one, [place.id]);
      await storage.results.ingest(by, [report(await leaseOne(storage, by), { startedAt: nowMs, ...changes })], nowMs);
      return nowMs;
    };
    const statusOf = async () => (await storage.checkIndex.ofAccount(owner.id))[0]?.latest?.status;
    const troubles = async () => (await storage.checkTroubles.ofChecks([one.id], nowMs)).get(one.id);

    const everywhere = async () => (await storage.checkTroubles.everywhere([one.id])).get(one.id)?.map(({ standing }) => standing);
    expect(await everywhere()).toEqual([null, null]);
    await run(berlin, {});
    expect(await everywhere()).toEqual(["passing", null]);
    expect([await statusOf(), await troubles()]).toEqual(["passing", undefined]);
    const sinceMs = await run(berlin, { hasFailures: true, errorMessage: "expected 503 to equal 200" });
    await run(paris, {});
    expect(await statusOf()).toBe("failing");
    expect((await storage.checkStandings.changedSince(owner.id, t0))[0]?.latest.status).toBe("failing");
    expect((await storage.checks.statuses(owner.id))[0]).toMatchObject({ hasFailures: true, isDegraded: false });
    const place = {
      locationCode: berlin.code,
      locationName: berlin.name,
      standing: "failing",
      runs: 1,
      result: { id: expect.any(Number), runAtMs: expect.any(Number) },
      error: "expected 503 to equal 200",
    };
    expect(await troubles()).toMatchObject({ of: 2, alert: { incidentUuid: null }, places: [{ ...place, sinceMs: expect.any(Number) }] });
    expect(Math.abs(((await troubles())?.places[0]?.sinceMs ?? 0) - sinceMs)).toBeLessThan(2_000);
    expect(await everywhere()).toEqual(["failing", "passing"]);
    await run(paris, { isDegraded: true });
    expect(await everywhere()).toEqual(["failing", "degraded"]);
    expect((await troubles())?.places.map(({ locationName, standing }) => [locationName, standing])).toEqual([
      [berlin.name, "failing"],
      [paris.name, "degraded"],
    ]);
    await run(berlin, {});
    expect(await statusOf()).toBe("degraded");
    await run(paris, {});
    expect([await statusOf(), await troubles()]).toEqual(["passing", undefined]);
    expect(await everywhere()).toEqual(["passing", "passing"]);
    expect(await storage.checkTroubles.ofChecks([], nowMs)).toEqual(new Map());
    expect(await storage.checkTroubles.everywhere([])).toEqual(new Map());
  });
});
