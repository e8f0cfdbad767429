import { describe, expect, it } from "vitest";
import { account, location, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const error = { message: "m", stack: "s", agentVersion: "1.0.0", platform: "linux x64", runtimeVersion: "v26.10.0" };
const page = { page: 1, limit: 100 };

describe.each(engines.names)("errors of agents on %s", (engine) => {
  async function scene() {
    const storage = await engines.open(engine);
    const owner = await account(storage);
    const [berlin, paris] = [await location(storage, owner.id), await location(storage, owner.id, "paris")];
    const add = (hashes: readonly string[], nowMs = t0, agentId = "a", locationId = berlin.id) =>
      storage.agentErrors.add({
        accountId: owner.id,
        locationId,
        agentId,
        nowMs,
        errors: hashes.map((hash) => ({ ...error, message: hash, hash, count: 1 })),
      });
    const list = async (at = page) => (await storage.agentErrors.list(owner.id, berlin.id, at)).items.map(({ message }) => message);
    return { storage, owner, berlin, paris, add, list };
  }

  it("are told once each, with how often they came and who reported them last", async () => {
    const { storage, owner, berlin, add } = await scene();
    await add(["x"], t0, "first");
    await storage.agentErrors.add({
      accountId: owner.id,
      locationId: berlin.id,
      agentId: "second",
      nowMs: t0 + 5,
      errors: [{ ...error, message: "x", hash: "x", count: 3 }],
    });
    const { items, total } = await storage.agentErrors.list(owner.id, berlin.id, page);
    expect(total).toBe(1);
    expect(items).toEqual([
      { ...error, id: expect.any(Number) as number, message: "x", agentId: "second", firstSeenMs: t0, lastSeenMs: t0 + 5, count: 4 },
    ]);
  });

  it("are those of one location, the one seen last first, page by page", async () => {
    const { storage, owner, berlin, paris, add, list } = await scene();
    await add(["a", "b"], t0);
    await add(["c"], t0 + 1);
    await add(["a"], t0 + 2);
    await add(["elsewhere"], t0 + 3, "a", paris.id);
    expect(await list()).toEqual(["a", "c", "b"]);
    expect(await list({ page: 2, limit: 2 })).toEqual(["b"]);
    expect((await storage.agentErrors.list(owner.id + 1, berlin.id, page)).total).toBe(0);
  });

  it("are bounded: past 500 of a location those go that were not seen for longest", async () => {
    const { storage, owner, berlin, add } = await scene();
    const names = (from: number, count: number) => Array.from({ length: count }, (_, index) => `e${from + index}`);
    await add(["kept", ...names(0, 250)], t0);
    await add(names(250, 249), t0 + 1);
    await add(["kept", ...names(500, 40)], t0 + 2);
    const { items, total } = await storage.agentErrors.list(owner.id, berlin.id, { page: 1, limit: 1_000 });
    expect(total).toBe(500);
    expect(items.filter(({ lastSeenMs }) => lastSeenMs === t0)).toHaveLength(500 - 249 - 41);
    expect(items.find(({ message }) => message === "kept")?.count).toBe(2);
  });

  it("of two reports at once are both counted", async () => {
    const { storage, owner, berlin, add } = await scene();
    await Promise.all(Array.from({ length: 12 }, () => add(["b", "a", "c"])));
    const { items } = await storage.agentErrors.list(owner.id, berlin.id, page);
    expect(items.map(({ count }) => count)).toEqual([12, 12, 12]);
  });

  it("go when they are old, some at a time", async () => {
    const { storage, add, list } = await scene();
    await add(["a", "b", "c"], t0);
    await add(["d"], t0 + 10);
    expect(await storage.agentErrors.prune(t0 + 10, 2)).toBe(2);
    expect(await storage.agentErrors.prune(t0 + 10, 2)).toBe(1);
    expect(await storage.agentErrors.prune(t0 + 10, 2)).toBe(0);
    expect(await list()).toEqual(["d"]);
  });
});
