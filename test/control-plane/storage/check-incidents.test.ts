import { describe, expect, it } from "vitest";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import type { StatusPageIncidentDefinition } from "../../../src/domain/incidents.ts";
import { AlertScene, ownAlerts } from "./alert-scene.ts";
import { t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const triggerIncident = {
  serviceId: "3f1c9b52-6c1d-4a63-9a0e-0c1f6a0c8f11",
  severity: "MINOR",
  name: "",
  description: "",
  notifySubscribers: false,
};

async function statuses(storage: Storage, accountId: number): Promise<readonly string[]> {
  const { items } = await storage.documents.list<StatusPageIncidentDefinition>(accountId, "status-page-incident");
  return items.map(({ definition }) => definition.updates.map(({ status }) => status).join(" "));
}

describe.each(engines.names)("incidents of checks on %s", { timeout: 120_000 }, (engine) => {
  it("outlive a restart: not opened twice, and resolved by what comes after it", async () => {
    const place = await engines.place(engine);
    const before = await AlertScene.open(await openStorage({ ...place, nowMs: t0 }));
    const check = await before.check({ name: "shop", triggerIncident });
    const failed = await before.run(check, 0, "F");
    await before.ingest([failed], 0);
    const late = [await before.run(check, 1, "F"), await before.run(check, 2, "P")];
    await before.storage.close();
    const after = Object.assign(Object.create(before) as AlertScene, { storage: await engines.open(engine, place) });
    await after.ingest([failed], 3);
    expect(await statuses(after.storage, after.owner.id)).toEqual(["INVESTIGATING"]);
    await after.ingest(late, 4);
    expect(await statuses(after.storage, after.owner.id)).toEqual(["INVESTIGATING RESOLVED"]);
  });

  it("are named after the check where its settings say nothing", async () => {
    const of = await AlertScene.open(await engines.open(engine));
    await of.runs(await of.check({ name: "shop", triggerIncident }), "F");
    const { items } = await of.storage.documents.list(of.owner.id, "status-page-incident");
    expect(items).toMatchObject([{ definition: { name: "shop", updates: [{ description: "shop fails." }] } }]);
  });

  it("come one by one from one upload that holds a failure, its end and the next failure, each check its own", async () => {
    const of = await AlertScene.open(await engines.open(engine));
    const [one, two] = [await of.check({ triggerIncident }), await of.check({ triggerIncident, ...ownAlerts({}) })];
    const runs = [];
    for (const check of [one, two]) {
      for (const [minute, outcome] of (["F", "P", "F"] as const).entries()) runs.push(await of.run(check, minute, outcome));
    }
    await of.ingest(runs, 5);
    const closed = "INVESTIGATING RESOLVED";
    expect(await statuses(of.storage, of.owner.id)).toEqual([closed, "INVESTIGATING", closed, "INVESTIGATING"]);
  });
});

describe.skipIf(!engines.names.includes("postgres"))("incidents of two control planes on one PostgreSQL", { timeout: 120_000 }, () => {
  it("are one for a check that fails and recovers at both at the same moment", async () => {
    const place = await engines.place("postgres");
    const [one, two] = [await engines.open("postgres", place), await engines.open("postgres", place)];
    const of = await AlertScene.open(one);
    const checks = [await of.check({ triggerIncident }, [0, 1]), await of.check({ triggerIncident }, [0, 1])];
    for (const [minute, outcome] of (["F", "F", "P"] as const).entries()) {
      const runs = [];
      for (const place of [0, 1])
        runs.push([await of.run(checks[0]!, minute, outcome, place), await of.run(checks[1]!, minute, outcome, place)]);
      const [here = [], there = []] = runs;
      await Promise.all([of.ingest(here, minute, 0, one), of.ingest(there.toReversed(), minute, 1, two)]);
    }
    const closed = "INVESTIGATING RESOLVED";
    expect(await statuses(one, of.owner.id)).toEqual([closed, closed]);
  });
});
