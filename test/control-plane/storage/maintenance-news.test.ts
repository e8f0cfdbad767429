import { describe, expect, it } from "vitest";
import type { ClaimedMail, Storage } from "../../../src/control-plane/storage/storage.ts";
import type { MaintenanceRecord } from "../../../src/domain/maintenance-effects.ts";
import type { AnnouncedWindow } from "../../../src/domain/maintenance-news.ts";
import { account, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const minute = 60_000;
const hour = 60 * minute;
const clock = (ms: number): string => new Date(ms).toISOString();

describe.each(engines.names)("those who follow status pages hear of maintenance on %s", { timeout: 120_000 }, (engine) => {
  async function scene(storage: Storage) {
    const { id: accountId } = await account(storage);
    const create = (kind: "status-page-service" | "status-page" | "maintenance-window", definition: object, open = false) =>
      storage.documents.create({ accountId, kind, definition, open, nowMs: t0 });
    const service = await create("status-page-service", { name: "Checkout" });
    const page = (name: string, serviceIds: readonly string[]) =>
      create("status-page", { settings: { name, url: name }, cards: [{ id: "a card", name, serviceIds }] });
    const shop = await page("shop", [service.uuid]);
    const other = await page("other", [crypto.randomUUID()]);
    const subscribe = (addresses: readonly string[], pageId = shop.id, isVerified = true) =>
      storage.subscribers.subscribe(
        addresses.map((address) => ({ accountId, pageId, address, isVerified })),
        t0,
      );
    /** From an hour on for an hour. */
    const maintain = (changes: object = {}) => {
      const definition: AnnouncedWindow = {
        name: "Updates",
        description: "The shop is read-only.",
        startsAt: clock(t0 + hour),
        endsAt: clock(t0 + 2 * hour),
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
        statusPageVisibility: {
          enabled: true,
          severity: null,
          affectAllServices: false,
          suppressAutoIncidents: false,
          notifyOnStart: true,
          notifyOnEnd: true,
          reminderMinutesBefore: [],
          autoStart: true,
          autoEnd: true,
          showAffectedServices: true,
          statusPageIds: [],
          serviceIds: [service.uuid.toUpperCase()],
          ...changes,
        },
      };
      return create("maintenance-window", definition, definition.statusPageVisibility.enabled);
    };
    const change = (windowId: number, changes: Partial<MaintenanceRecord>) => {
      const planned = { startsAt: clock(t0 + hour), endsAt: clock(t0 + 2 * hour) };
      const definition: MaintenanceRecord = { plan: 0, index: 0, planned, moved: {}, updates: [], isDeleted: false, ...changes };
      return storage.documents.create({ accountId, kind: "maintenance", parentId: windowId, definition, nowMs: t0 });
    };
    await storage.subscribers.announce(t0);
    return { accountId, shop, other, subscribe, maintain, change };
  }
  const claim = (storage: Storage, nowMs: number) => storage.subscribers.claim(nowMs, nowMs + 2 * minute, 100);
  async function told(storage: Storage, nowMs: number): Promise<readonly (readonly [string, string | undefined])[]> {
    await storage.subscribers.announce(nowMs);
    const mails = await claim(storage, nowMs);
    for (const { id } of mails) await storage.subscribers.settle(id, null, t0);
    return mails.map(({ subscription, maintenance }: ClaimedMail) => [subscription.address, maintenance?.status] as const);
  }

  it("once for each occurrence and kind, whoever confirmed and follows a page that shows it", async () => {
    const storage = await engines.open(engine);
    const { subscribe, maintain, shop, other } = await scene(storage);
    await subscribe(["ada@example.com", "bob@example.com"]);
    await subscribe(["cyd@example.com"], other.id);
    await subscribe(["dan@example.com"], shop.id, false);
    await maintain();
    expect(await told(storage, t0 + 30 * minute)).toEqual([["dan@example.com", undefined]]);
    await storage.subscribers.announce(t0 + hour + minute);
    const mails = (await claim(storage, t0 + hour + minute)).filter(({ maintenance }) => maintenance !== null);
    expect(mails.map(({ subscription }) => subscription.address).toSorted()).toEqual(["ada@example.com", "bob@example.com"]);
    expect(mails[0]).toMatchObject({
      createdAtMs: t0 + hour,
      news: null,
      page: { name: "shop" },
      maintenance: { name: "Updates", status: "IN_PROGRESS", description: "The shop is read-only.", services: ["Checkout"] },
    });
    for (const { id } of mails) await storage.subscribers.settle(id, null, t0);
    expect(await told(storage, t0 + hour + 2 * minute)).toEqual([]);
    expect((await told(storage, t0 + 2 * hour + minute)).map(([, status]) => status)).toEqual(["COMPLETED", "COMPLETED"]);
    expect(await told(storage, t0 + 9 * hour)).toEqual([]);
  });

  it("once, also when many processes look at the same moment, and from a process that comes back in the middle of it", async () => {
    const place = await engines.place(engine);
    const one = await engines.open(engine, place);
    // SQLite has one process.
    const two = engine === "sqlite" ? one : await engines.open(engine, place);
    const { subscribe, maintain } = await scene(one);
    await subscribe(Array.from({ length: 20 }, (_, n) => `u${n}@example.com`));
    await maintain();
    // Nobody looked for half an hour.
    const made = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? one : two).subscribers.announce(t0 + hour + 30 * minute + n)),
    );
    expect(made.reduce((sum, count) => sum + count)).toBe(20);
    const again = engine === "sqlite" ? one : await engines.open(engine, place);
    expect(await again.subscribers.announce(t0 + hour + 40 * minute)).toBe(0);
    expect(await claim(again, t0 + hour + 40 * minute)).toHaveLength(20);
  });

  it("not days late, and not of what began before anybody looked for the first time", async () => {
    const storage = await engines.open(engine);
    const { subscribe, maintain } = await scene(storage);
    await subscribe(["ada@example.com"]);
    await maintain();
    expect(await told(storage, t0 + 27 * hour)).toEqual([]);
    const fresh = await engines.open(engine);
    const late = await scene(fresh);
    await late.subscribe(["ada@example.com"]);
    await fresh.subscribers.announce(t0 + hour + minute);
    await late.maintain();
    expect(await told(fresh, t0 + hour + 3 * minute)).toEqual([]);
  });

  it("at its new times where it was moved, and nothing of what was called off, deleted or hidden, also while a mail waits", async () => {
    const storage = await engines.open(engine);
    const { subscribe, maintain, change, accountId } = await scene(storage);
    await subscribe(["ada@example.com"]);
    const [moved, deleted, called, removed] = [await maintain(), await maintain(), await maintain(), await maintain()];
    await maintain({ enabled: false });
    await change(moved.id, { moved: { startsAt: clock(t0 + 3 * hour), endsAt: clock(t0 + 4 * hour) } });
    await change(deleted.id, { isDeleted: true });
    await storage.subscribers.announce(t0 + hour + minute);
    const waiting = await claim(storage, t0 + hour + minute);
    expect(waiting).toHaveLength(2);
    const cancel = { id: crypto.randomUUID(), status: "CANCELLED", description: "No.", notifySubscribers: false } as const;
    const state = { previousStatus: "IN_PROGRESS", previousStartsAt: "", previousEndsAt: "", dateAdjustments: null } as const;
    await change(called.id, { updates: [{ ...cancel, ...state, createdAtMs: t0 + hour + minute }] });
    await storage.documents.remove(accountId, "maintenance-window", { id: removed.id });
    expect(await claim(storage, t0 + hour + 5 * minute)).toEqual([]);
    expect(await claim(storage, t0 + hour + 9 * minute)).toEqual([]);
    expect(await told(storage, t0 + 3 * hour + minute)).toEqual([["ada@example.com", "IN_PROGRESS"]]);
    expect(await told(storage, t0 + 4 * hour + minute)).toEqual([["ada@example.com", "COMPLETED"]]);
  });
});
