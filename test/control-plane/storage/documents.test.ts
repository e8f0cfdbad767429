import { describe, expect, it } from "vitest";
import { CheckGroupCreateV2 } from "#contract/check-groups.ts";
import { account, agent, check, lease, scene, start, t0, useEngines } from "./fixture.ts";

const engines = await useEngines();
const { alertChannelSubscriptions: _, ...groupDefaults } = CheckGroupCreateV2.parse({ name: "g" });
const groupSettings = { ...groupDefaults, privateLocations: null, environmentVariables: null };

describe.each(engines.names)("documents on %s", (engine) => {
  it("are found by number, uuid and name, in their account and kind only", async () => {
    const storage = await engines.open(engine);
    const [owner, other] = [await account(storage), await account(storage)];
    const { documents } = storage;
    const made = await documents.create({ accountId: owner.id, kind: "variable", name: "A", definition: { value: "x" }, nowMs: t0 });
    for (const address of [{ id: made.id }, { uuid: made.uuid }, { name: "A" }]) {
      expect(await documents.find(owner.id, "variable", address)).toEqual(made);
      expect(await documents.find(other.id, "variable", address)).toBeUndefined();
      expect(await documents.find(owner.id, "snippet", address)).toBeUndefined();
    }
    expect(await documents.byIds(owner.id, "variable", [made.id, made.id + 1])).toEqual([made]);
    expect(await documents.byIds(other.id, "variable", [made.id])).toEqual([]);
  });

  it("are listed in pages, after a number and newest first", async () => {
    const storage = await engines.open(engine);
    const { id: accountId } = await account(storage);
    const { documents } = storage;
    const ids: number[] = [];
    for (const n of [1, 2, 3, 4, 5])
      ids.push((await documents.create({ accountId, kind: "snippet", definition: { n }, nowMs: t0 + n })).id);
    const numbers = async (filter: object): Promise<unknown> => {
      const { items, total } = await documents.list<{ n: number }>(accountId, "snippet", filter);
      expect(total).toBe(5);
      return items.map(({ definition }) => definition.n);
    };
    expect(await numbers({})).toEqual([1, 2, 3, 4, 5]);
    expect(await numbers({ page: 2, limit: 2 })).toEqual([3, 4]);
    expect(await numbers({ newestFirst: true, limit: 2 })).toEqual([5, 4]);
    expect(await numbers({ newestFirst: true, after: ids[3], limit: 2 })).toEqual([3, 2]);
  });

  it("refuse a second document with a name or a claim, and change nothing then", async () => {
    const storage = await engines.open(engine);
    const [owner, other] = [await account(storage), await account(storage)];
    const { documents } = storage;
    const create = (accountId: number, name: string, claims: string[]) =>
      documents.create({ accountId, kind: "dashboard", name, claims, definition: { name }, nowMs: t0 });
    const first = await create(owner.id, "a", ["url:x"]);
    await expect(create(owner.id, "a", [])).rejects.toMatchObject({ code: "conflict", attributes: { taken: "a" } });
    await expect(create(other.id, "a", ["url:y", "url:x"])).rejects.toMatchObject({ code: "conflict", attributes: { taken: "url:x" } });
    expect((await documents.list(other.id, "dashboard")).total).toBe(0);
    const second = await create(other.id, "a", ["url:y"]);
    expect(await documents.byClaim("dashboard", "url:x")).toEqual(first);
    expect(await documents.byClaim("status-page", "url:x")).toBeUndefined();
    const rename = () => documents.update(other.id, "dashboard", { id: second.id }, () => ({ definition: {}, claims: ["url:x"] }), t0 + 1);
    await expect(rename()).rejects.toMatchObject({ code: "conflict" });
    expect(await documents.byClaim("dashboard", "url:y")).toEqual(second);
    expect(await documents.remove(owner.id, "dashboard", { id: first.id })).toBe(true);
    expect(await rename()).toMatchObject({ name: "a", definition: {}, updatedAtMs: t0 + 1 });
    expect(await documents.byClaim("dashboard", "url:y")).toBeUndefined();
  });

  it("are taken out of the groups and checks that name them, when they are snippets", async () => {
    const storage = await engines.open(engine);
    const { account: owner, berlin } = await scene(storage);
    const { documents } = storage;
    const snippet = async () => (await documents.create({ accountId: owner.id, kind: "snippet", definition: {}, nowMs: t0 })).id;
    const [gone, other] = [await snippet(), await snippet()];
    const settings = { ...groupSettings, setupSnippetId: gone, localSetupScript: null };
    const group = await storage.checkGroups.create({ accountId: owner.id, settings, locationIds: [], subscriptions: {}, nowMs: t0 });
    const checks = [
      { setupSnippetId: gone, tearDownSnippetId: other },
      { groupId: group.id },
      { tearDownSnippetId: gone, groupId: group.id, localTearDownScript: "1" },
      { setupSnippetId: Number(`${gone}0`), localSetupScript: `"tearDownSnippetId":${gone},` },
    ];
    const made = await Promise.all(checks.map((one) => check(storage, owner.id, [berlin.id], { name: "c", ...one })));
    const many = await Promise.all(Array.from({ length: 120 }, () => check(storage, owner.id, [berlin.id], { setupSnippetId: gone })));
    expect(await documents.remove(owner.id, "snippet", { id: gone })).toBe(true);
    const read = async (id: string) => (await storage.checks.byUuid(owner.id, id))?.definition;
    expect(await Promise.all(made.map(({ uuid }) => read(uuid)))).toMatchObject([
      { setupSnippetId: null, tearDownSnippetId: other },
      { groupId: group.id },
      { tearDownSnippetId: null, localTearDownScript: "1" },
      checks[3],
    ]);
    for (const { uuid } of many) expect(await read(uuid)).toMatchObject({ setupSnippetId: null });
    expect(await storage.checkGroups.byId(owner.id, group.id)).toEqual({ ...group, settings: { ...settings, setupSnippetId: null } });
    // What needs no script any more needs no runtime either.
    await lease(storage, await agent(storage, berlin, t0, []));
    for (const row of [...made, ...many.slice(-1)]) await start(storage, row, [berlin.id]);
    const jobs = await lease(storage, await agent(storage, berlin, t0, []));
    expect(new Set(jobs.map(({ check: { uuid } }) => uuid))).toEqual(new Set([made[1]?.uuid, many.at(-1)?.uuid]));
  });

  it("give a claim to one of many that ask at once", async () => {
    const storage = await engines.open(engine);
    const { id: accountId } = await account(storage);
    const create = () => storage.documents.create({ accountId, kind: "dashboard", claims: ["url:x"], definition: {}, nowMs: t0 });
    const outcomes = await Promise.allSettled(Array.from({ length: 50 }, create));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await storage.documents.list(accountId, "dashboard")).total).toBe(1);
  });

  it("go with their parent, and are changed under a lock", async () => {
    const storage = await engines.open(engine);
    const { id: accountId } = await account(storage);
    const { documents } = storage;
    const parent = await documents.create({ accountId, kind: "status-page", definition: { n: 0 }, nowMs: t0 });
    const child = await documents.create({ accountId, kind: "status-page-subscription", parentId: parent.id, definition: {}, nowMs: t0 });
    expect((await documents.list(accountId, "status-page-subscription", { parentId: parent.id })).items).toEqual([child]);
    const count = () =>
      documents.update<{ n: number }>(
        accountId,
        "status-page",
        { id: parent.id },
        ({ definition: { n } }) => ({ definition: { n: n + 1 } }),
        t0,
      );
    await Promise.all(Array.from({ length: 10 }, count));
    expect((await documents.find(accountId, "status-page", { uuid: parent.uuid }))?.definition).toEqual({ n: 10 });
    expect(await documents.remove(accountId, "status-page", { id: parent.id })).toBe(true);
    expect(await documents.remove(accountId, "status-page", { id: parent.id })).toBe(false);
    expect(await documents.find(accountId, "status-page-subscription", { id: child.id })).toBeUndefined();
  });

  it("are found by many uuids at once, in their account only", async () => {
    const storage = await engines.open(engine);
    const [owner, other] = [await account(storage), await account(storage)];
    const create = (accountId: number) => storage.documents.create({ accountId, kind: "status-page-service", definition: {}, nowMs: t0 });
    const [first, second, foreign] = [await create(owner.id), await create(owner.id), await create(other.id)];
    const uuids = [second.uuid, foreign.uuid, first.uuid, "no such thing"];
    expect(await storage.documents.byUuids(owner.id, "status-page-service", uuids)).toEqual([first, second]);
    expect(await storage.documents.byUuids(owner.id, "status-page", uuids)).toEqual([]);
    expect(await storage.documents.byUuids(owner.id, "status-page-service", [])).toEqual([]);
  });

  it("are listed while they are open", async () => {
    const storage = await engines.open(engine);
    const { id: accountId } = await account(storage);
    const { documents } = storage;
    const create = (open: boolean) => documents.create({ accountId, kind: "incident", definition: {}, open, nowMs: t0 });
    const [one, , three] = [await create(true), await create(false), await create(true)];
    const openIds = async () => (await documents.list(accountId, "incident", { open: true })).items.map(({ id }) => id);
    expect(await openIds()).toEqual([one.id, three.id]);
    await documents.update(accountId, "incident", { id: one.id }, () => ({ definition: {}, open: false }), t0);
    await documents.update(accountId, "incident", { id: three.id }, () => ({ definition: { n: 1 } }), t0);
    expect(await openIds()).toEqual([three.id]);
  });
});
