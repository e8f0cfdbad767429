import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";

describe("check groups", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write" });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = async (changes: object = {}, version = "v2") => {
    const { status, body } = await plane.call("POST", `/${version}/check-groups`, { body: { name: "Checkout", ...changes } });
    expect(status).toBe(201);
    return body;
  };
  const createCheck = async (changes: object) => (await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) })).body;
  const get = (id: number) => plane.call("GET", `/v1/check-groups/${id}`);

  it("come back with every default, which v1 enforces and v2 leaves to the checks", async () => {
    const shared = {
      name: "Checkout",
      activated: true,
      muted: false,
      tags: [],
      locations: [],
      concurrency: 3,
      apiCheckDefaults: { url: "", headers: [], queryParameters: [], assertions: [] },
      environmentVariables: null,
      alertChannelSubscriptions: [],
      runtimeId: null,
      retryStrategy: "FALLBACK",
      updated_at: null,
    };
    const v1 = await create({}, "v1");
    expect(v1).toMatchObject({
      ...shared,
      doubleCheck: true,
      useGlobalAlertSettings: true,
      runParallel: false,
      alertSettings: { escalationType: "RUN_BASED", runBasedEscalation: { failedRunThreshold: 1 } },
    });
    const v2 = await create();
    expect(v2).toMatchObject({ ...shared, doubleCheck: false, useGlobalAlertSettings: null, runParallel: null, alertSettings: null });
    expect(v2.id).toBeGreaterThan(v1.id);
    expect((await get(v2.id)).body).toEqual({ ...v2, projectBindings: { owner: null, references: [] } });
  });

  it("are replaced by PUT: what is left out takes its default, only the name may stay in v1", async () => {
    const { id } = await create({ tags: ["a"], concurrency: 7, retryStrategy: { type: "FIXED" } });
    const v1 = await plane.call("PUT", `/v1/check-groups/${id}`, { body: { muted: true, retryStrategy: null } });
    expect(v1).toMatchObject({
      status: 200,
      body: { id, name: "Checkout", muted: true, tags: [], concurrency: 3, retryStrategy: null, runParallel: false },
    });
    expect(v1.body.updated_at).not.toBeNull();
    expect((await plane.call("PUT", `/v2/check-groups/${id}`, { body: {} })).status).toBe(400);
    const v2 = await plane.call("PUT", `/v2/check-groups/${id}`, { body: { name: "New", retryStrategy: null } });
    expect(v2.body).toMatchObject({ name: "New", muted: false, runParallel: null, retryStrategy: null });
    expect((await plane.call("PUT", `/v2/check-groups/${id}`, { body: { name: "New" } })).body.retryStrategy).toBe("FALLBACK");
  });

  it.each([
    ["no name", { name: undefined }, "name"],
    ["a concurrency below 1", { concurrency: 0 }, "concurrency"],
    ["an unknown private location", { privateLocations: ["nowhere"] }, "privateLocations"],
    ["a data center among the private locations", { privateLocations: ["eu-west-1"] }, "privateLocations"],
    ["an unknown data center", { locations: ["mars-1"] }, "locations[0]"],
    [
      "an alert channel that is not there",
      { alertChannelSubscriptions: [{ alertChannelId: 987 }] },
      "alertChannelSubscriptions[0].alertChannelId",
    ],
    ["a snippet that is not there", { tearDownSnippetId: 987 }, "tearDownSnippetId"],
    [
      "asterisks for a variable that is no secret",
      { environmentVariables: [{ key: "A", value: "********", secret: false }] },
      "environmentVariables[0].value",
    ],
    [
      "more than a hundred variables",
      { environmentVariables: Array.from({ length: 101 }, (_, i) => ({ key: `k${i}`, value: "" })) },
      "environmentVariables",
    ],
    [
      "an assertion that cannot be evaluated",
      { apiCheckDefaults: { assertions: [{ source: "JSON_BODY", comparison: "EQUALS", property: "$[" }] } },
      "apiCheckDefaults.assertions[0]",
    ],
  ])("are refused with %s, naming the field", async (_case, changes, path) => {
    const { status, body } = await plane.call("POST", "/v2/check-groups", { body: { name: "x", ...changes } });
    expect(status).toBe(400);
    expect(body.attributes.issues.map((issue: { path: string }) => issue.path)).toContain(path);
  });

  it("are listed by page, tag and name", async () => {
    const ids: number[] = [];
    for (const [name, tag] of [
      ["one, two", "listed"],
      ["three", "listed"],
      ["three", "else"],
    ] as const)
      ids.push((await create({ name, tags: [tag] })).id);
    const list = async (query: string) => {
      const { body, headers } = await plane.call("GET", `/v1/check-groups?${query}`);
      return [body.map(({ id }: { id: number }) => ids.indexOf(id)), headers.get("content-range")];
    };
    expect(await list("tag=listed")).toEqual([[0, 1], "items 0-1/2"]);
    expect(await list("tag=listed&limit=1&page=2")).toEqual([[1], "items 1-1/2"]);
    expect(await list("name=three&name=one, two")).toEqual([[0, 1, 2], "items 0-2/3"]);
    expect(await list("tag=nowhere")).toEqual([[], "items */0"]);
  });

  it("show locked headers and parameters of their settings for requests to keys from READ_WRITE on alone", async () => {
    const entry = { key: "X-Token", value: "for-writers", locked: true };
    const apiCheckDefaults = { headers: [entry, { key: "X-Open", value: "seen" }], queryParameters: [entry] };
    const { id } = await create({ apiCheckDefaults });
    const readBy = async (role: "READ_ONLY" | "READ_RUN" | "READ_WRITE", path: string): Promise<string> =>
      (await plane.call("GET", path, { key: await plane.keyFor(role) })).text;
    for (const path of [`/v1/check-groups/${id}`, "/v1/check-groups?limit=100"]) {
      expect(await readBy("READ_ONLY", path)).not.toContain("for-writers");
      expect(await readBy("READ_RUN", path)).not.toContain("for-writers");
      expect(await readBy("READ_ONLY", path)).toContain("seen");
      expect(await readBy("READ_WRITE", path)).toContain("for-writers");
    }
  });

  it("keep a secret to themselves, also when it comes back as it was read", async () => {
    const variables = [
      { key: "TOKEN", value: "s3cret-of-group", secret: true },
      { key: "OPEN", value: "seen" },
      { key: "LOCKED", value: "for-writers", locked: true },
    ];
    const { id, ...group } = await create({ environmentVariables: variables });
    const values = (body: { environmentVariables: { value: string }[] }) => body.environmentVariables.map(({ value }) => value);
    expect(values(group)).toEqual(["********", "seen", "for-writers"]);
    const readOnly = await plane.call("GET", `/v1/check-groups/${id}`, { key: await plane.keyFor("READ_ONLY") });
    expect(values(readOnly.body)).toEqual(["********", "seen", "********"]);
    const sealed = async () =>
      (await plane.context.storage.checkGroups.byId(plane.account.id, id))?.settings.environmentVariables?.map((one) => one.sealed);
    const [before] = (await sealed()) ?? [];
    const uuid = (await plane.context.storage.checkGroups.byId(plane.account.id, id))?.uuid ?? "";
    const place = { kind: "check-group", accountId: plane.account.id, row: uuid, field: "environmentVariables.TOKEN" };
    expect(plane.controlPlane.sealing.unseal(before ?? "", place)).toBe("s3cret-of-group");
    const put = await plane.call("PUT", `/v2/check-groups/${id}`, { body: { ...group, name: "renamed" } });
    expect(put.status).toBe(200);
    const isSealed = expect.stringMatching(/^sealed:/) as unknown;
    expect(await sealed()).toEqual([before, undefined, isSealed]);
    expect(plane.logLines.join()).not.toContain("s3cret-of-group");
    for (const variable of [
      { key: "NEW", value: "********", secret: true },
      { key: "TOKEN", value: "********", secret: false },
    ]) {
      const refused = await plane.call("PUT", `/v2/check-groups/${id}`, { body: { ...group, environmentVariables: [variable] } });
      expect(refused.body.attributes.issues[0].path).toBe("environmentVariables[0].value");
    }
    expect(await sealed()).toEqual([before, undefined, isSealed]);
  });

  it("list their checks, which name them, and stay while they have any", async () => {
    const [group, other] = [await create(), await create()];
    const checks = [await createCheck({ groupId: group.id }), await createCheck({ groupId: group.id })];
    for (const version of ["v1", "v2"]) {
      const list = await plane.call("GET", `/${version}/check-groups/${group.id}/checks?limit=1&page=2`);
      expect(list.body).toEqual([{ id: checks[1].id, checkType: "API" }]);
      expect(list.headers.get("content-range")).toBe("items 1-1/2");
      expect((await plane.call("GET", `/${version}/check-groups/${group.id}/checks/${checks[0].id}`)).body).toEqual({
        id: checks[0].id,
        checkType: "API",
      });
      expect((await plane.call("GET", `/${version}/check-groups/${other.id}/checks/${checks[0].id}`)).status).toBe(404);
      expect((await plane.call("GET", `/${version}/check-groups/${group.id + 1000}/checks`)).status).toBe(404);
    }
    expect((await plane.call("DELETE", `/v1/check-groups/${group.id}`)).status).toBe(409);
    for (const { id } of checks) await plane.call("PUT", `/v1/checks/api/${id}`, { body: { groupId: null } });
    expect((await plane.call("DELETE", `/v1/check-groups/${group.id}`)).status).toBe(204);
    expect((await plane.call("DELETE", `/v1/check-groups/${group.id}`)).status).toBe(404);
    expect((await plane.call("PUT", `/v1/check-groups/${group.id}`, { body: {} })).status).toBe(404);
  });

  it("are as absent as missing ones for another account", async () => {
    const account = await plane.context.storage.accounts.create({
      uuid: crypto.randomUUID(),
      name: "other",
      runtimeId: "2026.04",
      nowMs: Date.now(),
    });
    const key = await plane.keyFor("OWNER", account.id);
    const { id } = await create();
    const paths = [`/v1/check-groups/${id}`, `/v1/check-groups/${id}/checks`, `/v1/triggers/check-groups/${id}`];
    for (const path of paths) expect((await plane.call("GET", path, { key })).status).toBe(404);
    expect((await plane.call("PUT", `/v1/check-groups/${id}`, { key, body: {} })).status).toBe(404);
    expect((await plane.call("DELETE", `/v1/check-groups/${id}`, { key })).status).toBe(404);
    const check = await plane.call("POST", "/v1/checks/api", { key, body: apiCheck({ groupId: id }) });
    expect(check).toMatchObject({ status: 400, body: { attributes: { issues: [{ path: "groupId" }] } } });
  });

  it("give their checks a place to run, which cannot be taken from them", async () => {
    const group = await create({ locations: ["us-east-1"] });
    const bare = await createCheck({ groupId: group.id, locations: [] });
    expect(bare).toMatchObject({ groupId: group.id, locations: [] });
    const refused = await plane.call("PUT", `/v2/check-groups/${group.id}`, { body: { name: "x" } });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining(bare.id) } });
    const left = await plane.call("PUT", `/v1/checks/api/${bare.id}`, { body: { groupId: null } });
    expect(left).toMatchObject({ status: 400, body: { attributes: { issues: [{ path: "locations" }] } } });
  });

  it("show what they make of a check only where a read asks for it", async () => {
    const group = await create({
      muted: true,
      tags: ["theirs"],
      locations: ["us-east-1"],
      retryStrategy: { type: "FIXED" },
      apiCheckDefaults: { headers: [{ key: "x-team", value: "payments" }], basicAuth: { username: "u", password: "p" } },
    });
    const own = { tags: ["own"], locations: ["eu-west-1"], muted: false };
    const { id } = await createCheck({ groupId: group.id, ...own });
    const applied = {
      tags: ["own", "theirs"],
      locations: ["us-east-1"],
      muted: true,
      retryStrategy: { type: "FIXED" },
      request: { headers: [{ key: "x-team", value: "payments" }], basicAuth: { username: "u", password: "p" } },
    };
    for (const version of ["v1", "v2", "v3"]) {
      expect((await plane.call("GET", `/${version}/checks/${id}`)).body).toMatchObject(own);
      expect((await plane.call("GET", `/${version}/checks/${id}?applyGroupSettings=true`)).body).toMatchObject(applied);
      const list = await plane.call("GET", `/${version}/checks?applyGroupSettings=true&tag=own`);
      expect(list.body.find((check: { id: string }) => check.id === id)).toMatchObject(applied);
    }
  });

  it("reach the agent with each job", async () => {
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("ap-south-1"));
    const group = await create({
      tags: ["jobs"],
      locations: ["ap-south-1"],
      runtimeId: "2025.04",
      retryStrategy: { type: "LINEAR", maxRetries: 4 },
      apiCheckDefaults: {
        queryParameters: [{ key: "q", value: "1" }],
        assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", target: "204" }],
      },
    });
    const { id } = await createCheck({ groupId: group.id, locations: ["eu-west-1"] });
    const trigger = async (matchTags: string[][]) => plane.call("POST", "/v2/check-sessions/trigger", { body: { target: { matchTags } } });
    expect((await trigger([["jobs"]])).body.sessions).toMatchObject([
      { checkId: id, runLocations: ["ap-south-1"], runSource: "TRIGGER_API" },
    ]);
    const [job] = await agent.lease();
    expect(job?.payload).toMatchObject({
      runtimeId: "2025.04",
      retryStrategy: { type: "LINEAR", maxRetries: 4 },
      settings: { request: { queryParameters: [{ key: "q", value: "1" }], assertions: [{ target: "204" }] } },
    });
    await plane.call("PUT", `/v2/check-groups/${group.id}`, { body: { ...group, activated: false } });
    expect((await trigger([["jobs"]])).status).toBe(404);
    expect((await trigger([["!jobs", "own of nobody"]])).status).toBe(404);
  });
});
