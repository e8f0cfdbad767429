import { afterEach, describe, expect, it } from "vitest";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import type { Service } from "../../../src/daemon/service.ts";
import { eventually } from "../control-plane-under-test.ts";
import { AlertScene, minute } from "../storage/alert-scene.ts";
import { account, t0, useEngines } from "../storage/fixture.ts";
import { type Receiver, receiver } from "./channels/receiver.ts";
import { webhookChannel as channel, startNotifier } from "./notifying.ts";

const engines = await useEngines();
const hour = 60 * minute;

/** What runs until the test ends. */
const running: Service[] = [];
afterEach(async () => {
  for (const service of running.splice(0).toReversed()) await service.stop(AbortSignal.timeout(5_000));
});

/** A notifier with a clock that stands still until it is moved. */
async function notifier(storage: Storage, env: Readonly<Record<string, string>> = {}, restMs = 100) {
  let nowMs = t0 + hour;
  const started = await startNotifier(storage, () => nowMs, env, restMs);
  running.push(...started.services);
  return { ...started, advance: (ms: number) => void (nowMs += ms) };
}

const titles = ({ received }: Receiver) => received.map(({ body }) => (JSON.parse(body) as { ALERT_TITLE: string }).ALERT_TITLE);
const deliveries = ({ received }: Receiver) => received.map(({ headers }) => headers["x-service-delivery-id"]);
const listed = async ({ storage, owner }: AlertScene) =>
  (await storage.alertNotifications.list(owner.id, { page: 1, limit: 2_000 })).items.toReversed();
const settled = (of: AlertScene, count: number) => eventually(async () => (await listed(of)).length >= count && (await listed(of)));

describe.each(engines.oneServer)("the notifier on %s", { timeout: 120_000 }, (engine) => {
  const scene = async () => AlertScene.open(await engines.open(engine));

  it("tells a channel of a failure and a recovery, in this order, and records each with its answer", async () => {
    const of = await scene();
    await using service = await receiver();
    const check = await of.check({ name: "shop" });
    await channel(of, service.url, [check]);
    await of.runs(check, "PFP");
    await notifier(of.storage);
    expect(await settled(of, 2)).toMatchObject([
      {
        status: "SUCCESS",
        result: "200",
        channelType: "WEBHOOK",
        about: { checkUuid: check.uuid },
        config: { name: "hook", url: "********" },
      },
      { status: "SUCCESS", result: "200" },
    ]);
    expect(titles(service)).toEqual(["shop has failed", "shop has recovered"]);
    expect(new Set(deliveries(service)).size).toBe(2);
    expect(service.json()).toMatchObject({ CHECK_ID: check.uuid, REGION: "berlin" });
  });

  it("calls a location as its own account does, whatever another has under the same code", async () => {
    const of = await scene();
    const other = await account(of.storage);
    const place = {
      uuid: crypto.randomUUID(),
      accountId: other.id,
      code: "berlin",
      name: "Somebody's cellar",
      icon: "location",
      proxyUrl: null,
    };
    await of.storage.locations.create({ ...place, nowMs: t0 });
    await using service = await receiver();
    const check = await of.check({ name: "shop" });
    await channel(of, service.url, [check]);
    await of.runs(check, "PF");
    await notifier(of.storage);
    await settled(of, 1);
    expect(service.received.map(({ body }) => body).join()).not.toContain("cellar");
  });

  it("is woken by what is stored, and looks at once for what waits behind a message", async () => {
    const of = await scene();
    await using service = await receiver();
    const check = await of.check({ name: "shop" });
    await channel(of, service.url, [check]);
    await notifier(of.storage, {}, 24 * hour);
    await of.runs(check, "PFPF");
    expect(await settled(of, 3)).toHaveLength(3);
    expect(titles(service)).toEqual(["shop has failed", "shop has recovered", "shop has failed"]);
  });

  it("tells only who is subscribed, and only of what its switches let through", async () => {
    const of = await scene();
    await using quiet = await receiver();
    await using other = await receiver();
    await using all = await receiver();
    const check = await of.check({ name: "shop" });
    await channel(of, quiet.url, [check], { sendDegraded: false, sendRecovery: false });
    await channel(of, other.url, []);
    await channel(of, all.url, [check]);
    await of.runs(check, "PDFP");
    await notifier(of.storage);
    await settled(of, 4);
    expect(titles(all)).toEqual(["shop is degraded", "shop was degraded and has failed", "shop has recovered"]);
    expect(titles(quiet)).toEqual(["shop was degraded and has failed"]);
    expect(other.received).toEqual([]);
  });

  it("tells of a certificate that expires once, with its host, its days and the text of the target's answer", async () => {
    const of = await scene();
    await using service = await receiver();
    const check = await of.check({ name: "shop" });
    await channel(of, service.url, [check], { sslExpiry: true, sslExpiryThreshold: 14 });
    await notifier(of.storage, {}, 24 * hour);
    const response = { statusText: "Quite fine", serverName: "shop.example", certificate: { fingerprint256: "AB:CD", daysUntilExpiry: 9 } };
    for (const at of [0, 1]) await of.ingest([{ ...(await of.run(check, at, "P")), detail: { response } }], at);
    await of.runs(check, "F", 2);
    expect(await settled(of, 2)).toHaveLength(2);
    expect(titles(service)).toEqual(["shop: the certificate of shop.example expires in 9 days", "shop has failed"]);
    expect(JSON.parse(service.received[0]?.body ?? "")).toMatchObject({
      ALERT_TYPE: "ALERT_SSL",
      SSL_CHECK_DOMAIN: "shop.example",
      SSL_DAYS_REMAINING: 9,
      API_CHECK_RESPONSE_STATUS_TEXT: "Quite fine",
      CHECK_RESULT_ID: expect.stringMatching(/./),
    });
    expect(service.json()).toMatchObject({ SSL_CHECK_DOMAIN: "", API_CHECK_RESPONSE_STATUS_TEXT: "Internal Server Error" });
  });

  it("repeats under the same id, 20 s and 40 s later, until it arrives, with what came after it waiting behind", async () => {
    const of = await scene();
    await using service = await receiver((response) => response.writeHead(service.received.length < 3 ? 500 : 200).end());
    const check = await of.check({ name: "shop" });
    await channel(of, service.url, [check]);
    await of.runs(check, "PFP");
    const { advance } = await notifier(of.storage);
    for (const attempts of [1, 2]) {
      await settled(of, attempts);
      expect(titles(service)).toEqual(Array.from({ length: attempts }, () => "shop has failed"));
      advance(attempts * 20_000);
    }
    expect((await settled(of, 4)).map(({ status }) => status)).toEqual(["FAILURE", "FAILURE", "SUCCESS", "SUCCESS"]);
    expect(titles(service)).toEqual(["shop has failed", "shop has failed", "shop has failed", "shop has recovered"]);
    expect(new Set(deliveries(service).slice(0, 3)).size).toBe(1);
  });

  it("tries a receiver that is away for a day with growing pauses, then lists what it gave up, tells another channel once, and sends again when asked", async () => {
    const of = await scene();
    let isAway = true;
    await using service = await receiver((response) => response.writeHead(isAway ? 503 : 200).end());
    await using other = await receiver();
    const [shop, web] = [await of.check({ name: "shop" }), await of.check({ name: "web" })];
    const { id } = await channel(of, service.url, [shop, web]);
    const { id: otherId } = await channel(of, other.url, [shop], { sendRecovery: false });
    await of.runs(shop, "PF");
    await of.runs(web, "PF");
    const { advance } = await notifier(of.storage);
    const { alertDeliveries } = of.storage;
    const entries = () => alertDeliveries.givenUp(of.owner.id, { page: 1, limit: 10 });
    const arrivedAt: number[] = [];
    for (let at = 0; (await entries()).total < 2; at += 5 * minute) {
      const before = service.received.length;
      advance(5 * minute);
      await new Promise((resolve) => {
        setTimeout(resolve, 60);
      });
      if (service.received.length > before) arrivedAt.push(at);
      if (at > 26 * hour) throw new Error("it was never given up");
    }
    expect(arrivedAt.at(-1)).toBeGreaterThanOrEqual(23.5 * hour);
    expect(service.received.length).toBeLessThan(160);
    expect((await entries()).items).toMatchObject([
      { channelId: id, alert: { name: "web" }, because: "503" },
      { channelId: id, alert: { name: "shop" } },
    ]);
    await eventually(async () => other.received.length === 2);
    expect(other.json()).toMatchObject({ ALERT_TYPE: "CHANNEL_GAVE_UP", CHECK_ERROR_MESSAGE: "Last answer: 503\n- shop" });
    expect(other.json()["ALERT_TITLE"]).toContain("Channel hook has received no alerts since");
    isAway = false;
    expect(await alertDeliveries.sendAgain(of.owner.id + 1, id, t0)).toBeUndefined();
    expect(await alertDeliveries.sendAgain(of.owner.id, id, t0)).toBe(2);
    advance(hour);
    await eventually(async () => titles(service).at(-1) === "web has failed");
    expect((await entries()).total).toBe(0);
    expect((await of.storage.alertNotifications.list(of.owner.id, { page: 1, limit: 1, channelId: otherId })).items).toMatchObject([
      { about: { kind: "CHANNEL_GAVE_UP", channel: { id } } },
    ]);
  });

  it("lets what is newer join a message that is refused for ten minutes, oldest first and under another id", async () => {
    const of = await scene();
    await using service = await receiver((response) => response.writeHead(service.received.length < 7 ? 500 : 200).end());
    const [shop, web] = [await of.check({ name: "shop" }), await of.check({ name: "web" })];
    await channel(of, service.url, [shop, web]);
    const { advance } = await notifier(of.storage);
    await of.runs(shop, "PFP");
    await of.runs(web, "PF");
    for (const attempts of [1, 2, 3, 4, 5, 6]) {
      await settled(of, attempts);
      advance(10 * minute);
    }
    expect((await settled(of, 9)).slice(6).map(({ status }) => status)).toEqual(["SUCCESS", "SUCCESS", "SUCCESS"]);
    expect(titles(service).at(-1)).toBe("2 checks: 2 failing, 1 recovered");
    expect(new Set(deliveries(service)).size).toBe(2);
    expect(await of.storage.alertDeliveries.waiting(t0 + 24 * hour)).toEqual([]);
  });

  it("gives up what cannot be read, with its reason in the list, and tells what waits behind it", async () => {
    const of = await scene();
    await using service = await receiver();
    const [broken, whole] = [await of.check({ name: "broken" }), await of.check({ name: "whole" })];
    await channel(of, service.url, [broken, whole]);
    await of.runs(broken, "PF");
    await of.change(broken, { tags: null }); // as no release writes it
    await of.runs(whole, "PF");
    const { advance, counted } = await notifier(of.storage);
    for (const attempts of [1, 2, 3, 4, 5, 6]) {
      await settled(of, attempts);
      advance(10 * minute);
    }
    const all = await settled(of, 7);
    expect(all.map(({ status }) => status)).toEqual([...Array.from({ length: 6 }, () => "FAILURE"), "SUCCESS"]);
    expect(all[5]?.result).toMatch("an internal error");
    expect(titles(service)).toEqual(["whole has failed"]);
    await expect.poll(counted).toContain('outpost_alert_deliveries_total{channel="WEBHOOK",outcome="given_up"} 1');
  });

  it("gives up at once what makes no message, and tells what waits behind it", async () => {
    const of = await scene();
    await using service = await receiver();
    const [broken, whole] = [await of.check({ name: "broken" }), await of.check({ name: "whole" })];
    await channel(of, service.url, [broken, whole]);
    await of.runs(broken, "PF");
    await of.change(broken, { tags: [5] }); // as no release writes it
    await of.runs(whole, "PF");
    await notifier(of.storage);
    expect(await settled(of, 2)).toMatchObject([
      { status: "FAILURE", result: expect.stringContaining("an internal error") },
      { status: "SUCCESS" },
    ]);
    expect(titles(service)).toEqual(["whole has failed"]);
  });

  it("gives up what was begun twelve times without an end, as by a process that it ends", async () => {
    const of = await scene();
    await using service = await receiver();
    const check = await of.check({ name: "shop" });
    const { id } = await channel(of, service.url, [check]);
    await of.runs(check, "PF");
    const { alertDeliveries } = of.storage;
    await alertDeliveries.expand(t0 + minute, { alerts: 1, deliveries: 1 }, () => true);
    for (let begun = 1; begun <= 12; begun += 1)
      expect(await alertDeliveries.claim(id, 1, t0 + begun * minute, t0 + begun * minute + 1)).toMatchObject({ attempts: begun });
    const { counted } = await notifier(of.storage);
    expect(await settled(of, 1)).toMatchObject([{ status: "FAILURE", result: expect.stringContaining("12 attempts began") }]);
    expect(service.received).toEqual([]);
    expect(await alertDeliveries.waiting(t0 + 24 * hour)).toEqual([]);
    expect(await counted()).toContain('outpost_alert_deliveries_total{channel="WEBHOOK",outcome="given_up"} 1');
  });

  it("keeps half of an account's places from receivers that took long the last time", async () => {
    const of = await scene();
    const held: (() => void)[] = [];
    let isHeld = true;
    await using slow = await receiver((response) => (isHeld ? void held.push(() => response.end()) : response.end()));
    await using quick = await receiver();
    const [check, other] = [await of.check({ name: "shop" }), await of.check({ name: "door" })];
    for (let count = 0; count < 25; count += 1) await channel(of, slow.url, [check]);
    await channel(of, quick.url, [other]);
    await of.runs(check, "PF");
    const { advance } = await notifier(of.storage);
    await eventually(async () => held.length === 20);
    advance(2_000);
    isHeld = false;
    for (const answer of held.splice(0)) answer();
    await settled(of, 25);
    isHeld = true;
    await of.runs(check, "P", 3);
    await of.runs(other, "PF", 4);
    await eventually(async () => titles(quick).length === 1);
    await eventually(async () => held.length === 15); // ten that were slow, and the five that were not
    expect(titles(quick)).toEqual(["door has failed"]);
    isHeld = false;
    for (const answer of held.splice(0)) answer();
    await settled(of, 51);
  });

  it("lets a channel that hangs delay no other", async () => {
    const of = await scene();
    await using hanging = await receiver(() => undefined);
    await using service = await receiver();
    const check = await of.check({ name: "shop" });
    await channel(of, hanging.url, [check]);
    await channel(of, service.url, [check]);
    await of.runs(check, "PF");
    await notifier(of.storage);
    await eventually(async () => hanging.received.length === 1);
    expect(await settled(of, 1)).toMatchObject([{ status: "SUCCESS" }]);
  });

  it("makes one message of a storm, and records it for every check", async () => {
    const of = await scene();
    await using service = await receiver();
    const checks = await Promise.all(Array.from({ length: 30 }, (_, index) => of.check({ name: `shop ${index}` })));
    await channel(of, service.url, checks);
    for (const check of checks) await of.runs(check, "PF");
    await notifier(of.storage);
    const records = await settled(of, 30);
    expect(titles(service)).toEqual(["30 checks: 30 failing"]);
    expect(new Set(records.map(({ about }) => "checkUuid" in about && about.checkUuid)).size).toBe(30);
  });

  it("counts what it tells, what waits since when, and the channels whose receivers are down", async () => {
    const of = await scene();
    await using service = await receiver((response) => response.writeHead(500).end());
    const check = await of.check();
    await channel(of, service.url, [check]);
    const { advance, counted } = await notifier(of.storage);
    await of.runs(check, "PFPF");
    for (const records of [1, 2, 3, 4, 5, 6, 9]) {
      await settled(of, records);
      advance(10 * minute);
    }
    await settled(of, 12);
    const [first] = await of.alerts();
    const ageSeconds = (t0 + hour + 70 * minute - (first?.createdAtMs ?? 0)) / 1_000;
    const lines = [
      'outpost_alerts_total{type="ALERT_FAILURE"} 2',
      'outpost_alerts_total{type="ALERT_RECOVERY"} 1',
      'outpost_alert_deliveries_total{channel="WEBHOOK",outcome="again"} 8',
      "outpost_alert_breakers_open 1",
      `outpost_alert_deliveries_oldest_seconds ${ageSeconds}`,
      "outpost_alert_deliveries_waiting 3",
    ];
    await expect.poll(counted).toEqual(lines);
  });

  it("holds back what goes beyond the budget of a minute, and tells it as one", async () => {
    const of = await scene();
    await using service = await receiver();
    const checks = await Promise.all(Array.from({ length: 5 }, (_, index) => of.check({ name: `shop ${index}` })));
    await channel(of, service.url, checks);
    const { advance } = await notifier(of.storage, { ALERTS_PER_MINUTE: "2" });
    for (const [index, check] of checks.slice(0, 2).entries()) {
      await of.runs(check, "PF");
      await settled(of, index + 1);
    }
    for (const check of checks.slice(2)) await of.runs(check, "PF");
    await eventually(async () => (await of.storage.alertDeliveries.waiting(t0 + 24 * hour))[0]?.alerts === 3);
    expect(service.received).toHaveLength(2);
    advance(minute);
    await settled(of, 5);
    expect(titles(service).at(-1)).toBe("3 checks: 3 failing");
  });

  it("cut off between sending and recording sends again under the same id, once", async () => {
    const of = await scene();
    const arrived = Promise.withResolvers<void>();
    await using service = await receiver((response) => {
      if (service.received.length === 1) return arrived.resolve();
      response.end("ok");
    });
    const check = await of.check({ name: "shop" });
    await channel(of, service.url, [check]);
    await of.runs(check, "PF");
    const first = await notifier(of.storage);
    await arrived.promise;
    await first.service.stop(AbortSignal.abort(new Error("killed")));
    expect(await listed(of)).toEqual([]);
    const second = await notifier(of.storage);
    second.advance(16_000);
    expect(await settled(of, 1)).toMatchObject([{ status: "SUCCESS" }]);
    expect(service.received).toHaveLength(2);
    expect(new Set(deliveries(service)).size).toBe(1);
  });

  it("tells each alert once where several of them work side by side", async () => {
    const of = await scene();
    await using service = await receiver();
    const checks = await Promise.all(Array.from({ length: 6 }, (_, index) => of.check({ name: `shop ${index}` })));
    for (const check of checks) await channel(of, service.url, [check]);
    for (let count = 0; count < 3; count++) await notifier(of.storage);
    for (const check of checks) await of.runs(check, "PF");
    expect(await settled(of, 6)).toHaveLength(6);
    expect(titles(service).toSorted()).toEqual(checks.map((_, index) => `shop ${index} has failed`));
  });
});

describe.skipIf(!engines.names.includes("postgres"))("notifiers of two control planes on one PostgreSQL", { timeout: 120_000 }, () => {
  it("tell each channel of each alert once, in order, and list each once", async () => {
    const place = await engines.place("postgres");
    const both = [await engines.open("postgres", place), await engines.open("postgres", place)] as const;
    const of = await AlertScene.open(both[0]);
    await using service = await receiver();
    const checks = await Promise.all(Array.from({ length: 5 }, (_, index) => of.check({ name: `shop ${index}` })));
    for (const check of checks) await channel(of, service.url, [check]);
    for (const storage of both) await notifier(storage);
    for (const check of checks) await of.runs(check, "PFP");
    expect(await settled(of, 10)).toHaveLength(10);
    const ofChecks = Map.groupBy(titles(service), (title) => title.slice(0, "shop 0".length));
    expect(ofChecks).toEqual(new Map([...ofChecks.keys()].map((name) => [name, [`${name} has failed`, `${name} has recovered`]])));
    expect(new Set(deliveries(service)).size).toBe(10);
  });
});
