import { afterEach, describe, expect, it } from "vitest";
import type { Engine } from "../../../src/control-plane/storage/engine.ts";
import { resultId } from "../../../src/control-plane/storage/numbers.ts";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import { AlertScene, minute, ownAlerts } from "./alert-scene.ts";
import { reaping, start, t0, useEngines } from "./fixture.ts";
import { engineAt } from "./uploads.ts";

const engines = await useEngines();
const threeRuns = ownAlerts({ escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 3 } });
const reminding = ownAlerts({ escalationType: "RUN_BASED", reminders: { amount: 1, interval: 5 } });

describe.each(engines.names)("states of alerts on %s", { timeout: 120_000 }, (engine) => {
  const opened: Engine[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  const scene = async () => AlertScene.open(await engines.open(engine));

  it("come to alerts with the run that they tell of, each of them once in the outbox", async () => {
    const place = await engines.place(engine);
    const of = await AlertScene.open(await engines.open(engine, place));
    const check = await of.check({ name: "shop", ...threeRuns });
    await of.runs(check, "PFFF");
    const [alert] = await of.alerts();
    const { items } = await of.storage.results.list({ checkId: check.id, limit: 1, resultTypes: ["FINAL"], withDetails: false });
    expect(alert).toMatchObject({
      checkUuid: check.uuid,
      name: "shop",
      alertType: "ALERT_FAILURE",
      checkType: "API",
      runLocation: "berlin",
      responseTime: 42,
      error: "status 500 is not 200",
      statusCode: "500",
      startedAtMs: t0 + 3 * minute + 100,
      createdAtMs: t0 + 3 * minute + 1_000,
      result: { id: resultId(items[0]?.jobNo ?? 0, 1), runAtMs: t0 + 3 * minute },
      errorGroup: items[0]?.errorGroupIds[0],
      failingSinceMs: t0 + minute + 100,
      failedRuns: 3,
      reminder: 0,
    });
    const tables = await engineAt(place);
    opened.push(tables);
    const queued = await tables.reads.selectFrom("alert_outbox").selectAll().execute();
    const row = { account_id: of.owner.id, check_id: check.id, attempts: 0, claimed_until_ms: 0, claimed_by: null };
    expect(queued).toMatchObject([{ ...row, alert_id: alert?.id, created_at: alert?.createdAtMs }]);
    await of.runs(check, "P", 4);
    expect(await of.types()).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
    expect(await tables.reads.selectFrom("alert_states").selectAll().execute()).toEqual([]);
  });

  it("outlive a restart: no second alert, and one recovery of what ended meanwhile", async () => {
    const place = await engines.place(engine);
    const before = await AlertScene.open(await openStorage({ ...place, nowMs: t0 }));
    const check = await before.check();
    await before.runs(check, "F");
    const late = [await before.run(check, 1, "F"), await before.run(check, 2, "P"), await before.run(check, 3, "P")];
    await before.storage.close();
    const after = Object.assign(Object.create(before) as AlertScene, { storage: await engines.open(engine, place) });
    await after.ingest(late, 90);
    expect(await after.types()).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
  });

  it("are not changed by the same report again, nor by runs that nobody made or whose agent was at fault", async () => {
    const of = await scene();
    const check = await of.check(threeRuns);
    const twice = await of.run(check, 0, "F");
    for (const _time of [1, 2, 3]) await of.ingest([twice], 1);
    await of.runs(check, "SFS", 1);
    await start(of.storage, check, [of.places[0]?.id ?? 0], t0 + 5 * minute);
    expect((await of.storage.jobs.reap(t0 + 20 * minute, reaping)).missed).toBe(1);
    expect(await of.types()).toEqual([]);
    await of.runs(check, "F", 30);
    expect(await of.alerts()).toMatchObject([{ alertType: "ALERT_FAILURE", failedRuns: 3 }]);
  });

  it("are not turned back by a failure that is uploaded late", async () => {
    const of = await scene();
    const check = await of.check({}, [0, 1]);
    const late = [await of.run(check, 0, "F"), await of.run(check, 1, "F")];
    await of.runs(check, "P", 2);
    await of.ingest(late, 10);
    expect(await of.types()).toEqual([]);
    const [elsewhere] = [await of.run(check, 1, "F", 1)];
    await of.ingest(elsewhere ? [elsewhere] : [], 11, 1);
    expect(await of.alerts()).toMatchObject([{ alertType: "ALERT_FAILURE", runLocation: "paris" }]);
  });

  it("come to alerts by time: escalations and reminders, once each", async () => {
    const of = await scene();
    const slow = await of.check(ownAlerts({ escalationType: "TIME_BASED", timeBasedEscalation: { minutesFailingThreshold: 10 } }));
    const loud = await of.check(reminding);
    await of.runs(slow, "F");
    await of.runs(loud, "F");
    for (const atMinute of [4, 6, 9, 11, 20, 60]) await of.tick(atMinute);
    expect(await of.alerts(slow)).toMatchObject([
      { alertType: "ALERT_FAILURE", createdAtMs: t0 + 11 * minute, error: "status 500 is not 200", statusCode: "500", responseTime: 42 },
    ]);
    expect(await of.alerts(loud)).toMatchObject([
      { alertType: "ALERT_FAILURE", reminder: 0 },
      { alertType: "ALERT_FAILURE_REMAIN", reminder: 1, createdAtMs: t0 + 6 * minute, errorGroup: expect.any(Number) },
    ]);
    expect(await of.tick(100)).toBe(0);
  });

  it("follow the settings of check, group and account as they change", async () => {
    const of = await scene();
    const check = await of.check({ muted: true }, [0, 1]);
    await of.runs(check, "F");
    await of.tick(1);
    expect(await of.types()).toEqual([]);
    await of.change(check, {}, [0, 1]);
    await of.tick(2);
    expect(await of.types()).toEqual(["ALERT_FAILURE"]);
    await of.runs(check, "P", 3, 1);
    await of.change(check, {}, [1]);
    await of.tick(4);
    await of.runs(check, "P", 5, 1);
    expect(await of.types()).toEqual(["ALERT_FAILURE", "ALERT_RECOVERY"]);
    const waiting = await of.check({});
    await of.storage.accounts.update(of.owner.id, () => ({ alertSettings: { runBasedEscalation: { failedRunThreshold: 2 } } }));
    await of.runs(waiting, "F", 6);
    expect(await of.types(waiting)).toEqual([]);
    await of.storage.accounts.update(of.owner.id, () => ({ alertSettings: {} }));
    await of.tick(7);
    expect(await of.types(waiting)).toEqual(["ALERT_FAILURE"]);
  });

  it("go with their check, and begin anew for nobody else", async () => {
    const of = await scene();
    const check = await of.check(reminding);
    await of.runs(check, "F");
    await of.storage.checks.remove(of.owner.id, check.uuid, t0);
    expect(await of.tick(60)).toBe(0);
    expect(await of.alerts()).toEqual([]);
  });

  it("take in heartbeats that stay away and come back", async () => {
    const of = await scene();
    const { id: checkId } = await of.heartbeat();
    const ping = (atMinute: number) => of.storage.heartbeats.ping({ checkId, atMs: t0 + atMinute * minute, source: null, userAgent: null });
    await ping(0);
    await of.storage.heartbeats.sweep(t0 + 11 * minute, 10);
    await of.storage.heartbeats.sweep(t0 + 22 * minute, 10);
    const trouble = (await of.storage.checkTroubles.ofChecks([checkId], t0 + 22 * minute)).get(checkId);
    expect(trouble).toMatchObject({ of: 0, places: [{ standing: "failing", runs: 2, result: null }] });
    await ping(23);
    await ping(24);
    expect(await of.alerts()).toMatchObject([
      { alertType: "ALERT_FAILURE", runLocation: "", error: "NO_PING: no ping came within period and grace", result: null, failedRuns: 1 },
      { alertType: "ALERT_RECOVERY", checkType: "HEARTBEAT", failedRuns: 2, failingSinceMs: t0 + 11 * minute },
    ]);
  });

  it("tell of many checks that fail at once", { timeout: 120_000 }, async () => {
    const of = await scene();
    const checks = [];
    for (let index = 0; index < 60; index += 1) checks.push(await of.check({ name: `c${index}` }));
    const reports = [];
    for (const check of checks) reports.push(await of.run(check, 0, "F"));
    await of.ingest(reports, 1);
    const alerts = await of.alerts();
    expect([alerts.length, new Set(alerts.map(({ name }) => name)).size]).toEqual([60, 60]);
  });
});

describe.skipIf(!engines.names.includes("postgres"))("two control planes on one PostgreSQL", { timeout: 120_000 }, () => {
  it("tell of a failure, a reminder and a recovery once", async () => {
    const place = await engines.place("postgres");
    const [one, two] = [await engines.open("postgres", place), await engines.open("postgres", place)];
    const of = await AlertScene.open(one);
    const checks = await Promise.all(Array.from({ length: 8 }, () => of.check(reminding, [0, 1])));
    const both = async (atMinute: number, outcome: "F" | "P"): Promise<void> => {
      const places = [];
      for (const place of [0, 1]) {
        const reports = [];
        for (const check of place === 0 ? checks : checks.toReversed()) reports.push(await of.run(check, atMinute, outcome, place));
        places.push(reports);
      }
      const [here = [], there = []] = places;
      await Promise.all([of.ingest(here, atMinute, 0, one), of.ingest(there, atMinute, 1, two)]);
    };
    await both(0, "F");
    await Promise.all([of.tick(6, one), of.tick(6, two), of.tick(6, one), of.tick(6, two)]);
    await both(7, "F");
    await both(8, "P");
    for (const check of checks) expect(await of.types(check)).toEqual(["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_RECOVERY"]);
  });
});

describe.skipIf(!engines.names.includes("postgres"))("alerts that two processes on PostgreSQL take out", { timeout: 180_000 }, () => {
  it("wait for each channel in their order, however the two meet", async () => {
    const place = await engines.place("postgres");
    const both = [await engines.open("postgres", place), await engines.open("postgres", place)] as const;
    const of = await AlertScene.open(both[0]);
    const shop = await of.check();
    const { id } = await of.channel([shop]);
    let isOver = false;
    const far = t0 + 365 * 24 * 60 * minute;
    const limits = { alerts: 500, deliveries: 5_000 };
    const takingOut = both.map(async ({ alertDeliveries }) => {
      while (!isOver) await alertDeliveries.expand(far, limits, () => true);
    });
    await of.runs(shop, "PF".repeat(80));
    isOver = true;
    await Promise.all(takingOut);
    const told: number[] = [];
    const { alertDeliveries } = both[0];
    await alertDeliveries.expand(far, limits, () => true);
    for (;;) {
      const claimed = await alertDeliveries.claim(id, 1, far, far + 1);
      if (claimed === undefined) break;
      const { alerts } = await alertDeliveries.told(id, claimed.deliveryId);
      told.push(...alerts.map((alert) => alert.id));
      const sent = { accountId: of.owner.id, channelId: id, channelType: "WEBHOOK", config: {}, status: "SUCCESS", result: "200" } as const;
      await alertDeliveries.settle(claimed.deliveryId, { ...sent, sentAtMs: far, alerts: [] }, null);
    }
    expect(told.length).toBeGreaterThan(100);
    expect(told).toEqual(told.toSorted((a, b) => a - b));
  });
});
