import { describe, expect, it } from "vitest";
import { check, leaseOne, reaping, report, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("figures of a location on %s", (engine) => {
  it("tell how long its runs waited, of this location and time alone", async () => {
    const { storage, berlin, locations, agent, check: first } = await scene(await engines.open(engine), ["berlin", "paris"]);
    const job = await leaseOne(storage, agent);
    await storage.results.ingest(agent, [report(job, { queuedMs: 250 })], t0 + 1_000);
    const paris = locations[1]?.id ?? 0;
    expect(await storage.locationFigures.waits(berlin.id, t0 - 1, 10)).toEqual([250]);
    expect(await storage.locationFigures.waits(berlin.id, t0 + 3_600_000, 10)).toEqual([]);
    expect(await storage.locationFigures.waits(paris, t0 - 1, 10)).toEqual([]);
    const second = await check(storage, first.accountId, [berlin.id]);
    await start(storage, second, [berlin.id]);
    await storage.results.ingest(agent, [report(await leaseOne(storage, agent), { queuedMs: 9 })], t0 + 1_000);
    expect((await storage.locationFigures.waits(berlin.id, t0 - 1, 10)).toSorted((a, b) => a - b)).toEqual([9, 250]);
    expect(await storage.locationFigures.waits(berlin.id, t0 - 1, 1)).toEqual([250]);
  });

  it("tell which runs were missed and why, of this location and time alone", async () => {
    const { storage, berlin, locations, check: first } = await scene(await engines.open(engine), ["berlin", "paris"]);
    const paris = locations[1]?.id ?? 0;
    await start(storage, first, [berlin.id], t0 + 60_000);
    await start(storage, await check(storage, first.accountId, [paris]), [paris]);
    // No agent was heard of in the two minutes before the wait was over.
    await storage.jobs.reap(t0 + 500_000, reaping);
    const { locationFigures } = storage;
    expect(await locationFigures.missed(berlin.id, t0 - 1, 10)).toEqual([
      { reason: "no_agent", count: 2, checks: 1, latestMs: t0 + 60_000 },
    ]);
    expect(await locationFigures.missed(berlin.id, t0 + 30_000, 10)).toMatchObject([{ count: 1 }]);
    expect(await locationFigures.missed(berlin.id, t0 - 1, 1)).toMatchObject([{ count: 1, latestMs: t0 + 60_000 }]);
    expect(await locationFigures.missed(paris, t0 + 1, 10)).toEqual([]);
    const counts = [
      locationFigures.missedCount(berlin.id, t0 - 1, 10),
      locationFigures.missedCount(berlin.id, t0 - 1, 1),
      locationFigures.missedCount(paris, t0 - 1, 10),
    ];
    expect(await Promise.all(counts)).toEqual([2, 1, 1]);
  });
});
