import { describe, expect, it } from "vitest";
import type { CheckRow, DeliveryRecord } from "../../../src/control-plane/storage/storage.ts";
import { AlertScene } from "./alert-scene.ts";
import { account, check, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();

describe.each(engines.names)("alerting on %s", (engine) => {
  async function scene() {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const { alertSubscriptions } = storage;
    const channel = (targets: Parameters<typeof alertSubscriptions.createChannel>[1] = [], definition: object = {}) =>
      alertSubscriptions.createChannel({ accountId: owner.id, kind: "alert-channel", definition, nowMs: t0 }, targets, 100);
    const group = () => storage.documents.create({ accountId: owner.id, kind: "check-group", definition: {}, nowMs: t0 });
    return { storage, owner, alertSubscriptions, channel, group };
  }

  it("subscribes channels to checks and groups, each once, and lets them go with either side", async () => {
    const { storage, owner, alertSubscriptions, channel, group } = await scene();
    const [one, two] = [await check(storage, owner.id, []), await check(storage, owner.id, [])];
    const shop = await group();
    const targets = [
      { target: { checkUuid: one.uuid }, activated: true },
      { target: { groupId: shop.id }, activated: true },
      { target: { checkUuid: one.uuid }, activated: false },
    ];
    const made = await channel(targets);
    const ofChannel = async () => (await alertSubscriptions.ofChannels([made.id])).get(made.id) ?? [];
    expect(await ofChannel()).toMatchObject([
      { checkUuid: one.uuid, groupId: null, activated: false },
      { checkUuid: null, groupId: shop.id, activated: true },
    ]);
    expect(await alertSubscriptions.ofChecks([one.id, two.id])).toEqual(
      new Map([[one.id, [{ alertChannelId: made.id, activated: false }]]]),
    );
    expect(await alertSubscriptions.ofGroups([shop.id])).toEqual(new Map([[shop.id, [{ alertChannelId: made.id, activated: true }]]]));
    const replaced = [{ target: { checkUuid: two.uuid }, activated: true }];
    await alertSubscriptions.updateChannel(owner.id, made, ({ definition }) => ({ definition }), replaced, t0);
    expect(await ofChannel()).toMatchObject([{ checkUuid: two.uuid }]);
    await storage.checks.remove(owner.id, two.uuid, t0);
    expect(await ofChannel()).toEqual([]);
    await alertSubscriptions.subscribe(owner.id, made.id, { target: { groupId: shop.id }, activated: true });
    await storage.documents.remove(owner.id, "alert-channel", { id: made.id });
    expect(await alertSubscriptions.ofGroups([shop.id])).toEqual(new Map());
  });

  it("lets an account have so many channels and no more, also where they are made at once", async () => {
    const { storage, owner, alertSubscriptions } = await scene();
    const channel = { accountId: owner.id, kind: "alert-channel", definition: {}, nowMs: t0 } as const;
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => alertSubscriptions.createChannel(channel, [], 3)));
    expect(made.flatMap((one) => (one.status === "rejected" ? one.reason.code : []))).toEqual(["conflict", "conflict", "conflict"]);
    expect((await storage.documents.list(owner.id, "alert-channel")).total).toBe(3);
  });

  it("makes deliveries of each account's oldest alerts, fewer at once the more channels it has", async () => {
    const storage = await engines.open(engine);
    const [many, few] = [await AlertScene.open(storage), await AlertScene.open(storage)];
    for (const of of [many, few]) {
      const check = await of.check();
      for (let count = 0; count < (of === many ? 4 : 1); count += 1) await of.channel([check]);
      await of.runs(check, of === many ? "PFPFPF" : "PF");
    }
    const expand = () => storage.alertDeliveries.expand(t0 + 3_600_000, { alerts: 3, deliveries: 9 }, () => true);
    expect(await expand()).toEqual({ types: ["ALERT_FAILURE", "ALERT_RECOVERY", "ALERT_FAILURE"], isMore: true });
    const waiting = await storage.alertDeliveries.waiting(t0 + 3_600_000);
    expect(waiting.map(({ accountId, alerts }) => [accountId, alerts])).toEqual([
      ...Array.from({ length: 4 }, () => [many.owner.id, 2]),
      [few.owner.id, 1],
    ]);
    expect(await expand()).toEqual({ types: ["ALERT_FAILURE", "ALERT_RECOVERY"], isMore: true });
    expect(await expand()).toEqual({ types: ["ALERT_FAILURE"], isMore: false });
  });

  it("writes nothing when a target is another account's", async () => {
    const { storage, owner, alertSubscriptions, channel } = await scene();
    const stranger = await account(storage);
    const foreign = await check(storage, stranger.id, []);
    const target = { target: { checkUuid: foreign.uuid }, activated: true };
    await expect(channel([target])).rejects.toMatchObject({ code: "invalid_input" });
    expect((await storage.documents.list(owner.id, "alert-channel")).total).toBe(0);
    const made = await channel();
    await expect(alertSubscriptions.subscribe(owner.id, made.id, target)).rejects.toMatchObject({ code: "invalid_input" });
    expect(await alertSubscriptions.subscribe(stranger.id, made.id, target)).toBeUndefined();
    expect(await alertSubscriptions.updateChannel(stranger.id, made, () => ({ definition: {} }), [target], t0)).toBeUndefined();
    expect(await alertSubscriptions.ofChecks([foreign.id])).toEqual(new Map());
  });

  it("subscribes a new check to the channels that it names and those that join by themselves", async () => {
    const { storage, owner, alertSubscriptions, channel } = await scene();
    const [plain, automatic] = [await channel(), await channel([], { autoSubscribe: true })];
    await storage.alertSubscriptions.createChannel(
      { accountId: (await account(storage)).id, kind: "alert-channel", definition: {}, nowMs: t0 },
      [],
      1,
    );
    const { definition, ...base } = {
      ...(await check(storage, owner.id, [])),
      schedule: { periodMs: 0, phaseMs: 0, nextDueMs: null },
      nowMs: t0,
    };
    const made = async (subscriptions: NonNullable<Parameters<typeof storage.checks.create>[0]["subscriptions"]>) => {
      const { id } = await storage.checks.create({ ...base, definition, uuid: crypto.randomUUID(), subscriptions });
      return (await alertSubscriptions.ofChecks([id])).get(id);
    };
    const named = [{ alertChannelId: plain.id, activated: false }];
    expect(await made({ named, joining: "all" })).toEqual([...named, { alertChannelId: automatic.id, activated: true }]);
    expect(await made({ joining: "automatic" })).toEqual([{ alertChannelId: automatic.id, activated: true }]);
    expect(await made({})).toBeUndefined();
  });

  it("lists alerts and notifications of one account, newest first", async () => {
    const of = await AlertScene.open(await engines.open(engine));
    const { storage, owner } = of;
    const [one, two] = [await of.check({ name: "one" }), await of.check({ name: "two" })];
    /** A failure of which one channel was told, so, and a recovery of which nobody was. */
    const failure = async (follows: CheckRow, fromMinute: number, status: DeliveryRecord["status"]) => {
      const { id: channelId } = await of.channel([follows]);
      await of.runs(follows, "PF", fromMinute);
      const [first] = await of.told({ status, config: { a: [fromMinute] } });
      await storage.documents.remove(owner.id, "alert-channel", { id: channelId });
      await of.runs(follows, "P", fromMinute + 2);
      return { channelId, id: first!.alerts[0]!.id };
    };
    const first = await failure(one, 0, "SUCCESS");
    const second = await failure(two, 2, "FAILURE");
    const third = await failure(one, 4, "RATE_LIMITED");
    const page = { page: 1, limit: 2 };
    const alerts = await storage.checkAlerts.list(owner.id, { page: 1, limit: 10 });
    expect(alerts.items.map(({ name, alertType }) => [name, alertType])).toEqual([
      ["one", "ALERT_RECOVERY"],
      ["one", "ALERT_FAILURE"],
      ["two", "ALERT_RECOVERY"],
      ["two", "ALERT_FAILURE"],
      ["one", "ALERT_RECOVERY"],
      ["one", "ALERT_FAILURE"],
    ]);
    expect(await storage.checkAlerts.list(owner.id, page)).toMatchObject({ total: 6, items: alerts.items.slice(0, 2) });
    expect(await storage.checkAlerts.list(owner.id, { ...page, checkId: two.id })).toMatchObject({
      total: 2,
      items: [{}, { id: second.id }],
    });
    const recovery = alerts.items.at(-2)!;
    const within = { fromMs: recovery.createdAtMs, toMs: recovery.createdAtMs + 1 };
    expect((await storage.checkAlerts.list(owner.id, { ...page, ...within })).items).toEqual([recovery]);
    const types = ["ALERT_RECOVERY", "ALERT_SSL"] as const;
    expect(await storage.checkAlerts.list(owner.id, { ...page, types, checkId: one.id })).toMatchObject({ total: 2 });
    const ofTwo = { ...page, alertIds: [second.id, third.id] };
    expect((await storage.alertNotifications.list(owner.id, ofTwo)).items.map(({ status }) => status)).toEqual(["RATE_LIMITED", "FAILURE"]);
    const sent = await storage.alertNotifications.list(owner.id, page);
    expect(sent).toMatchObject({ total: 3, items: [{ config: { a: [4] } }, {}] });
    expect(sent.items[0]?.about).toMatchObject({ id: third.id, checkUuid: one.uuid, createdAtMs: alerts.items[1]?.createdAtMs });
    const failed = await storage.alertNotifications.list(owner.id, { ...page, failed: true });
    expect(failed.items.map(({ status }) => status)).toEqual(["RATE_LIMITED", "FAILURE"]);
    const ofFirst = { ...page, channelId: first.channelId };
    expect(await storage.alertNotifications.list(owner.id, { ...ofFirst, failed: false })).toMatchObject({ total: 1 });
    expect(await storage.alertNotifications.list(owner.id, { ...ofFirst, failed: true })).toEqual({ total: 0, items: [] });
    const stranger = await account(storage);
    expect(await storage.checkAlerts.list(stranger.id, page)).toEqual({ total: 0, items: [] });
    expect(await storage.alertNotifications.list(stranger.id, ofTwo)).toEqual({ total: 0, items: [] });
    expect(await storage.alertNotifications.list(stranger.id, page)).toEqual({ total: 0, items: [] });
  });
});
