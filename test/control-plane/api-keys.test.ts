import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeyUses } from "../../src/control-plane/audit/key-uses.ts";
import { keysTable } from "../../src/control-plane/commands/keys-table.ts";
import type { NotedEntry } from "../../src/control-plane/storage/audit-store.ts";
import type { KeyPlace, KeyRow, Role } from "../../src/control-plane/storage/storage.ts";
import { logOf } from "../agent/agent-under-test.ts";
import { enginesUnderTest } from "../support/engines.ts";
import { Site } from "../support/site.ts";
import { call } from "./call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "./control-plane-under-test.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("API keys on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  beforeEach(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
  });
  afterEach(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (body: object, key = plane.ownerKey) => plane.call("POST", "/v1/api-keys", { key, body });

  it("are shown whole once, and work until they are revoked, which counts at once", async () => {
    const made = await create({ name: "CI", role: "READ_RUN", id: "ignored" });
    expect(made).toMatchObject({ status: 201, body: { name: "CI", role: "READ_RUN", kind: "service", lastUsedAt: null } });
    const { rawKey, ...shown } = made.body;
    expect(rawKey).toMatch(/^sv_[0-9a-f]{32}$/);
    expect(shown.maskedKey).toBe(`...${rawKey.slice(-4)}`);
    const { body: listed } = await plane.call("GET", "/v1/api-keys");
    expect(listed).toEqual([expect.objectContaining({ name: "First key", role: "OWNER" }), shown]);
    expect((await plane.call("GET", "/v1/checks", { key: rawKey })).status).toBe(200);
    expect((await plane.call("DELETE", `/v1/api-keys/${shown.id.toUpperCase()}`)).status).toBe(204);
    expect((await plane.call("GET", "/v1/checks", { key: rawKey })).status).toBe(401);
    expect((await plane.call("DELETE", `/v1/api-keys/${shown.id}`)).status).toBe(404);
    expect(plane.logLines.join("")).not.toContain(rawKey);
  });

  it("of a user need the header and act for no account but that of their maker", async () => {
    const { body } = await create({ name: "Ann", role: "READ_ONLY", kind: "user" });
    expect(body.rawKey).toMatch(/^cu_/);
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const as = (uuid: string) => plane.call("GET", "/v1/checks", { key: body.rawKey, headers: { "x-service-account": uuid } });
    expect((await as(plane.account.uuid)).status).toBe(200);
    expect((await as(other.uuid)).status).toBe(403);
    expect((await plane.call("GET", "/v1/checks", { key: body.rawKey })).status).toBe(400);
  });

  it("are given out and revoked by keys of the same role or a higher one, from ADMIN up", async () => {
    const admin = await plane.keyFor("ADMIN");
    const statuses = async (key: string) => {
      const roles: readonly Role[] = ["OWNER", "ADMIN", "READ_WRITE", "READ_RUN", "READ_ONLY"];
      return Promise.all(roles.map(async (role) => (await create({ name: role, role }, key)).status));
    };
    expect(await statuses(plane.ownerKey)).toEqual([201, 201, 201, 201, 201]);
    expect(await statuses(admin)).toEqual([403, 201, 201, 201, 201]);
    expect(await statuses(await plane.keyFor("READ_WRITE"))).toEqual([403, 403, 403, 403, 403]);
    const { body: keys } = await plane.call("GET", "/v1/api-keys");
    const owner = keys.find(({ name }: { name: string }) => name === "First key");
    expect(await plane.call("DELETE", `/v1/api-keys/${owner.id}`, { key: admin })).toMatchObject({
      status: 403,
      body: { message: "The role ADMIN may not revoke a key with the role OWNER" },
    });
  });

  it("of role OWNER are never all gone, also where the last two are revoked at once", async () => {
    await create({ name: "Second", role: "OWNER" });
    const { body: keys } = await plane.call("GET", "/v1/api-keys");
    const answers = await Promise.all(keys.map(({ id }: { id: string }) => plane.call("DELETE", `/v1/api-keys/${id}`)));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 409]);
    expect(await plane.context.storage.keys.ofAccount(plane.account.id)).toMatchObject([{ role: "OWNER" }]);
  });

  it("of another account are not there", async () => {
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    const foreign = await plane.keyFor("OWNER", other.id);
    const { body: keys } = await plane.call("GET", "/v1/api-keys");
    expect((await plane.call("DELETE", `/v1/api-keys/${keys[0].id}`, { key: foreign })).status).toBe(404);
    expect((await plane.call("GET", "/v1/api-keys", { key: foreign })).body).toMatchObject([{ role: "OWNER" }]);
    expect((await plane.call("GET", "/v1/api-keys")).status).toBe(200);
  });

  it("tell when they were used last", async () => {
    const { keys } = plane.context.storage;
    const { body: made } = await create({ name: "CI", role: "READ_ONLY" });
    await keys.markUsed(new Map([[made.id, Date.UTC(2026, 0, 31)]]));
    const { body: listed } = await plane.call("GET", "/v1/api-keys");
    expect(listed.map(({ lastUsedAt }: { lastUsedAt: string | null }) => lastUsedAt)).toEqual([null, "2026-01-31T00:00:00.000Z"]);
  });
});

describe("uses of keys", () => {
  const untold = { store: { append: async () => undefined }, countUnnamedNetworks: () => undefined };

  it("are written together, by key the last one, and again where writing failed", async () => {
    const written: ReadonlyMap<string, number>[] = [];
    let now = 1;
    let fails = true;
    const keys = {
      markUsed: async (uses: ReadonlyMap<string, number>) => {
        if (fails) throw new Error("away");
        written.push(uses);
      },
      addPlaces: async () => [],
      countNewNetworks: async () => 0,
    };
    const { log, lines } = logOf();
    const uses = createKeyUses({ ...untold, keys, lines: { write: () => undefined }, nowMs: () => now, log });
    const key = (id: string) => ({ id }) as KeyRow; // nothing else of it is used
    uses.note(key("a"));
    await uses.start();
    await eventually(async () => lines.length === 1);
    fails = false;
    now = 2;
    uses.note(key("a"));
    uses.note(key("b"));
    await uses.stop(AbortSignal.timeout(1_000));
    expect(written).toEqual([
      new Map([
        ["a", 2],
        ["b", 2],
      ]),
    ]);
  });

  it("tell a new network by a later turn where the store could not take it", async () => {
    const tries: (readonly KeyPlace[])[] = [];
    const keys = {
      markUsed: async () => undefined,
      addPlaces: async (places: readonly KeyPlace[]) => {
        tries.push(places);
        if (tries.length === 1) throw new Error("away");
        return places;
      },
      countNewNetworks: async () => 0,
    };
    const told: NotedEntry[] = [];
    const { log, lines } = logOf();
    const uses = createKeyUses({ ...untold, keys, lines: { write: (entry) => void told.push(entry) }, nowMs: () => 1, log });
    const key = { id: "a", accountId: 7, maskedKey: "...abcd", kind: "service", role: "OWNER" } as KeyRow; // nothing else of it is used
    const request = { id: "r", ip: "192.0.2.7", url: "/v1/checks?page=1", method: "GET" };
    uses.note(key, request);
    await uses.start();
    await eventually(async () => lines.length === 1);
    expect(told).toEqual([]);
    uses.note(key, request);
    await uses.stop(AbortSignal.timeout(1_000));
    expect(tries.at(-1)).toMatchObject([{ keyId: "a", network: "192.0.2.7", entry: { accountId: 7, operation: "useKeyFromNewAddress" } }]);
    expect(told).toMatchObject([{ request: { remoteAddress: "192.0.2.7", path: "/v1/checks" } }]);
  });

  it("are noted of every request that a key makes", async () => {
    const databaseUrl = await engines.list.at(-1)?.databaseUrl();
    const env = {
      KEY_PEPPER: "p".repeat(32),
      ENCRYPTION_KEY: "e0".repeat(32),
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    };
    await using watcher = await controlPlaneUnderTest(env);
    if (databaseUrl === undefined) return; // two processes need PostgreSQL
    const first = await controlPlaneUnderTest(env);
    await call(first.base, "GET", "/v1/checks", { key: watcher.ownerKey });
    await first[Symbol.asyncDispose](); // what was noted is written when it stops
    expect((await watcher.context.storage.keys.ofAccount(watcher.account.id))[0]?.lastUsedAtMs).toBeGreaterThan(Date.now() - 60_000);
  });
});

describe.each(engines.list)("a key's first use from a network on $name", ({ databaseUrl }) => {
  it("is told when the control plane stops at once, in the log and as a line, and never again", { timeout: 90_000 }, async () => {
    const url = await databaseUrl();
    await using site = await Site.start({ databaseUrl: url, env: { TRUSTED_PROXIES: "127.0.0.1", AUDIT_OUTPUT: "stdout" } });
    let lines = "";
    const useAndStop = async (address: string) => {
      const headers = { authorization: `Bearer ${site.ownerKey}`, "x-forwarded-for": address };
      expect((await fetch(`${site.base}/v1/checks`, { headers })).status).toBe(200);
      site.controlPlane.signal("SIGTERM");
      expect(await site.controlPlane.exit()).toBe(0);
      lines += site.controlPlane.stdout;
      await site.startControlPlane();
    };
    await useAndStop("192.0.2.7");
    await useAndStop("192.0.2.7");
    const { entries } = await site.api<{ entries: object[] }>("GET", "/v1/audit-log?operation=useKeyFromNewAddress");
    expect(entries).toMatchObject([
      { remoteAddress: "192.0.2.7", path: "/v1/checks", actor: { maskedKey: `...${site.ownerKey.slice(-4)}` } },
    ]);
    expect(lines.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(lines)).toMatchObject({ type: "audit", operation: "useKeyFromNewAddress", remoteAddress: "192.0.2.7" });
  });
});

describe("wrong keys", () => {
  it("are answered 429 after too many from an address, while right keys from there are served", async () => {
    await using plane = await controlPlaneUnderTest({ RATE_LIMIT_WRONG_KEYS: "3/60" });
    const guess = () => plane.call("GET", "/v1/checks", { key: `sv_${"0".repeat(32)}` });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await guess()).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const refused = await guess();
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(50);
    expect(refused.body.message).toBe('More than 3 requests in 60 seconds (limit "wrong-keys")');
    expect((await plane.call("GET", "/v1/checks")).status).toBe(200);
    expect((await plane.call("GET", "/v1/checks", { key: await plane.keyFor("READ_ONLY") })).status).toBe(200);
    expect((await plane.call("POST", "/agent/v1/jobs/lease", { key: `as_${"0".repeat(32)}`, body: {} })).status).toBe(401);
    plane.advance(60_000);
    expect((await guess()).status).toBe(401);
  });
});

describe("the table of keys", () => {
  it("has a line for each, and nothing in a name moves the cursor", () => {
    const key = {
      id: "4b3a2918-07f6-45e4-a3d2-c1b0a9f8e7b0",
      name: "CI\n\u001b[2J",
      kind: "service",
      role: "READ_RUN",
      maskedKey: "...a1b2",
      created_at: "2026-01-31T12:34:56.000Z",
      lastUsedAt: null,
      expiresAt: null,
      allowedNetworks: null,
      scopes: null,
    } as const;
    const limited = { expiresAt: "2026-03-01T00:00:00.000Z", allowedNetworks: ["10.0.0.0/8"], scopes: ["checks:read"] };
    expect(keysTable([key, { ...key, ...limited, name: "Ann", role: "OWNER", lastUsedAt: "2026-02-01T00:00:00.000Z" }])).toBe(
      `${[
        "ID                                    KEY      ROLE      KIND     CREATED            LAST USED          EXPIRES            LIMITS                  NAME",
        "4b3a2918-07f6-45e4-a3d2-c1b0a9f8e7b0  ...a1b2  READ_RUN  service  2026-01-31 12:34Z  never              never              -                       CI��[2J",
        "4b3a2918-07f6-45e4-a3d2-c1b0a9f8e7b0  ...a1b2  OWNER     service  2026-01-31 12:34Z  2026-02-01 00:00Z  2026-03-01 00:00Z  checks:read,10.0.0.0/8  Ann",
      ].join("\n")}\n`,
    );
  });
});
