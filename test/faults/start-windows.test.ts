import { beforeEach, describe, expect, it } from "vitest";
import { planFiring } from "../../src/control-plane/scheduler/plan-firing.ts";
import type { AgentSessionRow, CheckRow, LeasedJobRow, Storage } from "../../src/control-plane/storage/storage.ts";
import {
  account,
  agent,
  allTypes,
  check,
  lease,
  location,
  reaping,
  report,
  start,
  t0,
  useEngines,
} from "../control-plane/storage/fixture.ts";

const engines = await useEngines();
const minute = 60_000;

describe.each(engines.names)("a run of the schedule on %s", (engine) => {
  let storage: Storage;
  let of: CheckRow;
  let [berlin, other]: AgentSessionRow[] = [];
  beforeEach(async () => {
    storage = await engines.open(engine);
    const owner = await account(storage);
    const place = await location(storage, owner.id);
    of = await check(storage, owner.id, [place.id]);
    [berlin, other] = [await agent(storage, place), await agent(storage, place)];
  });

  const at = (minutes: number): number => t0 + minutes * minute;
  const fire = (minutes: number): Promise<number> => storage.schedule.fireDue(at(minutes), 10, (due) => planFiring(due, at(minutes)));
  const leased = async (by: AgentSessionRow, minutes: number): Promise<readonly LeasedJobRow[]> => lease(storage, by, at(minutes));
  const runs = async () => {
    const { items } = await storage.results.list({ checkId: of.id, limit: 50, resultTypes: allTypes, withDetails: false });
    const ends = items.filter(({ resultType }) => resultType !== "ATTEMPT");
    return ends
      .map((row) => [(row.runAtMs - t0) / minute, row.missedReason ?? row.resultType])
      .toSorted(([a], [b]) => Number(a) - Number(b));
  };

  it("does not begin when the next one is due: agents that come back run the newest slot, not all of them", async () => {
    for (let slot = 0; slot < 5; slot += 1) await fire(slot);
    expect((await leased(berlin!, 4.5)).map(({ runAtMs }) => runAtMs)).toEqual([at(4)]);
    await storage.jobs.reap(at(4.5), reaping);
    expect(await runs()).toEqual([0, 1, 2, 3].map((slot) => [slot, "no_agent"]));
    expect((await storage.jobs.queueDepths(at(4.5))).map(({ queued, leased: held }) => [queued, held])).toEqual([[0, 1]]);
  });

  it("waits until the one before it has ended, and is missed where that takes too long", async () => {
    await fire(0);
    const [first] = await leased(berlin!, 0);
    await fire(1);
    expect(await leased(other!, 1.2)).toEqual([]);
    await storage.jobs.extend(berlin!.id, [first!], at(1.9), 300_000);
    await storage.jobs.reap(at(2), reaping);
    expect(await runs()).toEqual([[1, "overlap"]]);
    await fire(2);
    expect(await leased(other!, 2.1)).toEqual([]);
    await storage.results.ingest(berlin!, [report(first!)], at(2.2));
    expect((await leased(other!, 2.3)).map(({ runAtMs }) => runAtMs)).toEqual([at(2)]);
  });

  it("is not held up by a retry, nor by a run that somebody triggered, nor are these", async () => {
    await fire(0);
    const [first] = await leased(berlin!, 0);
    await start(storage, of, of.locationIds, at(0.2));
    expect(await leased(other!, 0.3)).toHaveLength(1);
    await storage.results.ingest(berlin!, [report(first!, { resultType: "ATTEMPT", hasFailures: true })], at(0.5));
    await fire(1);
    expect((await leased(other!, 1)).map(({ runAtMs }) => runAtMs)).toEqual([at(1)]);
    await storage.jobs.reap(at(30), { ...reaping, graceUntilMs: at(99) });
    expect(await runs()).toEqual([]);
  });

  it("begins again whenever its agent is lost in it, for it began in time", async () => {
    await fire(0);
    const [first] = await leased(berlin!, 0.9);
    await storage.jobs.extend(berlin!.id, [first!], at(0.95), 30_000);
    await storage.jobs.reap(at(1.5), reaping);
    expect((await leased(other!, 1.6)).map(({ runAtMs, attempt }) => [runAtMs, attempt])).toEqual([[at(0), 2]]);
  });
});
