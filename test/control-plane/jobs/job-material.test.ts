import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import type { AccountRow, DocumentKind } from "../../../src/control-plane/storage/storage.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});
const get = (url: string, more: object = {}) => ({ request: { method: "GET", url, ...more } });

describe.each(engines.list)("what jobs bring on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  let agent: FakeAgent;
  /** Of the test, so that it has no other's variables. */
  let account: AccountRow;
  let key: string;
  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    const able = { checkTypes: ["API", "URL", "TCP", "GRPC"], runtimes: ["2026.04"], sandboxLevel: 2 };
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), able);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    const { accounts } = plane.context.storage;
    account = await accounts.create({ uuid: crypto.randomUUID(), name: "of a test", runtimeId: "2026.04", nowMs: Date.now() });
    key = await plane.keyFor("OWNER", account.id);
  });
  const send = (method: string, path: string, body?: object) => plane.call(method, path, { key, ...(body !== undefined && { body }) });

  async function made(path: string, body: object): Promise<LeasedJob["payload"] & { readonly id: number }> {
    const answer = await send("POST", path, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  }
  const check = async (changes: object): Promise<string> =>
    String((await made("/v1/checks/api", apiCheck({ locations: ["eu-west-1"], ...changes }))).id);
  const snippet = async (name: string, script: string): Promise<number> => (await made("/v1/snippets", { name, script })).id;
  const group = async (changes: object): Promise<number> => (await made("/v2/check-groups", { name: "a group", ...changes })).id;
  const variable = (key: string, value: string, flags: object = {}) => made("/v1/variables", { key, value, ...flags });

  /** What the next run of a check brings. */
  async function materialOf(checkId: string): Promise<LeasedJob["payload"]["material"]> {
    await send("POST", "/v1/check-sessions/trigger", { target: { checkId } });
    const [job] = (await agent.lease(100, 5)).filter(({ payload }) => payload.checkId === checkId);
    expect(job).toBeDefined();
    return job?.payload.material;
  }

  it("is nothing where a check needs nothing, whatever its account has", async () => {
    await variable("TOKEN", "s3cret", { secret: true });
    await snippet("login", "1");
    expect(await materialOf(await check(get("http://127.0.0.1/{a}")))).toBeUndefined();
  });

  it("are the variables that a template names, and no others, opened", async () => {
    await variable("HOST", "example.com");
    await variable("TOKEN", "s3cret", { secret: true });
    await variable("LOCKED", "for-few", { locked: true });
    await variable("UNUSED", "n0t-for-this", { secret: true });
    const headers = [{ key: "x-token", value: "{{TOKEN}} {{{LOCKED}}} {{MISSING}}" }];
    const material = await materialOf(await check(get("https://{{HOST}}/", { headers })));
    expect(material).toEqual({
      setup: [],
      teardown: [],
      snippets: {},
      variables: [
        { key: "HOST", value: "example.com", isSecret: false },
        { key: "TOKEN", value: "s3cret", isSecret: true },
        { key: "LOCKED", value: "for-few", isSecret: true },
      ],
      groupBaseUrl: null,
      certificates: [],
    });
  });

  it("are scripts of the group and the check in their order, with all variables by level", async () => {
    await variable("A", "account");
    await variable("B", "account");
    const groupId = await group({
      localSetupScript: "group setup",
      localTearDownScript: "group teardown",
      apiCheckDefaults: { url: "https://base.example.com" },
      environmentVariables: [{ key: "B", value: "group", secret: true }],
    });
    const setupSnippetId = await snippet("sign", "snippet setup");
    const id = await check({ groupId, setupSnippetId, localSetupScript: "never", localTearDownScript: "check teardown" });
    expect(await materialOf(id)).toMatchObject({
      setup: [
        { name: "group setup script", code: "group setup" },
        { name: "setup snippet sign", code: "snippet setup" },
      ],
      teardown: [
        { name: "teardown script", code: "check teardown" },
        { name: "group teardown script", code: "group teardown" },
      ],
      variables: [
        { key: "B", value: "group", isSecret: true },
        { key: "A", value: "account", isSecret: false },
      ],
      groupBaseUrl: "https://base.example.com",
    });
  });

  it("are the group's address and variables for a template, too", async () => {
    const apiCheckDefaults = { url: "https://base.example.com" };
    const groupId = await group({ apiCheckDefaults, localSetupScript: " ", environmentVariables: [{ key: "ID", value: "7" }] });
    const material = await materialOf(await check({ groupId, ...get("{{GROUP_BASE_URL}}/{{ID}}") }));
    expect(material).toMatchObject({ groupBaseUrl: "https://base.example.com", variables: [{ key: "ID", value: "7" }], setup: [] });
  });

  it("are the variables that the group's address asks for, where the request has it", async () => {
    await variable("HOST", "example.com");
    const groupId = await group({ apiCheckDefaults: { url: "https://{{HOST}}" } });
    expect((await materialOf(await check({ groupId, ...get("{{GROUP_BASE_URL}}/") })))?.variables).toMatchObject([{ key: "HOST" }]);
    expect(await materialOf(await check({ groupId, ...get("http://127.0.0.1/{a}") }))).toBeUndefined();
  });

  it("are the snippets that scripts read, the newest of a name", async () => {
    await snippet("sign", "old");
    await snippet("sign", 'require("./hmac")');
    await snippet("hmac", "exports.hmac = 1");
    await snippet("unused", "1");
    const material = await materialOf(await check({ localSetupScript: 'const { sign } = require("./snippets/sign.js")' }));
    expect(material?.snippets).toEqual({ sign: 'require("./hmac")', hmac: "exports.hmac = 1" });
  });

  it("lacks a snippet that was deleted", async () => {
    const setupSnippetId = await snippet("gone", "1");
    const id = await check({ setupSnippetId });
    expect(await materialOf(id)).toMatchObject({ setup: [{ name: "setup snippet gone" }] });
    expect((await send("DELETE", `/v1/snippets/${setupSnippetId}`)).status).toBe(204);
    expect(await materialOf(id)).toBeUndefined();
  });

  it("is a script that fails with a sentence, where its snippet was deleted while the check was written", async () => {
    const setupSnippetId = 999_999;
    const id = await check({});
    const { storage } = plane.context;
    const row = await storage.checks.byUuid(account.id, id);
    if (row === undefined) throw new Error("the check is gone");
    const schedule = { periodMs: 0, phaseMs: 0, nextDueMs: null };
    const change = { definition: { ...row.definition, setupSnippetId }, locationIds: row.locationIds, schedule, nowMs: Date.now() };
    await storage.checks.update(account.id, id, change);
    const [script] = (await materialOf(id))?.setup ?? [];
    expect(script?.name).toBe(`setup snippet ${setupSnippetId}`);
    expect(() => runInNewContext(script?.code ?? "")).toThrow(
      `The snippet ${setupSnippetId} was deleted: name another one for the setup of the check`,
    );
  });

  it("follows a change at once", async () => {
    await variable("HOST", "one.example.com");
    const id = await check(get("https://{{HOST}}/"));
    expect((await materialOf(id))?.variables).toEqual([{ key: "HOST", value: "one.example.com", isSecret: false }]);
    await send("PUT", "/v1/variables/HOST", { value: "two.example.com" });
    expect((await materialOf(id))?.variables).toEqual([{ key: "HOST", value: "two.example.com", isSecret: false }]);
    await send("DELETE", "/v1/variables/HOST");
    expect(await materialOf(id)).toBeUndefined();
  });

  it("comes with the check as it is now: changed, put into a group, and with a secret", async () => {
    const [id, groupId] = [
      await check(get("http://127.0.0.1/one")),
      await group({ apiCheckDefaults: { url: "", headers: [{ key: "x-of", value: "the group" }] } }),
    ];
    const next = async (): Promise<LeasedJob["payload"] | undefined> => {
      await send("POST", "/v1/check-sessions/trigger", { target: { checkId: id } });
      return (await agent.lease(100, 5)).find(({ payload }) => payload.checkId === id)?.payload;
    };
    const change = async (changes: object): Promise<LeasedJob["payload"] | undefined> => {
      expect((await send("PUT", `/v1/checks/api/${id}`, changes)).status).toBe(200);
      return next();
    };
    expect(await next()).toMatchObject({ settings: { request: { url: "http://127.0.0.1/one", headers: [] } }, isAwaited: true });
    expect(await change(get("http://127.0.0.1/two"))).toMatchObject({ settings: { request: { url: "http://127.0.0.1/two" } } });
    const ofGroup = { settings: { request: { headers: [{ key: "x-of", value: "the group" }] } } };
    expect(await change({ groupId })).toMatchObject(ofGroup);
    expect(await send("PUT", `/v2/check-groups/${groupId}`, { name: "a group", apiCheckDefaults: { url: "", headers: [] } })).toMatchObject(
      { status: 200 },
    );
    expect(await next()).toMatchObject({ settings: { request: { headers: [] } } });
    for (const value of ["s3cret one", "s3cret two"]) {
      const headers = [{ key: "x-key", value, locked: true }];
      expect(await change({ groupId: null, ...get("http://127.0.0.1/two", { headers }) })).toMatchObject({
        settings: { request: { headers } },
      });
    }
  });

  it("are the certificates of the request's host, their keys in the clear", async () => {
    using certificates = makeCertificates();
    const { cert, key: privateKey } = certificates.pair("good");
    for (const host of ["a.example.com", "*.example.com", "other.example.org"])
      await made("/v1/client-certificates", { host, cert, key: privateKey });
    const exact = await materialOf(await check(get("https://a.example.com/")));
    expect(exact?.certificates).toEqual(
      ["*.example.com", "a.example.com"].map((host) => ({ host, cert, ca: null, key: privateKey, passphrase: null })),
    );
    const any = await materialOf(await check({ ...get("https://b.example.org/"), localSetupScript: "request.url = 1" }));
    expect(any?.certificates.map(({ host }) => host)).toEqual(["other.example.org", "*.example.com", "a.example.com"]);
    expect(await materialOf(await check(get("https://b.example.org/")))).toBeUndefined();
    const afterwards = await materialOf(await check({ ...get("https://b.example.org/"), localTearDownScript: "request.url = 1" }));
    expect(afterwards?.certificates).toEqual([]);
  });

  it("are variables and certificates of a gRPC monitor by its host, certificates only over TLS", async () => {
    using certificates = makeCertificates();
    const { cert, key: privateKey } = certificates.pair("good");
    for (const host of ["a.example.com", "::1"]) await made("/v1/client-certificates", { host, cert, key: privateKey });
    await variable("TOKEN", "s3cret", { secret: true });
    const call = async (url: string, grpcConfig: object = {}) => {
      const request = { url, grpcConfig: { service: "a.B", method: "C", ...grpcConfig } };
      return materialOf(String((await made("/v1/checks/grpc", { name: "a call", locations: ["eu-west-1"], request })).id));
    };
    const hosts = async (...given: Parameters<typeof call>) => (await call(...given))?.certificates.map(({ host }) => host);
    expect(await hosts("a.example.com")).toEqual(["a.example.com"]);
    expect(await hosts("::1")).toEqual(["::1"]);
    expect(await hosts("{{HOST}}.example.com")).toEqual(["::1", "a.example.com"]);
    expect(await hosts("b.example.com")).toBeUndefined();
    expect(await hosts("a.example.com", { tls: false })).toBeUndefined();
    const metadata = [{ key: "authorization", value: "Bearer {{TOKEN}}" }];
    expect((await call("b.example.com", { metadata }))?.variables).toEqual([{ key: "TOKEN", value: "s3cret", isSecret: true }]);
  });

  it("are variables of a test session first", async () => {
    await variable("HOST", "account");
    const id = await check(get("https://{{HOST}}/"));
    const environmentVariables = [{ key: "HOST", value: "session", secret: true }];
    const session = { name: "a session", runLocation: "eu-west-1", target: { checkId: [id] }, environmentVariables };
    expect((await send("POST", "/v1/test-sessions/trigger", session)).status).toBe(201);
    const [job] = (await agent.lease(100, 5)).filter(({ payload }) => payload.checkId === id);
    expect(job?.payload.material?.variables).toEqual([{ key: "HOST", value: "session", isSecret: true }]);
  });

  it("leaves out a value that is lost, says which, and runs", async () => {
    await variable("TOKEN", "s3cret", { secret: true });
    await variable("HOST", "example.com");
    const { documents } = plane.context.storage;
    const change = ({ definition }: { definition: { value: string } }) => ({
      definition: { ...definition, value: definition.value.replace(/.{8}$/, "AAAAAAAA") },
    });
    await documents.update<{ value: string }>(account.id, "variable", { name: "TOKEN" }, change, 1);
    const id = await check(get("https://{{HOST}}/{{TOKEN}}"));
    for (let run = 0; run < 3; run += 1) {
      expect(await materialOf(id)).toMatchObject({ variables: [{ key: "HOST" }], lostVariables: ["TOKEN"] });
    }
    expect(plane.logLines.filter((line) => line.includes("cannot decrypt a secret")).length).toBeLessThanOrEqual(2); // once a minute
  });

  it("has no secret that was moved to where another one stood", async () => {
    await variable("TOKEN", "s3cret", { secret: true });
    await variable("SHOWN", "other", { secret: true });
    const { documents } = plane.context.storage;
    const token = await documents.find<{ value: string }>(account.id, "variable", { name: "TOKEN" });
    const moved = { value: token?.definition.value ?? "", locked: false, secret: true };
    await documents.update(account.id, "variable", { name: "SHOWN" }, () => ({ definition: moved }), 1);
    const material = await materialOf(await check(get("https://a.example/{{SHOWN}}")));
    expect(material).toMatchObject({ variables: [], lostVariables: ["SHOWN"] });
  });

  it("is bounded, whatever its account has: snippets, variables and certificates", { timeout: 120_000 }, async () => {
    const { documents } = plane.context.storage;
    const add = (kind: DocumentKind, name: string | null, definition: object, uuid: string = crypto.randomUUID()) =>
      documents.create({ uuid, accountId: account.id, kind, ...(name !== null && { name }), definition, nowMs: Date.now() });
    const sealedFor = (uuid: string) =>
      plane.controlPlane.sealing.seal("key", { kind: "client-certificate", accountId: account.id, row: uuid, field: "key" });
    for (let index = 0; index < 20; index += 1) {
      await add("snippet", null, { name: `s${index}`, script: `/* ${"x".repeat(262_000)} */` });
      for (const part of ["A", "B", "C"])
        await add("variable", `V${index}${part}`, { value: "v".repeat(32_768), locked: false, secret: false });
      const [uuid, cert] = [crypto.randomUUID(), "c".repeat(300_000)];
      await add("client-certificate", null, { host: `h${index}.example`, cert, ca: null, key: sealedFor(uuid), passphrase: null }, uuid);
    }
    const material = await materialOf(await check({ localSetupScript: 'require("./snippets/" + name)' }));
    const sizeOf = (part: unknown): number => JSON.stringify(part).length;
    expect([sizeOf(material?.snippets), sizeOf(material?.variables)].filter((size) => size > 1_100_000)).toEqual([]);
    expect([material?.variables.length, material?.certificates.length]).toEqual([31, 13]);
    expect(sizeOf(material)).toBeLessThan(6_500_000);
  });

  it("is a script by its number, however many came after it", { timeout: 120_000 }, async () => {
    const setupSnippetId = await snippet("first", "the first");
    const { documents } = plane.context.storage;
    const script = `/* ${"x".repeat(262_000)} */`;
    for (let index = 0; index < 70; index += 1) {
      const definition = { name: `later ${index}`, script };
      await documents.create({ accountId: account.id, kind: "snippet", definition, nowMs: Date.now() });
    }
    const localTearDownScript = 'require("./snippets/later 69.js"); require("./snippets/first.js")';
    const material = await materialOf(await check({ setupSnippetId, localTearDownScript }));
    expect(material).toMatchObject({ setup: [{ name: "setup snippet first", code: "the first" }] });
    expect(Object.keys(material?.snippets ?? {})).toEqual(["later 69"]);
  });

  it("of many jobs is no larger than an agent reads; the others come with the next answer", { timeout: 120_000 }, async () => {
    const long = await snippet("long", `/* ${"x".repeat(262_000)} */`);
    const scripts = { setupSnippetId: long, tearDownSnippetId: long };
    const groupId = await group({ ...scripts, concurrency: 100 });
    const ids: string[] = [];
    for (let index = 0; index < 18; index += 1) ids.push(await check({ ...scripts, groupId }));
    await send("POST", "/v2/check-sessions/trigger", { target: { checkId: ids } });
    const told = new Set<string>();
    const sizes: number[] = [];
    while (told.size < ids.length) {
      const jobs = await agent.lease(100, 5);
      expect(jobs.length).toBeGreaterThan(0);
      sizes.push(JSON.stringify(jobs).length);
      // Checks of other tests may be due at this location, too.
      for (const { payload } of jobs.filter(({ payload }) => ids.includes(payload.checkId))) told.add(payload.checkId);
    }
    expect(Math.max(...sizes)).toBeLessThan(17_000_000);
    expect(sizes.length).toBeGreaterThan(1);
  });

  it("is no script for other types, and only what their templates name", async () => {
    await variable("HOST", "example.com");
    const groupId = await group({ localSetupScript: "group setup" });
    const url = { name: "a monitor", locations: ["eu-west-1"], groupId, request: { url: "https://{{HOST}}/" } };
    const { id } = await made("/v1/checks/url", url);
    const material = await materialOf(String(id));
    expect(material).toMatchObject({ setup: [], variables: [{ key: "HOST", value: "example.com" }] });
  });

  it("never has a secret that stands readable in the store or the log", async () => {
    await variable("TOKEN", "s3cret-canary", { secret: true });
    const groupId = await group({ environmentVariables: [{ key: "OF_GROUP", value: "gr0up-canary", secret: true }] });
    const material = await materialOf(await check({ groupId, localSetupScript: "1" }));
    expect(material?.variables.map(({ value }) => value)).toEqual(["gr0up-canary", "s3cret-canary"]);
    const { items } = await plane.context.storage.documents.list(account.id, "variable");
    const stored = JSON.stringify([items, await plane.context.storage.checkGroups.byId(account.id, groupId)]);
    expect(stored).not.toContain("canary");
    expect(plane.logLines.join("")).not.toContain("canary");
  });
});
