import { describe, expect, it } from "vitest";
import { AlertScene, minute, ownAlerts } from "./alert-scene.ts";
import { agent, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const reminding = ownAlerts({ escalationType: "RUN_BASED", reminders: { amount: 5, interval: 5 } });

async function channel(of: AlertScene, ...settings: Parameters<AlertScene["channel"]>): Promise<number> {
  return (await of.channel(...settings)).id;
}

describe.each(engines.names)("locations and checks without data on %s", { timeout: 120_000 }, (engine) => {
  const open = async (): Promise<AlertScene> => AlertScene.open(await engines.open(engine));
  const look = (of: AlertScene, atMinute: number, upSinceMinute = 0): Promise<number> =>
    of.storage.silences.look(t0 + atMinute * minute, t0 + upSinceMinute * minute);
  /** What waits, as channel, kind and checks; it is told. */
  async function told(of: AlertScene) {
    const all = await of.told();
    return all.flatMap(({ channelId, notices }) =>
      notices.map((one) => [channelId, one.kind, "location" in one && one.location.name, one.checks]),
    );
  }

  it("are told once to each channel with the checks that it follows, and once when agents are back", async () => {
    const of = await open();
    const [shop, web, paris] = [await of.check({ name: "shop" }), await of.check({ name: "web" }), await of.check({ name: "p" }, [1])];
    const muted = await of.check({ name: "muted", muted: true });
    const both = await channel(of, [shop, web, muted, paris]);
    const one = await channel(of, [web]);
    const quiet = await channel(of, [shop], { sendFailure: false });
    expect(await look(of, 9)).toBe(0);
    await agent(of.storage, of.places[1]!, t0 + 5 * minute);
    expect(await look(of, 10)).toBe(2);
    expect(await told(of)).toEqual([
      [both, "AGENTS_SILENT", "berlin", ["shop", "web"]],
      [one, "AGENTS_SILENT", "berlin", ["web"]],
    ]);
    expect(await look(of, 11)).toBe(0);
    await agent(of.storage, of.places[0]!, t0 + 12 * minute);
    expect(await look(of, 12)).toBe(2);
    expect((await told(of)).map(([id, kind]) => [id, kind])).toEqual([
      [both, "AGENTS_BACK"],
      [one, "AGENTS_BACK"],
    ]);
    expect(await look(of, 13)).toBe(0);
    expect(await told(of)).not.toContainEqual(expect.arrayContaining([quiet]));
  });

  it("are no news after a restart: neither what was told, nor what nobody could hear meanwhile", async () => {
    const of = await open();
    const check = await of.check();
    await channel(of, [check]);
    expect(await look(of, 60, 55)).toBe(0);
    expect(await look(of, 65, 55)).toBe(1);
    expect(await look(of, 66, 66)).toBe(0);
    expect(await look(of, 200, 66)).toBe(0);
  });

  it("have no reminders meanwhile, and are reminded of when agents are back", async () => {
    const of = await open();
    const check = await of.check(reminding);
    await of.runs(check, "F");
    await of.tick(6);
    expect(await of.types()).toEqual(["ALERT_FAILURE", "ALERT_FAILURE_REMAIN"]);
    await look(of, 15);
    for (const atMinute of [16, 30]) await of.tick(atMinute);
    expect(await of.types()).toHaveLength(2);
    await agent(of.storage, of.places[0]!, t0 + 31 * minute);
    await look(of, 31);
    await of.tick(31);
    expect(await of.types()).toEqual(["ALERT_FAILURE", "ALERT_FAILURE_REMAIN", "ALERT_FAILURE_REMAIN"]);
  });

  it("are told as checks where agents are there and only data is missing, and when it comes again", async () => {
    const of = await open();
    const [check, other] = [await of.check({ name: "shop" }, [0, 1]), await of.check({ name: "web" })];
    const id = await channel(of, [check, other]);
    const heard = async (atMinute: number): Promise<void> => {
      for (const place of of.places) await agent(of.storage, place, t0 + atMinute * minute);
    };
    await of.runs(check, "PP");
    await of.runs(other, "PPPPPPPP");
    await heard(8);
    expect(await look(of, 8)).toBe(1);
    expect(await told(of)).toEqual([[id, "NO_DATA", "berlin", ["shop"]]]);
    expect(await look(of, 9)).toBe(0);
    await of.runs(check, "P", 10, 1);
    await heard(10);
    expect(await look(of, 11)).toBe(1);
    expect(await told(of)).toEqual([[id, "DATA_AGAIN", "berlin", ["shop"]]]);
  });

  it("are over for a check that moved when its location is removed: it is reminded of as any other", async () => {
    const of = await open();
    const check = await of.check(reminding);
    const id = await channel(of, [check]);
    await of.runs(check, "F");
    for (const place of of.places) await agent(of.storage, place, t0 + 8 * minute);
    await look(of, 8);
    expect(await told(of)).toEqual([[id, "NO_DATA", "berlin", ["a check"]]]);
    await of.change(check, reminding, [1]);
    await of.storage.locations.remove(of.owner.id, of.places[0]!.uuid);
    await of.runs(check, "F", 9, 1);
    await look(of, 10);
    await of.tick(15);
    expect(await of.types()).toEqual(["ALERT_FAILURE", "ALERT_FAILURE_REMAIN"]);
  });

  it("wait as long as maintenance pauses runs", async () => {
    const of = await open();
    const check = await of.check();
    await channel(of, [check]);
    const window = { startsAt: new Date(t0).toISOString(), endsAt: new Date(t0 + 60 * minute).toISOString(), timezone: null };
    const repeat = { repeatInterval: null, repeatUnit: null, repeatEndsAt: null, plan: 0, plannedAtMs: t0 };
    const definition = { ...window, ...repeat, tags: [], pauseAllChecks: true, silenceAlertsTags: [], silenceAllAlerts: false };
    await of.storage.documents.create({ accountId: of.owner.id, kind: "maintenance-window", definition, nowMs: t0 });
    for (const atMinute of [30, 65]) {
      await agent(of.storage, of.places[0]!, t0 + atMinute * minute);
      expect(await look(of, atMinute)).toBe(0);
    }
    await agent(of.storage, of.places[0]!, t0 + 66 * minute);
    expect(await look(of, 66)).toBe(1);
  });

  it("wait with the alerts of their channel, in order, and stand in the list of what was sent", async () => {
    const of = await open();
    const check = await of.check({ name: "shop" });
    await channel(of, [check]);
    await of.runs(check, "F");
    await of.storage.alertDeliveries.expand(t0 + minute, { alerts: 10, deliveries: 10_000 }, () => true);
    await look(of, 15);
    const { alertDeliveries } = of.storage;
    expect(await alertDeliveries.backlog()).toEqual({ waiting: 2, oldestMs: t0 + 1_000 });
    expect(await of.told()).toMatchObject([{ alerts: [{ name: "shop" }], notices: [{ kind: "AGENTS_SILENT" }] }]);
    const { items } = await of.storage.alertNotifications.list(of.owner.id, { page: 1, limit: 10 });
    expect(items.toReversed().map(({ about }) => about)).toMatchObject([
      { checkUuid: check.uuid },
      { kind: "AGENTS_SILENT", checks: ["shop"] },
    ]);
    await of.storage.checkAlerts.prune(minute, t0 + 366 * 24 * 60 * minute, 10);
    expect((await of.storage.alertNotifications.list(of.owner.id, { page: 1, limit: 10 })).total).toBe(0);
  });
});
