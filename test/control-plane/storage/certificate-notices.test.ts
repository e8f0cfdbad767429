import { describe, expect, it } from "vitest";
import type { CheckRow, DocumentRow } from "../../../src/control-plane/storage/storage.ts";
import { AlertScene, minute } from "./alert-scene.ts";
import { t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("notices of certificates on %s", { timeout: 120_000 }, (engine) => {
  async function scene() {
    const of = await AlertScene.open(await engines.open(engine));
    return { of, runsAt: minutes() };
  }

  it("are one for each certificate, threshold and channel, however many runs and checks see it", async () => {
    const { of, runsAt } = await scene();
    const [shop, blog] = [await of.check({ name: "shop" }), await of.check({ name: "blog" })];
    const early = await channel(of, [shop, blog], 30);
    const late = await channel(of, [shop], 7);
    const hears = told(of);
    await of.sees(shop, runsAt(), 31);
    expect(await hears()).toEqual([]);
    await of.sees(shop, runsAt(), 30);
    await of.sees(blog, runsAt(), 30);
    await of.sees(shop, runsAt(), 8);
    expect(await hears()).toEqual([[early.id, "shop", 30]]);
    await of.sees(shop, runsAt(), 7);
    await of.sees(shop, runsAt(), -1);
    expect(await hears()).toEqual([[late.id, "shop", 7]]);
    await of.sees(shop, runsAt(), 5, "the next one");
    expect(await hears()).toEqual([
      [early.id, "shop", 5],
      [late.id, "shop", 5],
    ]);
  });

  it("begin anew with another threshold, and are only for who asks for them", async () => {
    const { of, runsAt } = await scene();
    const shop = await of.check({ name: "shop" });
    await channel(of, [shop], 30, { sslExpiry: false });
    const asking = await channel(of, [shop], 30);
    const hears = told(of);
    await of.sees(shop, runsAt(), 10);
    expect(await hears()).toEqual([[asking.id, "shop", 10]]);
    await of.storage.documents.update<object>(
      of.owner.id,
      "alert-channel",
      { id: asking.id },
      ({ definition }) => ({ definition: { ...definition, sslExpiryThreshold: 14 } }),
      t0,
    );
    await of.sees(shop, runsAt(), 9);
    await of.sees(shop, runsAt(), 9);
    expect(await hears()).toEqual([[asking.id, "shop", 9]]);
  });

  it("wait while a check is muted, and are told by its first run afterwards", async () => {
    const { of, runsAt } = await scene();
    const shop = await of.check({ name: "shop", muted: true });
    const asking = await channel(of, [shop], 30);
    const hears = told(of);
    await of.sees(shop, runsAt(), 10);
    expect(await of.alerts()).toEqual([]);
    await of.change(shop, { name: "shop" });
    await of.sees(shop, runsAt(), 9);
    expect(await hears()).toEqual([[asking.id, "shop", 9]]);
    expect(await of.alerts()).toMatchObject([{ alertType: "ALERT_SSL", error: null, result: { runAtMs: expect.any(Number) } }]);
  });

  it("wait while a maintenance window silences the check", async () => {
    const { of, runsAt } = await scene();
    const shop = await of.check({ name: "shop" });
    const asking = await channel(of, [shop], 30);
    const hears = told(of);
    const times = { startsAt: new Date(t0 - minute).toISOString(), endsAt: new Date(t0 + 2 * minute).toISOString() };
    const once = { repeatInterval: null, repeatUnit: null, repeatEndsAt: null, timezone: null, plan: 0, plannedAtMs: t0 };
    const effects = { tags: [], pauseAllChecks: false, silenceAlertsTags: [], silenceAllAlerts: true };
    const definition = { ...times, ...once, ...effects };
    await of.storage.documents.create({ accountId: of.owner.id, kind: "maintenance-window", definition, nowMs: t0 });
    await of.sees(shop, runsAt(), 10);
    expect(await hears()).toEqual([]);
    await of.sees(shop, runsAt(5) + 4, 9);
    expect(await hears()).toEqual([[asking.id, "shop", 9]]);
  });

  it("are none for runs that were shown no certificate, and disturb no state of the check", async () => {
    const { of, runsAt } = await scene();
    const shop = await of.check({ name: "shop" });
    await channel(of, [shop], 30);
    await of.runs(shop, "PF", runsAt(2));
    expect(await of.types()).toEqual(["ALERT_FAILURE"]);
    await of.sees(shop, runsAt(), 3);
    expect(await of.types()).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY", "ALERT_SSL"]);
  });

  it("are told once where several processes store results at the same moment", async () => {
    const { of, runsAt } = await scene();
    const checks = await Promise.all(["a", "b", "c", "d"].map((name) => of.check({ name })));
    const asking = await channel(of, checks, 30);
    const at = runsAt();
    const reports = [];
    for (const check of checks) reports.push(await of.seen(check, at, 4));
    await Promise.all(reports.map((report) => of.ingest([report], at)));
    const hears = told(of);
    expect(await hears()).toEqual([[asking.id, expect.stringMatching(/^[abcd]$/), 4]]);
    expect(await of.types()).toEqual(["ALERT_SSL"]);
  });
});

/** Minutes that nobody used. */
function minutes(): (count?: number) => number {
  let next = 0;
  return (count = 1) => {
    next += count;
    return next - count;
  };
}

function channel(of: AlertScene, checks: readonly CheckRow[], sslExpiryThreshold: number, changes = {}): Promise<DocumentRow<object>> {
  return of.channel(checks, { sslExpiry: true, sslExpiryThreshold, ...changes });
}

/** What channels hear since the last time: channel, check and days; in the order of the channels. */
function told(of: AlertScene) {
  return async () =>
    (await of.told()).flatMap(({ channelId, alerts }) =>
      alerts.map(({ name, certificate }) => [channelId, name, certificate?.daysRemaining] as const),
    );
}
