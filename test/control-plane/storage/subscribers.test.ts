import { describe, expect, it } from "vitest";
import type { ClaimedMail, Storage } from "../../../src/control-plane/storage/storage.ts";
import { openedIncident } from "../../../src/domain/alerting/check-incident.ts";
import type { StatusPageIncidentDefinition } from "../../../src/domain/incidents.ts";
import type { StatusPageDefinition } from "../../../src/domain/status-pages.ts";
import { account, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const minute = 60_000;
const week = 7 * 86_400_000;

describe.each(engines.names)("those who follow status pages on %s", { timeout: 120_000 }, (engine) => {
  async function scene(storage: Storage) {
    const { id: accountId } = await account(storage);
    const create = (kind: "status-page-service" | "status-page" | "status-page-incident", definition: object) =>
      storage.documents.create({ accountId, kind, definition, nowMs: t0 });
    const service = await create("status-page-service", { name: "Checkout" });
    const page = (name: string, serviceIds: readonly string[]) =>
      create("status-page", {
        settings: { name, url: name },
        cards: [{ id: "a card", name, serviceIds }],
      } as unknown as StatusPageDefinition);
    const shop = await page("shop", [service.uuid]);
    const incident = (changes: object = {}) => {
      const trigger = {
        serviceId: service.uuid,
        severity: "MAJOR",
        name: "Slow",
        description: "We look.",
        notifySubscribers: true,
        ...changes,
      };
      return create(
        "status-page-incident",
        openedIncident(trigger as Parameters<typeof openedIncident>[0], "a check", crypto.randomUUID(), t0),
      );
    };
    const subscribe = (addresses: readonly string[], isVerified = true, pageId = shop.id, nowMs = t0) =>
      storage.subscribers.subscribe(
        addresses.map((address) => ({ accountId, pageId, address, isVerified })),
        nowMs,
      );
    return { accountId, service, shop, page, incident, subscribe };
  }

  /** As the mailer does it, by whoever comes first. */
  async function mails(storage: Storage, nowMs = t0, limit = 100): Promise<readonly ClaimedMail[]> {
    await storage.subscribers.expand(nowMs);
    return storage.subscribers.claim(nowMs, nowMs + 2 * minute, limit);
  }
  const addresses = (claimed: readonly ClaimedMail[]) => claimed.map(({ subscription }) => subscription.address).toSorted();

  it("are each subscribed once, also when many ask at once, and asked to confirm once", async () => {
    const storage = await engines.open(engine);
    const { subscribe, accountId } = await scene(storage);
    expect(await subscribe(["a@example.com", "b@example.com", "A@EXAMPLE.com"], false)).toBe(2);
    const names = ["c@example.com", "b@example.com", "a@example.com", "d@example.com"];
    const made = await Promise.all(Array.from({ length: 10 }, (_, n) => subscribe(n % 2 === 0 ? names : names.toReversed(), false)));
    expect(made.reduce((sum, count) => sum + count)).toBe(2);
    expect((await storage.documents.list(accountId, "status-page-subscription")).total).toBe(4);
    const asked = await mails(storage);
    expect(addresses(asked)).toEqual(["a@example.com", "b@example.com", "c@example.com", "d@example.com"]);
    expect(asked.map(({ news }) => news)).toEqual([null, null, null, null]);
  });

  it("are listed in pages, by a part of their address, and only to the account of the page", async () => {
    const storage = await engines.open(engine);
    const { subscribe, accountId, shop, page } = await scene(storage);
    const other = await page("other", []);
    await subscribe(["Ann@example.com", "b_b@example.com", "bxb@example.com"]);
    await subscribe(["cyd@example.com", "100%@example.com"], false);
    await subscribe(["ann@example.com"], true, other.id);
    const list = async (search: string, at = 1, limit = 2, of = accountId) => {
      const { items, ...counts } = await storage.subscribers.ofPage(of, shop.uuid, { search, page: at, limit });
      return [items.map(({ definition }) => (definition as { address: string }).address.split("@")[0]), Object.values(counts)];
    };
    expect(await list("")).toEqual([
      ["Ann", "b_b"],
      [5, 3, 2],
    ]);
    expect(await list("", 3)).toEqual([["cyd"], [5, 3, 2]]);
    expect(await list("", 4)).toEqual([[], [5, 3, 2]]);
    expect(await list("aNN@E")).toEqual([["Ann"], [1, 3, 2]]);
    expect(await list("b_b")).toEqual([["b_b"], [1, 3, 2]]);
    expect(await list("%")).toEqual([["100%"], [1, 3, 2]]);
    expect(await list(`${shop.id}:`)).toEqual([[], [0, 3, 2]]);
    expect(await list("", 1, 2, (await account(storage)).id)).toEqual([[], [0, 0, 0]]);
  });

  it("hear of incidents of services that their page shows, and only where they confirmed", async () => {
    const storage = await engines.open(engine);
    const { subscribe, page, incident, service } = await scene(storage);
    const other = await page("other", [crypto.randomUUID()]);
    const both = await page("both", [crypto.randomUUID(), service.uuid]);
    await subscribe(["ada@example.com"]);
    await subscribe(["bob@example.com"], true, other.id);
    await subscribe(["cyd@example.com"], true, both.id);
    await subscribe(["dan@example.com"], false);
    await incident();
    const told = (await mails(storage)).filter(({ news }) => news !== null);
    expect(addresses(told)).toEqual(["ada@example.com", "cyd@example.com"]);
    expect(told[0]).toMatchObject({
      page: { name: "shop" },
      attempts: 1,
      news: { incident: { name: "Slow", severity: "MAJOR", services: ["Checkout"] }, update: { description: "We look." } },
    });
    expect(await storage.subscribers.expand(t0)).toBe(0);
  });

  it("hear nothing of an incident that does not ask for it", async () => {
    const storage = await engines.open(engine);
    const { subscribe, incident } = await scene(storage);
    await subscribe(["ada@example.com"]);
    await incident({ notifySubscribers: false });
    expect(await mails(storage)).toEqual([]);
  });

  it("get each mail from one of many processes, and again under the same id from another when that one died", async () => {
    const place = await engines.place(engine);
    const one = await engines.open(engine, place);
    // SQLite has one process.
    const two = engine === "sqlite" ? one : await engines.open(engine, place);
    const { subscribe, incident } = await scene(one);
    const everybody = Array.from({ length: 40 }, (_, n) => `u${String(n).padStart(2, "0")}@example.com`);
    await subscribe(everybody);
    await Promise.all(Array.from({ length: 3 }, () => incident()));
    const turns = await Promise.all(Array.from({ length: 24 }, (_, n) => mails(n % 2 === 0 ? one : two, t0, 10)));
    let claimed = turns.flat();
    // Who finds rows of another transaction leaves them out, and comes again.
    while (claimed.length < 120) claimed = [...claimed, ...(await mails(two, t0, 10))];
    expect(new Set(claimed.map(({ deliveryId }) => deliveryId)).size).toBe(120);
    expect(claimed).toHaveLength(120);
    expect(await mails(one, t0 + minute)).toEqual([]);
    const again = await mails(one, t0 + 3 * minute, 200);
    expect(new Set(again.map(({ deliveryId }) => deliveryId))).toEqual(new Set(claimed.map(({ deliveryId }) => deliveryId)));
    expect(again[0]?.attempts).toBe(2);
    for (const { id } of again) await two.subscribers.settle(id, null, t0);
    expect(await mails(one, t0 + 10 * minute)).toEqual([]);
  });

  it("hear nothing of what was deleted meanwhile", async () => {
    const storage = await engines.open(engine);
    const { subscribe, incident, accountId, page, service } = await scene(storage);
    await subscribe(["ada@example.com"]);
    const gone = await page("gone", [service.uuid]);
    await subscribe(["bob@example.com"], true, gone.id);
    const [first, second, third] = [await incident(), await incident(), await incident()];
    await storage.subscribers.expand(t0);
    await storage.documents.remove(accountId, "status-page", { id: gone.id });
    await storage.documents.remove(accountId, "status-page-incident", { id: first.id });
    const withoutUpdates = ({ definition }: { readonly definition: StatusPageIncidentDefinition }) => ({
      definition: { ...definition, updates: [] },
    });
    await storage.documents.update<StatusPageIncidentDefinition>(accountId, "status-page-incident", { id: second.id }, withoutUpdates, t0);
    const told = await mails(storage);
    expect(told.map(({ subscription, news }) => [subscription.address, news?.incident.uuid])).toEqual([["ada@example.com", third.uuid]]);
    expect(await mails(storage, t0 + 3 * minute)).toHaveLength(1);
  });

  it("are asked again after a while, until they confirm", async () => {
    const storage = await engines.open(engine);
    const { subscribe, shop, accountId } = await scene(storage);
    const ada = { accountId, pageId: shop.id, address: "Ada@example.com", isVerified: false };
    await subscribe(["ada@example.com"], false);
    const [mail] = await mails(storage);
    await storage.subscribers.settle(mail?.id ?? 0, null, t0);
    await storage.subscribers.askAgain(ada, t0 - minute, t0);
    expect(await mails(storage)).toEqual([]);
    await storage.subscribers.askAgain(ada, t0, t0 + minute);
    await storage.subscribers.askAgain(ada, t0, t0 + minute);
    expect(addresses(await mails(storage, t0 + minute))).toEqual(["ada@example.com"]);
    const uuid = mail?.subscription.uuid ?? "";
    expect(await storage.subscribers.verify(uuid, t0 + minute)).toBe(true);
    expect(await storage.subscribers.verify(uuid, t0 + minute)).toBe(true);
    // The second question is no question any more.
    expect(await mails(storage, t0 + 5 * minute)).toEqual([]);
    await storage.subscribers.askAgain(ada, t0 + week, t0 + week);
    expect(await mails(storage, t0 + week)).toEqual([]);
    expect(await storage.subscribers.find(uuid)).toMatchObject({
      subscription: { definition: { status: "VERIFIED" } },
      page: { url: "shop" },
    });
    expect(await storage.subscribers.end(uuid)).toBe(true);
    expect(await storage.subscribers.end(uuid)).toBe(false);
    expect(await storage.subscribers.verify(uuid, t0)).toBe(false);
  });

  it("are forgotten where they were asked and did not confirm", async () => {
    const storage = await engines.open(engine);
    const { subscribe, accountId, shop } = await scene(storage);
    await subscribe(["ada@example.com", "bob@example.com"], false);
    await subscribe(["cyd@example.com"]);
    await storage.subscribers.askAgain({ accountId, pageId: shop.id, address: "bob@example.com", isVerified: false }, t0, t0 + minute);
    expect(await storage.subscribers.forgetUnconfirmed(t0)).toBe(0);
    expect(await storage.subscribers.forgetUnconfirmed(t0 + minute)).toBe(1);
    expect((await storage.documents.list(accountId, "status-page-subscription")).total).toBe(2);
    expect(addresses(await mails(storage, t0 + minute))).toEqual(["bob@example.com", "bob@example.com"]);
  });
});
