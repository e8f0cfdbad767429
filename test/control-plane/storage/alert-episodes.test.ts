import { describe, expect, it } from "vitest";
import type { EpisodeRow } from "../../../src/control-plane/storage/storage.ts";
import { acknowledgedForMs } from "../../../src/domain/alerting/episode-handling.ts";
import { AlertScene, minute, ownAlerts } from "./alert-scene.ts";
import { account, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const now = t0 + 60 * minute;
const reminding = ownAlerts({
  escalationType: "RUN_BASED",
  runBasedEscalation: { failedRunThreshold: 1 },
  reminders: { amount: 100_000, interval: 10 },
});

describe.each(engines.names)("episodes in %s", (engine) => {
  it("begin with the alert of a failure and end with its recovery, with how many runs failed, where and why", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const shop = await scene.check({ name: "Shop", request: { url: "https://Shop.example/cart" } });
    await scene.runs(shop, "PFFF");
    const [open, ...none] = await alertEpisodes.open(scene.owner.id);
    expect(none).toEqual([]);
    expect(open).toMatchObject({
      standing: "failing",
      closedAtMs: null,
      error: "status 500 is not 200",
      host: "shop.example",
      check: { uuid: shop.uuid, name: "Shop" },
    });
    expect(open?.cleanedError).toBeTruthy();
    await scene.runs(shop, "P", 4);
    expect(await alertEpisodes.open(scene.owner.id)).toEqual([]);
    const { items, total } = await alertEpisodes.closed(scene.owner.id, { page: 1, limit: 10 });
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({ id: open?.id, failedRuns: 3, error: "status 500 is not 200" });
    await scene.runs(shop, "FP", 5);
    const both = await alertEpisodes.closed(scene.owner.id, { page: 1, limit: 10, checkUuid: shop.uuid });
    expect(both.items.map(({ id }) => id)).toEqual([expect.any(Number), open?.id]);
    const detail = (await alertEpisodes.details(both.items)).get(open?.id ?? 0);
    expect(detail?.locations).toEqual([scene.places[0]?.name]);
  });

  it("tell lists why a check is degraded, which has no error group", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const shop = await scene.check({ name: "Shop" });
    const error = async () => (await scene.storage.checkTroubles.ofChecks([shop.id], t0)).get(shop.id)?.places[0]?.error;
    await scene.runs(shop, "PD");
    expect(await error()).toBe("too slow");
    await scene.runs(shop, "F", 2);
    expect(await error()).toBe("status 500 is not 200");
    await scene.runs(shop, "D", 3);
    expect(await error()).toBe("too slow");
  });

  it("say whether the check was ever failing, or only degraded", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const told = ["DDP", "DFDP", "FDP"];
    for (const word of told) await scene.runs(await scene.check({ name: word }), word);
    const { items } = await alertEpisodes.closed(scene.owner.id, { page: 1, limit: 10 });
    const details = await alertEpisodes.details(items);
    const only = items.map(({ id, check: { name } }) => [name, details.get(id)?.isOnlyDegraded]);
    expect(Object.fromEntries(only)).toEqual({ DDP: true, DFDP: false, FDP: false });
    for (const { locations } of details.values()) expect(locations).toEqual([scene.places[0]?.name]);
  });

  it("are found by the time that they lasted", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const shop = await scene.check({ name: "Shop" });
    await scene.runs(shop, "PFFPFP");
    const [last, first] = (await alertEpisodes.closed(scene.owner.id, { page: 1, limit: 10 })).items as [EpisodeRow, EpisodeRow];
    const during = async (fromMs: number, toMs: number) =>
      (await alertEpisodes.closed(scene.owner.id, { page: 1, limit: 10, during: { fromMs, toMs } })).items.map(({ id }) => id);
    const ended = (episode: EpisodeRow): number => episode.closedAtMs ?? Number.NaN;
    expect(await during(ended(first), ended(first) + 1)).toEqual([first.id]);
    expect(await during(first.sinceMs, last.sinceMs + 1)).toEqual([last.id, first.id]);
    expect(await during(ended(last) + 1, ended(last) + 9)).toEqual([]);
    expect(await during(0, first.sinceMs)).toEqual([]);
  });

  it("are found by the incident that was opened for them, by somebody or by the check itself", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes, documents } = scene.storage;
    const [byHand, byItself] = [await scene.check({ name: "By hand" }), await scene.check({ name: "By itself" })];
    await scene.runs(byHand, "F");
    await scene.runs(byItself, "F");
    const open = await alertEpisodes.open(scene.owner.id);
    const episodeOf = (name: string) => open.find(({ check }) => check.name === name)?.id;
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    await alertEpisodes.act(scene.owner.id, episodeOf("By hand") ?? 0, { kind: "incident", id: first }, "Ada", now);
    const incident = {
      accountId: scene.owner.id,
      kind: "status-page-incident",
      definition: { services: [], updates: [] },
      nowMs: now,
    } as const;
    await documents.create({ ...incident, uuid: second, name: `check:${byItself.id}` });
    expect((await alertEpisodes.ofIncident(scene.owner.id, first))?.id).toBe(episodeOf("By hand"));
    expect((await alertEpisodes.ofIncident(scene.owner.id, second))?.id).toBe(episodeOf("By itself"));
    const stranger = await account(scene.storage);
    for (const id of [first, second]) expect(await alertEpisodes.ofIncident(stranger.id, id)).toBeUndefined();
    expect(await alertEpisodes.ofIncident(scene.owner.id, crypto.randomUUID())).toBeUndefined();
  });

  it("are told with the check that does not pass: who looks after it, and the incident as long as it is open", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes, documents, checkTroubles } = scene.storage;
    const [byHand, byItself, alone] = [
      await scene.check({ name: "A" }),
      await scene.check({ name: "B" }),
      await scene.check({ name: "C" }),
    ];
    for (const one of [byHand, byItself, alone]) await scene.runs(one, "F");
    const alerts = async () => {
      const found = await checkTroubles.ofChecks([byHand.id, byItself.id, alone.id], now);
      return [byHand, byItself, alone].map(({ id }) => found.get(id)?.alert);
    };
    const none = { acknowledged: null, snoozed: null, assignee: null };
    expect(await alerts()).toMatchObject(Array.from({ length: 3 }, () => ({ handling: none, incidentUuid: null })));
    const [first, second] = [crypto.randomUUID(), crypto.randomUUID()];
    const incident = {
      accountId: scene.owner.id,
      kind: "status-page-incident",
      definition: { services: [], updates: [] },
      open: true,
      nowMs: now,
    } as const;
    await documents.create({ ...incident, uuid: first });
    await documents.create({ ...incident, uuid: second, name: `check:${byItself.id}` });
    const [{ id } = { id: 0 }] = (await alertEpisodes.open(scene.owner.id)).filter(({ check }) => check.id === byHand.id);
    await alertEpisodes.act(scene.owner.id, id, { kind: "incident", id: first }, "Ada", now);
    await alertEpisodes.act(scene.owner.id, id, { kind: "acknowledged" }, "Ada", now);
    expect(await alerts()).toMatchObject([
      { id, handling: { acknowledged: { by: "Ada" } }, incidentUuid: first },
      { handling: none, incidentUuid: second },
      { handling: none, incidentUuid: null },
    ]);
    await documents.update(scene.owner.id, incident.kind, { uuid: first }, () => ({ definition: incident.definition, open: false }), now);
    expect((await alerts())[0]).toMatchObject({ incidentUuid: null });
    await scene.runs(byHand, "P", 4);
    expect((await alerts())[0]).toBeUndefined();
  });

  it("stay one while a check gets better and worse, and say who was told of it", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const shop = await scene.check();
    const channel = await scene.channel([shop]);
    await scene.runs(shop, "FDF");
    const [one] = await alertEpisodes.open(scene.owner.id);
    if (one === undefined) throw new Error("no episode");
    expect((await alertEpisodes.details([one])).get(one.id)).toMatchObject({ arrivals: [], isOnItsWay: true });
    await scene.told();
    const { alerts, arrivals } = await alertEpisodes.timeline(one);
    expect(alerts.map(({ alertType }) => alertType)).toEqual(["ALERT_FAILURE", "ALERT_FAILURE_DEGRADED", "ALERT_DEGRADED_FAILURE"]);
    // What the scene tells is never settled: it is delivered, and waits on for the attempt's end.
    expect(arrivals.map(({ channelId, atMs }) => [channelId, typeof atMs])).toEqual(alerts.map(() => [channel.id, "number"]));
    expect((await alertEpisodes.details([one])).get(one.id)?.isOnItsWay).toBe(false);
  });

  it("keep reminders back while they are acknowledged or snoozed, and let them begin again", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const shop = await scene.check(reminding);
    await scene.runs(shop, "F");
    const [one] = await alertEpisodes.open(scene.owner.id);
    if (one === undefined) throw new Error("no episode");
    const reminders = async (): Promise<number> => (await scene.types(shop)).filter((type) => type === "ALERT_FAILURE_REMAIN").length;
    await scene.tick(11);
    expect(await reminders()).toBe(1);
    const snoozed = { kind: "snoozed", untilMs: t0 + 120 * minute } as const;
    expect((await alertEpisodes.act(scene.owner.id, one.id, snoozed, "Ada", t0 + 12 * minute))?.isDone).toBe(true);
    for (const atMinute of [12, 30, 60, 119]) await scene.tick(atMinute);
    expect(await reminders()).toBe(1);
    await scene.tick(121);
    expect(await reminders()).toBe(2);

    await alertEpisodes.act(scene.owner.id, one.id, { kind: "acknowledged" }, "Ada", t0 + 122 * minute);
    const lapsesAt = 122 + acknowledgedForMs / minute;
    for (const atMinute of [123, 200, lapsesAt - 1]) await scene.tick(atMinute);
    expect(await reminders()).toBe(2);
    await scene.tick(lapsesAt + 1);
    expect(await reminders()).toBe(3);
    // The recovery is told whatever people did.
    await alertEpisodes.act(scene.owner.id, one.id, { kind: "acknowledged" }, "Ada", t0 + (lapsesAt + 2) * minute);
    await scene.runs(shop, "P", lapsesAt + 3);
    expect((await scene.types(shop)).at(-1)).toBe("ALERT_RECOVERY");
    const { acts } = await alertEpisodes.timeline((await alertEpisodes.find(scene.owner.id, one.id)) ?? one);
    expect(acts.map(({ kind, by }) => [kind, by])).toEqual([
      ["snoozed", "Ada"],
      ["acknowledged", "Ada"],
      ["acknowledged", "Ada"],
    ]);
  });

  it("let reminders go on at once where the acknowledgement is taken back", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const shop = await scene.check(reminding);
    await scene.runs(shop, "F");
    const [one] = await alertEpisodes.open(scene.owner.id);
    const id = one?.id ?? 0;
    await alertEpisodes.act(scene.owner.id, id, { kind: "acknowledged" }, "Ada", t0 + minute);
    await scene.tick(20);
    expect(await scene.types(shop)).toEqual(["ALERT_FAILURE"]);
    await alertEpisodes.act(scene.owner.id, id, { kind: "unacknowledged" }, "Ada", t0 + 20 * minute);
    await scene.tick(21);
    expect(await scene.types(shop)).toEqual(["ALERT_FAILURE", "ALERT_FAILURE_REMAIN"]);
  });

  it("take no acknowledgement once they are over, but comments and a person", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const shop = await scene.check();
    await scene.runs(shop, "FP");
    const [one] = (await alertEpisodes.closed(scene.owner.id, { page: 1, limit: 1 })).items;
    const act = (...[done]: [Parameters<typeof alertEpisodes.act>[2]]) => alertEpisodes.act(scene.owner.id, one?.id ?? 0, done, "Ada", now);
    expect((await act({ kind: "acknowledged" }))?.isDone).toBe(false);
    expect((await act({ kind: "commented", text: "a full disk" }))?.isDone).toBe(true);
    const assigned = await act({ kind: "assigned", to: { id: "u-1", name: "Bob" } });
    expect(assigned?.episode.handling.assignee).toEqual({ id: "u-1", name: "Bob" });
    expect((await act({ kind: "assigned", to: null }))?.episode.handling.assignee).toBeNull();
  });

  it("are another account's as little as if they were not there", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes } = scene.storage;
    const other = await account(scene.storage);
    const shop = await scene.check();
    await scene.runs(shop, "F");
    const [one] = await alertEpisodes.open(scene.owner.id, shop.uuid);
    expect(one).toBeDefined();
    expect(await alertEpisodes.open(other.id)).toEqual([]);
    expect(await alertEpisodes.open(other.id, shop.uuid)).toEqual([]);
    expect(await alertEpisodes.find(other.id, one?.id ?? 0)).toBeUndefined();
    expect(await alertEpisodes.act(other.id, one?.id ?? 0, { kind: "acknowledged" }, "Eve", now)).toBeUndefined();
    expect((await alertEpisodes.find(scene.owner.id, one?.id ?? 0))?.handling.acknowledged).toBeNull();
    await scene.runs(shop, "P", 1);
    expect((await alertEpisodes.closed(other.id, { page: 1, limit: 10, checkUuid: shop.uuid })).total).toBe(0);
  });

  it("go with their age once they are over", async () => {
    const scene = await AlertScene.open(await engines.open(engine));
    const { alertEpisodes, checkAlerts } = scene.storage;
    const [over, open] = [await scene.check(), await scene.check()];
    await scene.runs(over, "FP");
    await scene.runs(open, "F", 2);
    await scene.told();
    await checkAlerts.prune(minute, t0 + 10 * 24 * 60 * minute, 100);
    expect((await alertEpisodes.closed(scene.owner.id, { page: 1, limit: 10 })).total).toBe(0);
    expect(await alertEpisodes.open(scene.owner.id)).toHaveLength(1);
  });
});
