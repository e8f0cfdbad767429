import { describe, expect, it } from "vitest";
import { CheckGroupCreateV2 } from "#contract/check-groups.ts";
import { planFiring } from "../../../src/control-plane/scheduler/plan-firing.ts";
import { AlertScene, minute } from "./alert-scene.ts";
import { t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

/** As the resource of maintenance windows stores it. */
function windowOf(fromMinute: number, toMinute: number, effect: object) {
  const at = (inMinutes: number): string => new Date(t0 + inMinutes * minute).toISOString();
  return {
    startsAt: at(fromMinute),
    endsAt: at(toMinute),
    repeatInterval: null,
    repeatUnit: null,
    repeatEndsAt: null,
    timezone: null,
    tags: [],
    pauseAllChecks: false,
    silenceAlertsTags: [],
    silenceAllAlerts: false,
    plan: 0,
    plannedAtMs: t0,
    ...effect,
  };
}

describe.each(engines.names)("what ran in a maintenance window on %s", { timeout: 120_000 }, (engine) => {
  it("is not told where it began and ended there, however late it is uploaded", async () => {
    const of = await AlertScene.open(await engines.open(engine));
    const definition = windowOf(1, 5, { silenceAllAlerts: true });
    await of.storage.documents.create({ accountId: of.owner.id, kind: "maintenance-window", definition, nowMs: t0 });
    const [over, lasting] = [await of.check(), await of.check()];
    const late = [await of.run(over, 2, "F"), await of.run(over, 4, "P"), await of.run(lasting, 4, "F")];
    await of.ingest(late, 6);
    expect(await of.types()).toEqual([]);
    expect(await of.tick(7)).toBe(1);
    expect([await of.types(over), await of.types(lasting)]).toEqual([[], ["ALERT_FAILURE"]]);
    await of.runs(over, "F", 8);
    expect(await of.types(over)).toEqual(["ALERT_FAILURE"]);
  });

  it("is told where it began before the window and is uploaded after it", async () => {
    const of = await AlertScene.open(await engines.open(engine));
    const definition = windowOf(1, 5, { silenceAllAlerts: true });
    await of.storage.documents.create({ accountId: of.owner.id, kind: "maintenance-window", definition, nowMs: t0 });
    const check = await of.check();
    await of.ingest([await of.run(check, 0, "F")], 6);
    expect(await of.types(check)).toEqual(["ALERT_FAILURE"]);
  });
});

describe.each(engines.names)("scheduled runs in a maintenance window on %s", { timeout: 120_000 }, (engine) => {
  it("pause for the checks that it chooses, by their own tags or their group's, and go on in their next slot", async () => {
    const of = await AlertScene.open(await engines.open(engine));
    const { storage, owner } = of;
    const definition = windowOf(1, 3, { tags: ["shop"] });
    const { alertChannelSubscriptions: _, environmentVariables: __, ...rest } = CheckGroupCreateV2.parse({ name: "g", tags: ["shop"] });
    const settings = { ...rest, privateLocations: null, environmentVariables: null };
    const group = await storage.checkGroups.create({ accountId: owner.id, settings, locationIds: [], subscriptions: {}, nowMs: t0 });
    await storage.documents.create({ accountId: owner.id, kind: "maintenance-window", definition, nowMs: t0 });
    const [own, other] = [await of.check({ tags: ["shop"] }), await of.check({ tags: ["web"] })];
    const grouped = await of.check({ groupId: group.id });
    const fired = async (atMinute: number): Promise<readonly number[]> => {
      const running: number[] = [];
      const nowMs = t0 + atMinute * minute;
      await storage.schedule.fireDue(nowMs, 100, (due) => {
        const firing = planFiring(due, nowMs);
        if (firing.run !== null) running.push(due.checkId);
        return firing;
      });
      return running.toSorted((a, b) => a - b);
    };
    expect(await fired(0)).toHaveLength(3);
    for (const atMinute of [1, 2]) expect(await fired(atMinute)).toEqual([other.id]);
    expect(await fired(3)).toEqual([own.id, other.id, grouped.id]);
  });
});
