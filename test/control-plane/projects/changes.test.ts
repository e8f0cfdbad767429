import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { SqliteThread } from "../../../src/control-plane/storage/dialects/sqlite-thread.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

const engines = await enginesUnderTest();
afterAll(() => engines[Symbol.asyncDispose]());

describe.each(engines.list)("several changes together on $name", { timeout: 120_000 }, (engine) => {
  let plane: ControlPlaneUnderTest;
  beforeEach(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
  });
  afterEach(() => plane[Symbol.asyncDispose]());

  const apply = (calls: readonly object[], key = plane.ownerKey) => plane.call("POST", "/v1/changes", { key, body: { calls } });
  const group = { operation: "createCheckGroupV2", body: { name: "Shop", locations: ["eu-west-1"] } };
  const check = (changes: object = {}) => ({
    operation: "createCheck",
    query: { autoAssignAlerts: "false" },
    body: { checkType: "API", ...apiCheck(changes) },
  });
  const count = async (path: string): Promise<number> => (await plane.call("GET", path)).body.length;

  it("name objects that calls before them made", async () => {
    const channel = { operation: "createAlertChannel", body: { type: "EMAIL", config: { address: "ops@example.com" } } };
    const subscribed = { groupId: { $idOf: 0 }, alertChannelSubscriptions: [{ alertChannelId: { $idOf: 1 }, activated: true }] };
    const renamed = { operation: "updateCheckGroupV2", params: { id: { $idOf: 0 } }, body: { name: "Renamed" } };
    const { status, body } = await apply([group, channel, check(subscribed), renamed]);
    expect([status, body.ids.length]).toEqual([200, 4]);
    const [groupId, channelId, checkId] = body.ids;
    expect((await plane.call("GET", `/v1/checks/${checkId}`)).body).toMatchObject({
      groupId,
      alertChannelSubscriptions: [{ alertChannelId: channelId, activated: true }],
    });
    expect((await plane.call("GET", `/v1/check-groups/${groupId}`)).body.name).toBe("Renamed");
    const { entries } = (await plane.call("GET", "/v1/audit-log")).body;
    const names = entries.map(({ operation }: { operation: string }) => operation);
    expect(names).toEqual(expect.arrayContaining(["createCheckGroupV2", "createAlertChannel", "createCheck", "updateCheckGroupV2"]));
  });

  it("are all made or none, and the answer names the call that was refused", async () => {
    const missing = { operation: "deleteSnippet", params: { id: 4711 } };
    for (const [wrong, status] of [
      [check({ name: "" }), 400],
      [check({ groupId: 4711 }), 400],
      [missing, 409],
    ] as const) {
      const refused = await apply([group, check(), wrong]);
      expect([refused.status, refused.body.attributes.call]).toEqual([status, 2]);
      expect([await count("/v1/check-groups"), await count("/v1/checks")]).toEqual([0, 0]);
    }
    expect((await plane.call("GET", "/v1/audit-log")).body.entries).toEqual([]);
  });

  it("read what a call before them wrote, and nothing twice that none of them writes", async () => {
    const channel = {
      operation: "createAlertChannel",
      body: { type: "EMAIL", config: { address: "ops@example.com" }, autoSubscribe: true },
    };
    const unplaced = { ...check({ locations: [] }), query: { autoAssignAlerts: "true" } };
    const joining = (name: string) => ({ ...unplaced, body: { ...unplaced.body, name, groupId: { $idOf: 0 } } });
    const moved = { operation: "updateCheckGroupV2", params: { id: { $idOf: 0 } }, body: { name: "Shop", locations: ["us-east-1"] } };
    const emptied = { ...moved, body: { name: "Shop", locations: [] } };
    const before = [group, joining("One"), channel, joining("Two"), moved, joining("Three")];
    const refused = await apply([...before, emptied, joining("Four")]);
    expect([refused.status, refused.body.attributes.call]).toEqual([400, 6]); // its checks would run nowhere
    const { ids } = (await apply(before)).body;
    const [one, two, three] = await Promise.all([1, 3, 5].map(async (at) => (await plane.call("GET", `/v1/checks/${ids[at]}`)).body));
    const subscriptions = [one, two, three].map((made) => made.alertChannelSubscriptions.length);
    expect(subscriptions).toEqual([0, 1, 1]);
    expect(new Set([one, two, three].map(({ frequencyOffset }) => frequencyOffset)).size).toBe(3);

    await using seen = statements();
    const calls = Array.from({ length: 40 }, (_, index) => check({ name: `Together ${index}`, groupId: ids[0] }));
    expect((await apply(calls)).status).toBe(200);
    const read = (what: RegExp): number => seen.texts.filter((text) => what.test(text.replaceAll('"', ""))).length;
    expect(read(/^select .*group by frequency_offset/)).toBe(1);
    expect(read(/^select .*from (?:locations|documents) /)).toBeLessThan(10);
  });

  it("wait for nobody who waits for their end", async () => {
    const calls = Array.from({ length: 60 }, (_, index) => check({ name: `Together ${index}` }));
    const alone = async (): Promise<number> => {
      let status = 0;
      for (let index = 0; index < 10; index += 1)
        status = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ name: `Alone ${index}` }) })).status;
      return status;
    };
    const [together, one, two] = await Promise.all([apply(calls), alone(), alone()]);
    expect([together.status, one, two]).toEqual([200, 201, 201]);
    expect((await plane.call("GET", "/v1/checks?limit=1")).headers.get("content-range")).toMatch(/\/80$/);
  });

  it("let a project own only what the account has and no other project owns", async () => {
    const own = (resources: readonly object[], logicalId = "shop", calls: readonly object[] = []) =>
      plane.call("POST", "/v1/changes", { body: { calls, ownership: { project: { logicalId, name: "Shop" }, resources } } });
    const owned = (physicalId: unknown, logicalId = "front", type = "check") => ({ type, logicalId, physicalId });
    const made = await own([owned({ $idOf: 0 })], "shop", [check()]);
    expect(made.status).toBe(200);
    const [id] = made.body.ids;
    const stranger = await plane.context.storage.accounts.create({
      uuid: crypto.randomUUID(),
      name: "Strangers",
      runtimeId: "2026.04",
      nowMs: 0,
    });
    const strangers = { key: await plane.keyFor("READ_WRITE", stranger.id) };
    const foreign = (await plane.call("POST", "/v1/checks/api", { ...strangers, body: apiCheck({ name: "Theirs" }) })).body.id;
    for (const [resources, project, status] of [
      [[owned(foreign)], "shop", 400],
      [[owned({ $idOf: 4 })], "shop", 400],
      [[owned(id), owned(id, "again")], "shop", 400],
      [[owned(id)], "other", 409],
    ] as const)
      expect((await own(resources, project)).status).toBe(status);
    const { owner } = (await plane.call("GET", `/v2/checks/${id}`)).body.projectBindings;
    expect(owner).toMatchObject({ project: { logicalId: "shop" }, binding: { logicalId: "front" } });
    expect((await plane.call("GET", "/next/projects")).body.length).toBe(1); // that of a refusal is gone again
    const deployment = {
      project: { logicalId: "code", name: "Code" },
      resources: [{ type: "check-group", logicalId: "g", payload: { v: 2, name: "G" } }],
    };
    expect((await plane.call("POST", "/next-v2/projects/deploy?dryRun=false", { body: deployment })).status).toBe(200);
    expect((await own([], "code")).status).toBe(409);
    // Who may write single objects alone takes none for a project.
    const { rawKey } = (await plane.call("POST", "/v1/api-keys", { body: { name: "C", role: "READ_WRITE", scopes: ["checks:write"] } }))
      .body;
    expect((await plane.call("POST", "/v1/changes", { key: rawKey, body: { calls: [] } })).status).toBe(403);
  });

  it("are nothing but what the caller may do alone", async () => {
    expect((await apply([group], await plane.keyFor("READ_RUN"))).status).toBe(403);
    expect((await apply([{ operation: "updateOwnAccount", body: { name: "Mine" } }], await plane.keyFor("READ_WRITE"))).status).toBe(403);
    const limited = { name: "Pages", role: "READ_WRITE", scopes: ["projects:write", "check-groups:write"] };
    const { rawKey } = (await plane.call("POST", "/v1/api-keys", { body: limited })).body;
    expect((await apply([group], rawKey)).status).toBe(200);
    expect((await apply([check()], rawKey)).status).toBe(403);
    // The same holds for deployments of code, and their end.
    const deployed = (own: object) => ({ project: { logicalId: "code", name: "Code" }, resources: [{ logicalId: "one", ...own }] });
    const deploy = (own: object, key: string) => plane.call("POST", "/next-v2/projects/deploy?dryRun=true", { key, body: deployed(own) });
    const [groupOfCode, checkOfCode] = [
      { type: "check-group", payload: { v: 2, ...group.body } },
      { type: "check", payload: check().body },
    ];
    expect((await deploy(groupOfCode, rawKey)).status).toBe(200);
    const refused = await deploy(checkOfCode, rawKey);
    expect([refused.status, refused.body.message]).toEqual([403, 'check "one": The key lacks the scope checks:write']);
    const made = await plane.call("POST", "/next-v2/projects/deploy?dryRun=false", { body: deployed(checkOfCode) });
    expect(made.status).toBe(200);
    expect((await plane.call("DELETE", "/v1/projects/code?dryRun=true", { key: rawKey })).status).toBe(403);
    const plan = { filters: [{ type: "include" }], friends: [] };
    expect((await plane.call("POST", "/next/projects/code/imports", { key: rawKey, body: plan })).status).toBe(403);
    for (const operation of ["createApiKey", "deleteAccount", "applyChanges", "nothing"])
      expect((await apply([{ operation, body: {} }])).status).toBe(400);
  });
});

/** What both drivers are asked from now on. */
function statements(): AsyncDisposable & { readonly texts: readonly string[] } {
  const texts: string[] = [];
  const [run, query] = [Reflect.get(SqliteThread.prototype, "run"), Reflect.get(pg.Client.prototype, "query")];
  const onSqlite = vi.spyOn(SqliteThread.prototype, "run").mockImplementation(function (this: SqliteThread, ...args) {
    texts.push(args[0]);
    return Reflect.apply(run, this, args);
  });
  const onPostgres = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [first] = args;
    texts.push(typeof first === "string" ? first : String(Reflect.get(Object(first), "text")));
    return Reflect.apply(query, this, args);
  });
  return {
    texts,
    async [Symbol.asyncDispose]() {
      onSqlite.mockRestore();
      onPostgres.mockRestore();
    },
  };
}
