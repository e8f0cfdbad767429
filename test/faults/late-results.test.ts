import { expect, it } from "vitest";
import { agent as agentAt, allTypes, lease, report, scene, start, t0, useEngines } from "../control-plane/storage/fixture.ts";

const engines = await useEngines();
const second = 1_000;

it.each(engines.names)("a result that is stored after a newer one of its location says so, on %s", async (engine) => {
  const { storage, check, agent, berlin } = await scene(await engines.open(engine), ["berlin", "paris"]);
  for (const seconds of [10, 20]) await start(storage, check, [berlin.id], t0 + seconds * second);
  const jobs = await lease(storage, agent, t0 + 20 * second);
  const brought = async (...indices: readonly number[]): Promise<void> => {
    await storage.results.ingest(
      agent,
      indices.map((index) => report(jobs[index]!)),
      t0 + 60 * second,
    );
  };
  await brought(1);
  await brought(0);
  await brought(2);
  const { items } = await storage.results.list({ checkId: check.id, limit: 10, resultTypes: allTypes, withDetails: false });
  expect(items.map(({ runAtMs, isLate }) => [(runAtMs - t0) / second, isLate])).toEqual([
    [20, false],
    [10, false],
    [0, true],
  ]);
});

it.each(engines.names)("a result is not late for those of other locations, nor for its own batch, on %s", async (engine) => {
  const { storage, check, agent, locations } = await scene(await engines.open(engine), ["berlin", "paris"]);
  const [berlin, paris] = locations;
  await start(storage, check, [paris!.id], t0 + 10 * second);
  await start(storage, check, [berlin!.id], t0 + 20 * second);
  const inParis = await agentAt(storage, paris!);
  const away = await lease(storage, inParis, t0 + 20 * second);
  await storage.results.ingest(
    inParis,
    away.map((job) => report(job)),
    t0 + 30 * second,
  );
  const here = await lease(storage, agent, t0 + 20 * second);
  await storage.results.ingest(
    agent,
    here.toReversed().map((job) => report(job)),
    t0 + 60 * second,
  );
  const { items } = await storage.results.list({ checkId: check.id, limit: 10, resultTypes: allTypes, withDetails: false });
  expect(items.map(({ isLate }) => isLate)).toEqual([false, false, false]);
});

it.each(engines.names)("a result is not late for one from before the clock was set back, on %s", async (engine) => {
  const { storage, check, agent, berlin } = await scene(await engines.open(engine), ["berlin", "paris"]);
  await start(storage, check, [berlin.id], t0 + 10 * second);
  const [first, next] = await lease(storage, agent, t0 + 10 * second);
  const at = (seconds: number) => ({ startedAt: t0 + seconds * second, stoppedAt: t0 + (seconds + 1) * second });
  await storage.results.ingest(agent, [report(first!, at(75))], t0 + 76 * second);
  await storage.results.ingest(agent, [report(next!, at(5))], t0 + 6 * second);
  const { items } = await storage.results.list({ checkId: check.id, limit: 10, resultTypes: allTypes, withDetails: false });
  expect(items.map(({ isLate }) => isLate)).toEqual([false, false]);
});
