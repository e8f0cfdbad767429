import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Operation } from "#contract/operation.ts";
import { createAuditWriter } from "../../src/control-plane/audit/write-audit.ts";
import { createAuthenticate, createKnownKeys } from "../../src/control-plane/http/authenticate.ts";
import { handler } from "../../src/control-plane/http/handler.ts";
import { logOf } from "../agent/agent-under-test.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";
import { httpServer } from "./http/http-server.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

interface Entry {
  readonly operation: string;
  readonly path: string;
}

describe.each(engines.list)("the audit log on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  beforeEach(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const log = async (query = "limit=100") => (await plane.call("GET", `/v1/audit-log?${query}`)).body;
  const operations = async (query?: string): Promise<string[]> => (await log(query)).entries.map(({ operation }: Entry) => operation);

  it("says who changed what and when, and nothing of what was sent to make it", async () => {
    const key = await plane.keyFor("READ_WRITE");
    const { body: check } = await plane.call("POST", "/v1/checks/api?autoAssignAlerts=false", {
      key,
      headers: { "x-request-id": "deploy-17" },
      body: apiCheck({ name: "Orders", [`secret-name`]: 1, tags: ["hunter2"] }),
    });
    await plane.call("PUT", `/v1/checks/api/${check.id}`, { key, body: { muted: true } });
    await plane.call("DELETE", `/v1/checks/${check.id}`, { key });
    const { entries, length, nextId } = await log();
    expect([length, nextId]).toEqual([3, null]);
    const actor = {
      type: "key",
      kind: "service",
      role: "READ_WRITE",
      maskedKey: `...${key.slice(-4)}`,
      keyId: expect.any(String),
      userId: null,
      userName: null,
    };
    const changed = (field: string, before: string | null, after: string | null) => ({ field, before, after, hidden: false });
    expect(entries).toEqual([
      expect.objectContaining({
        operation: "deleteCheck",
        method: "DELETE",
        path: `/v1/checks/${check.id}`,
        status: 204,
        fields: [],
        changes: [changed("name", "Orders", null)],
      }),
      expect.objectContaining({
        operation: "updateApiCheck",
        resourceId: check.id,
        fields: ["muted"],
        status: 200,
        changes: [changed("muted", "false", "true")],
      }),
      {
        id: expect.any(String),
        created_at: expect.any(String),
        actor,
        operation: "createApiCheck",
        method: "POST",
        path: "/v1/checks/api",
        resourceId: check.id,
        fields: expect.arrayContaining(["name", "locations", "request", "frequency"]),
        changes: [],
        status: 201,
        requestId: "deploy-17",
        remoteAddress: "127.0.0.1",
      },
    ]);
    const other = (await plane.call("POST", "/v1/checks/api", { key, body: apiCheck({ name: "Other" }) })).body.id;
    expect(await operations(`resourceId=${check.id}`)).toEqual(["deleteCheck", "updateApiCheck", "createApiCheck"]);
    expect(await operations(`resourceId=${other}&operation=updateApiCheck`)).toEqual([]);
    expect(JSON.stringify(entries)).not.toMatch(/hunter2|secret-name|autoAssign/);
    expect(JSON.stringify(entries)).not.toContain(key);
  });

  it("says what a change made of each field, by REST and by code, and of what may be secret only that it changed", async () => {
    const canary = "canary-4711-secret";
    const request = (no: number) => ({
      method: "GET",
      url: `https://user${no}:${canary}@shop.example/${no}?token=${canary}${no}#${canary}`,
      headers: [{ key: "X-Plain", value: `${canary}${no}` }],
      queryParameters: [{ key: "q", value: `${canary}${no}`, locked: true }],
      basicAuth: { username: `${canary}${no}`, password: `${canary}${no}` },
      body: `${canary}${no}`,
      assertions: [
        { source: "STATUS_CODE", property: "", comparison: "EQUALS", target: String(200 + no) },
        { source: "HEADERS", property: "x", comparison: "EQUALS", target: `${canary}${no}` },
      ],
    });
    const body = (no: number) =>
      apiCheck({
        name: `Name ${no}`,
        tags: ["a", `b${no}`],
        request: request(no),
        environmentVariables: [{ key: "K", value: `${canary}${no}`, locked: no === 1 }],
        localSetupScript: `// ${canary}${no}`,
      });
    const { id } = (await plane.call("POST", "/v1/checks/api", { body: body(1) })).body;
    expect((await plane.call("PUT", `/v1/checks/api/${id}`, { body: body(2) })).status).toBe(200);
    const call = { operation: "updateCheck", params: { id }, body: body(3) };
    expect((await plane.call("POST", "/v1/changes", { body: { calls: [call] } })).status).toBe(200);
    const variable = { key: "PASS", value: canary, secret: true };
    await plane.call("POST", "/v1/variables", { body: variable });
    await plane.call("PUT", "/v1/variables/PASS", { body: { key: "PASS", value: `${canary}2` } });
    const channel = (no: number) => ({
      type: "WEBHOOK",
      config: { name: "Hook", url: `https://hook.example/${canary}${no}`, method: "POST" },
    });
    const hook = (await plane.call("POST", "/v1/alert-channels", { body: channel(1) })).body.id;
    await plane.call("PUT", `/v1/alert-channels/${hook}`, { body: { ...channel(2), sendRecovery: false } });
    const { entries } = await log();
    const updates = entries.filter(({ operation }: Entry) => operation === "updateApiCheck" || operation === "updateCheck");
    expect(updates).toHaveLength(2);
    for (const [index, { changes }] of updates.toReversed().entries()) {
      const no = index + 2;
      const shown = (field: string, before: string, after: string) => ({ field, before, after, hidden: false });
      const hidden = (field: string) => ({ field, before: null, after: null, hidden: true });
      expect(changes).toEqual(
        expect.arrayContaining([
          shown("name", `Name ${no - 1}`, `Name ${no}`),
          shown("tags", `a, b${no - 1}`, `a, b${no}`),
          shown("request.url", `https://shop.example/${no - 1}?…`, `https://shop.example/${no}?…`),
          shown("request.assertions[0].target", String(199 + no), String(200 + no)),
          hidden("request.assertions[1].target"),
          hidden("request.headers[0].value"),
          hidden("request.body"),
          hidden("localSetupScript"),
        ]),
      );
    }
    const ofChannel = entries.find(({ operation }: Entry) => operation === "updateAlertChannel").changes;
    expect(ofChannel).toEqual(expect.arrayContaining([{ field: "sendRecovery", before: "true", after: "false", hidden: false }]));
    expect(JSON.stringify(entries)).not.toContain("canary");
    const { audit } = plane.context.storage;
    expect(JSON.stringify(await audit.list(plane.account.id, { limit: 100 }))).not.toContain("canary");
  });

  it("keeps a bounded part of a large change, and nothing in the form of a well-known token", async () => {
    const { id } = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ tags: ["x"] }) })).body;
    const token = `ghp_${"a1".repeat(18)}`;
    const tags = Array.from({ length: 90 }, (_, no) => `tag-${no}`);
    await plane.call("PUT", `/v1/checks/api/${id}`, { body: { tags, name: token } });
    const [{ changes }] = (await log()).entries;
    const byField = new Map(changes.map((one: { readonly field: string }) => [one.field, one]));
    expect(byField.get("name")).toEqual({ field: "name", before: null, after: null, hidden: true });
    expect(byField.get("tags")).toMatchObject({ before: "x", after: expect.stringMatching(/^tag-0, .{100,160}…$/) });
    expect(JSON.stringify(changes).length).toBeLessThan(10_000);
  });

  it("has refusals of rights apart, and leaves out what was only read and what made no sense", async () => {
    await plane.call("GET", "/v1/checks");
    await plane.call("POST", "/v1/checks/api", { body: {} });
    await plane.call("DELETE", `/v1/checks/${crypto.randomUUID()}`);
    await plane.call("POST", "/v1/api-keys", { key: await plane.keyFor("READ_ONLY"), body: { name: "x", role: "OWNER" } });
    expect(await operations("refused=false")).toEqual([]);
    expect(await operations("refused=true")).toEqual(["createApiKey"]);
  });

  it("is read by cursor, newest first, also where entries share a millisecond", async () => {
    const { audit } = plane.context.storage;
    const atMs = Date.now() - 1_000;
    const entry = { accountId: plane.account.id, atMs, resourceId: null, fields: [], actor: null, request: null };
    await Promise.all(Array.from({ length: 25 }, (_, n) => audit.append({ ...entry, operation: `op${n}` })));
    await audit.append({ ...entry, atMs: atMs - 1, operation: "older" });
    const seen: string[] = [];
    let next = "";
    do {
      const page = await log(`limit=10${next}`);
      seen.push(...page.entries.map(({ operation }: Entry) => operation));
      next = page.nextId === null ? "" : `&nextId=${page.nextId}`;
    } while (next !== "");
    expect(seen).toHaveLength(26);
    expect(new Set(seen).size).toBe(26);
    expect(seen.at(-1)).toBe("older");
    expect(await operations(`from=${atMs}&limit=100`)).toHaveLength(25);
    expect(await operations(`to=${atMs}`)).toEqual(["older"]);
    expect(await operations("operation=op7")).toEqual(["op7"]);
    expect(await operations("operation=op7,op9")).toEqual(["op9", "op7"]);
  });

  it("tells a key's changes, is an ADMIN's to read, and never another account's", async () => {
    const { body: key } = await plane.call("POST", "/v1/api-keys", { body: { name: "CI", role: "ADMIN" } });
    await plane.call("POST", "/v1/api-keys", { key: key.rawKey, body: { name: "Reader", role: "READ_ONLY" } });
    expect((await log(`keyId=${key.id}`)).entries).toMatchObject([{ operation: "createApiKey", actor: { keyId: key.id } }]);
    expect((await plane.call("GET", "/v1/audit-log", { key: key.rawKey })).status).toBe(200);
    expect((await plane.call("GET", "/v1/audit-log", { key: await plane.keyFor("READ_WRITE") })).status).toBe(403);
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    expect((await plane.call("GET", "/v1/audit-log", { key: await plane.keyFor("ADMIN", other.id) })).body.entries).toEqual([]);
  });

  it("answers 400 to what no query may hold", async () => {
    const queries = ["nextId=x", "nextId=1", "nextId=1-2-3", "from=x", "limit=0", "limit=101"];
    const statuses = await Promise.all(queries.map(async (query) => [query, (await plane.call("GET", `/v1/audit-log?${query}`)).status]));
    expect(statuses).toEqual(queries.map((query) => [query, 400]));
  });

  it("forgets the oldest entries, some at a time", async () => {
    const { audit } = plane.context.storage;
    const entry = { accountId: plane.account.id, operation: "x", resourceId: null, fields: [], actor: null, request: null };
    const now = Date.now(); // older ones would be pruned by the control plane itself
    for (const afterMs of [3, 1, 2]) await audit.append({ ...entry, atMs: now + afterMs, operation: `after${afterMs}` });
    expect([await audit.prune(now + 3, 1), await audit.prune(now + 3, 10)]).toEqual([1, 1]);
    expect(await operations()).toEqual(["after3"]);
  });
});

describe("the audit log of a control plane", () => {
  it("is pruned by AUDIT_KEEP_DAYS", async () => {
    const databaseUrl = await engines.list.at(-1)?.databaseUrl();
    const env = {
      AUDIT_KEEP_DAYS: "2",
      KEY_PEPPER: "p".repeat(32),
      ENCRYPTION_KEY: "e0".repeat(32),
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    };
    await using plane = await controlPlaneUnderTest(env);
    if (databaseUrl === undefined) return; // two processes need PostgreSQL
    const { audit } = plane.context.storage;
    const entry = { accountId: plane.account.id, resourceId: null, fields: [], actor: null, request: null };
    await audit.append({ ...entry, operation: "old", atMs: Date.now() - 2 * 86_400_000 - 60_000 });
    await audit.append({ ...entry, operation: "young", atMs: Date.now() - 2 * 86_400_000 + 600_000 });
    await using second = await controlPlaneUnderTest(env); // its first turn prunes
    const left = await eventually(async () => {
      const entries = await second.context.storage.audit.list(plane.account.id, { limit: 10 });
      return entries.length === 1 && entries;
    });
    expect(left.map(({ operation }) => operation)).toEqual(["young"]);
  });

  it("is needed: a change that it cannot take is told as an error of ours, which no client tries again", async () => {
    await using plane = await controlPlaneUnderTest();
    const { context } = plane;
    const touch = {
      id: "touch",
      method: "POST",
      path: "/touch",
      tag: "T",
      summary: "s",
      access: "write",
      rateLimit: "none",
      output: z.object({ id: z.string() }),
      successStatus: 200,
    } as const satisfies Operation;
    const { keys, accounts, locations, agents } = context.storage;
    const authenticate = createAuthenticate({
      keys,
      accounts,
      locations,
      agents,
      hashOf: context.hashOf,
      nowMs: context.nowMs,
      knownKeys: createKnownKeys({ keys, nowMs: context.nowMs }),
      noteUse: () => undefined,
      note: () => undefined,
      accountHeaders: ["x-service-account"],
    });
    const audit = () => Promise.reject(new Error("disk full"));
    await using http = await httpServer([handler(touch, async () => ({ id: "1" }))], { authenticate, audit });
    expect(await http.call("POST", "/touch", { key: plane.ownerKey })).toMatchObject({ status: 500 });
  });

  it("is told a sign-in from an address that sent a flood of refusals, in each account", async () => {
    const written: string[] = [];
    const writer = createAuditWriter({
      store: { append: async ({ accountId, operation }) => void written.push(`${operation} ${accountId}`) },
      lines: { write: () => undefined },
      countDroppedNotes: () => undefined,
      nowMs: Date.now,
      log: logOf().log,
    });
    const request = (status: number) => ({ method: "POST", path: "/sign-in", status, requestId: "x", remoteAddress: "192.0.2.1" });
    const entry = { atMs: 1, resourceId: null, fields: [], actor: null };
    for (let n = 0; n < 1_000; n += 1) writer.note({ ...entry, accountId: 1, operation: "refused", request: request(401) });
    writer.note({ ...entry, accountId: 2, operation: "refused", request: request(401) });
    writer.note({ ...entry, accountId: 1, operation: "signIn", request: request(303) });
    await writer.stop(AbortSignal.timeout(1_000));
    expect(written.filter((one) => one === "refused 1")).toHaveLength(30);
    expect(written.slice(-2)).toEqual(["refused 2", "signIn 1"]);
  });

  it("leaves what it cannot take in the log of the process", async () => {
    const { log, lines } = logOf();
    const append = () => Promise.reject(new Error("disk full"));
    const entry = { accountId: 1, atMs: 1, operation: "deleteCheck", resourceId: null, fields: [], actor: null, request: null };
    const writer = createAuditWriter({
      store: { append },
      lines: { write: () => undefined },
      countDroppedNotes: () => undefined,
      nowMs: Date.now,
      log,
    });
    await expect(writer.audit(entry)).rejects.toThrow("deleteCheck is done, but");
    expect(lines).toMatchObject([{ entry, msg: "could not write a change to the audit log" }]);
  });
});
