import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planFiring } from "../../../src/control-plane/scheduler/plan-firing.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { account, agent, check, lease, location, reaping, report, t0 } from "../storage/fixture-data.ts";

const minute = 60_000;

describe("the coverage of a check", { timeout: 120_000 }, () => {
  let plane: ControlPlaneUnderTest;
  beforeEach(async () => {
    plane = await controlPlaneUnderTest({}, t0 - 50_000); // its own scheduler finds nothing due
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it.each([true, false])(
    "tells what was due, run, missed and unknown, of the whole and by location (runParallel %s)",
    async (runParallel) => {
      // Beside the process, as its clocks stand still: times here are those that the calls give.
      const storage = await openStorage({ dataDir: plane.dataDir, nowMs: t0, besideOthers: true });
      const owner = await account(storage);
      const [berlin, paris] = [await location(storage, owner.id, "berlin"), await location(storage, owner.id, "paris")];
      const of = await check(storage, owner.id, [berlin.id, paris.id], { runParallel });
      const inBerlin = await agent(storage, berlin);
      const fire = (minutes: number): Promise<number> =>
        storage.schedule.fireDue(t0 + minutes * minute, 10, (due) => planFiring(due, t0 + minutes * minute));
      for (const at of [0, 1, 6]) {
        await fire(at);
        const jobs = await lease(storage, inBerlin, t0 + at * minute);
        await storage.results.ingest(
          inBerlin,
          jobs.map((job) => report(job)),
          t0 + at * minute + 1_000,
        );
      }
      await storage.jobs.reap(t0 + 7 * minute, reaping);
      const key = await plane.keyFor("READ_ONLY", owner.id);
      const coverage = async (fromMinute: number, toMinute: number) =>
        (await plane.call("GET", `/v1/checks/${of.uuid}/coverage?from=${t0 + fromMinute * minute}&to=${t0 + toMinute * minute}`, { key }))
          .body;
      expect(await coverage(-10, 10)).toMatchObject(
        runParallel
          ? {
              due: 14,
              run: 3,
              missed: 3,
              unknown: 8,
              locations: [
                { location: "berlin", due: 7, run: 3, missed: 0, unknown: 4 },
                { location: "paris", due: 7, run: 0, missed: 3, unknown: 4 },
              ],
            }
          : {
              due: 7,
              run: 2,
              missed: 1,
              unknown: 4,
              locations: [
                { location: "berlin", due: 2, run: 2, missed: 0, unknown: 0 },
                { location: "paris", due: 1, run: 0, missed: 1, unknown: 0 },
              ],
            },
      );
      expect((await coverage(3, 5)).unknown).toBe(runParallel ? 4 : 2);
      await storage.close();
    },
  );
});
