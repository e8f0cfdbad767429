import { describe, expect, it } from "vitest";
import { AlertScene, minute } from "./alert-scene.ts";
import { t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const day = 24 * 60 * minute;
const page = { page: 1, limit: 100 };

describe.each(engines.names)("old rows of alerting on %s", { timeout: 120_000 }, (engine) => {
  const open = async () => AlertScene.open(await engines.open(engine));
  const prune = (of: AlertScene, keepDays: number, atMs: number, limit = 100) => of.storage.checkAlerts.prune(keepDays * day, atMs, limit);
  const counts = async ({ storage, owner }: AlertScene) => [
    (await storage.checkAlerts.list(owner.id, page)).total,
    (await storage.alertNotifications.list(owner.id, page)).total,
  ];

  it("go by their age with what was told of them, in batches, and the newer ones stay", async () => {
    const of = await open();
    const check = await of.check();
    await of.channel([check]);
    await of.runs(check, "FPF");
    await of.told();
    expect(await counts(of)).toEqual([3, 3]);
    const afterTwo = t0 + 2 * minute + 1_000 + day;
    expect(await prune(of, 1, afterTwo, 1)).toBe(true);
    expect(await counts(of)).toEqual([2, 2]);
    expect(await prune(of, 1, afterTwo)).toBe(false);
    expect(await counts(of)).toEqual([1, 1]);
    expect(await of.types()).toEqual(["ALERT_FAILURE"]);
    await of.runs(check, "P", 3);
    expect(await of.types()).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
  });

  it("stay for as long as somebody is still to be told", async () => {
    const of = await open();
    const check = await of.check();
    await of.channel([check]);
    await of.runs(check, "F");
    expect(await prune(of, 1, t0 + 90 * day)).toBe(false);
    const { alertDeliveries } = of.storage;
    await alertDeliveries.expand(t0 + 90 * day, { alerts: 100, deliveries: 10_000 }, () => true);
    await prune(of, 1, t0 + 90 * day);
    expect(await alertDeliveries.backlog()).toMatchObject({ waiting: 1 });
    expect(await of.told()).toMatchObject([{ alerts: [{ alertType: "ALERT_FAILURE" }] }]);
    await prune(of, 1, t0 + 90 * day);
    expect(await counts(of)).toEqual([0, 0]);
  });

  it("let a certificate be told again when nobody saw it for a month, and not while it is seen", async () => {
    const of = await open();
    const shop = await of.check({ name: "shop" });
    await of.channel([shop], { sslExpiry: true, sslExpiryThreshold: 30 });
    const days = [0, 20, 40, 75];
    const alerts: number[] = [];
    for (const at of days.map((one) => one * 24 * 60)) {
      await prune(of, 1, t0 + at * minute);
      await of.sees(shop, at, 9);
      await of.told();
      alerts.push((await of.alerts()).length);
    }
    // Alerts of this day: the first, and that after 35 days of nothing.
    expect(alerts).toEqual([1, 0, 0, 1]);
  });

  it("go with their check, and with their channel what it was still to be told", async () => {
    const of = await open();
    const [one, two] = [await of.check(), await of.check()];
    const channel = await of.channel([one, two]);
    for (const check of [one, two]) await of.runs(check, "F");
    await of.storage.alertDeliveries.expand(t0 + day, { alerts: 100, deliveries: 10_000 }, () => true);
    await of.storage.checks.remove(of.owner.id, one.uuid, t0);
    expect(await counts(of)).toEqual([1, 0]);
    expect(await of.storage.alertDeliveries.backlog()).toMatchObject({ waiting: 1 });
    await of.storage.documents.remove(of.owner.id, "alert-channel", { id: channel.id });
    expect(await of.storage.alertDeliveries.backlog()).toMatchObject({ waiting: 0 });
    expect(await of.told()).toEqual([]);
  });
});
