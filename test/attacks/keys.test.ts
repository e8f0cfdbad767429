import { afterEach, beforeEach, expect } from "vitest";
import { scopeOf, scopeResources } from "#contract/key-scopes.ts";
import { operations } from "#contract/operations.ts";
import { call } from "../control-plane/call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane/control-plane-under-test.ts";
import { Site } from "../support/site.ts";
import { attack } from "./attack.ts";

let plane: ControlPlaneUnderTest;
beforeEach(async () => {
  plane = await controlPlaneUnderTest();
});
afterEach(async () => {
  await plane[Symbol.asyncDispose]();
});

const limitedKey = async (limits: object): Promise<string> => {
  const { status, body } = await plane.call("POST", "/v1/api-keys", { body: { name: "Limited", role: "OWNER", ...limits } });
  expect(status).toBe(201);
  return body.rawKey;
};
const statusOf = async (key: string, method: string, path: string, body?: object): Promise<number> =>
  (await plane.call(method, path, { key, body })).status;

attack("D3", "a key that leaked is used after its last day", async (held) => {
  const key = await limitedKey({ expiresAt: new Date(plane.context.nowMs() + 60_000).toISOString() });
  expect(await statusOf(key, "GET", "/v1/checks")).toBe(200);
  plane.advance(60_000);
  expect(await plane.call("GET", "/v1/checks", { key })).toMatchObject({ status: 401, body: { message: "The key has expired" } });
  held("expiresAt, looked at for each request");
});

attack("D3", "a key that leaked is used from another network", async (held) => {
  const elsewhere = await limitedKey({ allowedNetworks: ["10.0.0.0/8", "2001:db8::/32"] });
  const here = await limitedKey({ allowedNetworks: ["127.0.0.0/8"] });
  expect(await plane.call("GET", "/v1/checks", { key: elsewhere })).toMatchObject({
    status: 403,
    body: { message: "The key may not be used from 127.0.0.1" },
  });
  expect(await statusOf(here, "GET", "/v1/checks")).toBe(200);
  held("allowedNetworks");
});

attack("D3", "a deployment's key reads variables and deletes checks", async (held) => {
  const key = await limitedKey({ scopes: ["checks:read", "triggers:run", "snippets:write"] });
  const found = {
    read: await statusOf(key, "GET", "/v1/checks"),
    write: await statusOf(key, "POST", "/v1/checks/api", {}),
    deletion: await statusOf(key, "DELETE", `/v1/checks/${crypto.randomUUID()}`),
    variables: await statusOf(key, "GET", "/v1/variables"),
    keys: await statusOf(key, "GET", "/v1/api-keys"),
    audit: await statusOf(key, "GET", "/v1/audit-log"),
    snippets: await statusOf(key, "GET", "/v1/snippets"),
    snippet: await statusOf(key, "POST", "/v1/snippets", { name: "own", script: "1" }),
  };
  expect(found).toEqual({
    read: 200,
    write: 403,
    deletion: 403,
    variables: 403,
    keys: 403,
    audit: 403,
    snippets: 200,
    snippet: 201,
  });
  held("scopes by resource and action");
});

attack("D3", "a limited key makes itself one without limits, or signs in to the console", async (held) => {
  for (const limits of [
    { expiresAt: "2099-01-01T00:00:00Z" },
    { allowedNetworks: ["127.0.0.1"] },
    { scopes: ["*:write"] },
    { scopes: ["api-keys:write"] },
  ]) {
    const key = await limitedKey(limits);
    expect(await plane.call("POST", "/v1/api-keys", { key, body: { name: "Free", role: "READ_ONLY" } })).toMatchObject({ status: 403 });
    const page = await fetch(`${plane.base}/sign-in`);
    const cookie = page.headers.getSetCookie().join("; ");
    const csrf = /name="csrf" value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    const signedIn = await fetch(`${plane.base}/sign-in`, {
      method: "POST",
      redirect: "manual",
      headers: { cookie: cookie.split(";")[0] ?? "", origin: plane.base, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ csrf, key }),
    });
    expect([signedIn.status, (await signedIn.text()).includes("This key has limits")]).toEqual([401, true]);
  }
  held("limited keys issue none, and are for programs only");
});

attack(
  "D3",
  "whoever asks for a key without saying what for gets an owner's",
  async (held) => {
    await using site = await Site.start();
    const made = await site.run("keys", "create");
    const key = made.stdout.trim();
    const found = {
      read: (await call(site.base, "GET", "/v1/checks", { key })).status,
      keys: (await call(site.base, "GET", "/v1/api-keys", { key })).status,
      write: (await call(site.base, "POST", "/v1/snippets", { key, body: { name: "own", script: "1" } })).status,
      run: (await call(site.base, "POST", "/v2/check-sessions/trigger", { key, body: {} })).status,
    };
    expect(found).toEqual({ read: 200, keys: 403, write: 403, run: 403 });
    expect(made.stderr).toContain("with the role READ_ONLY");
    // Over REST, too.
    const { body } = await call(site.base, "POST", "/v1/api-keys", { key: site.ownerKey, body: { name: "Something" } });
    expect(body).toMatchObject({ role: "READ_ONLY" });
    held("the command and the operation default to READ_ONLY");
  },
  60_000,
);

attack("D3", "a user key acts for every account of the installation", async (held) => {
  const { storage, nowMs } = plane.context;
  const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
  const key = await plane.keyFor("OWNER", plane.account.id, "user");
  const as = (uuid: string) => plane.call("GET", "/v1/checks", { key, headers: { "x-service-account": uuid } });
  expect((await as(other.uuid)).status).toBe(403);
  const listed = await plane.call("GET", "/v1/accounts", { key, headers: { "x-service-account": plane.account.uuid } });
  expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([plane.account.uuid]);
  // One that an older version stored without an account is nobody's.
  await storage.keys.create({
    id: "old",
    hash: plane.context.hashOf(`cu_${"0".repeat(32)}`),
    kind: "user",
    accountId: null,
    locationId: null,
    role: "OWNER",
    maskedKey: "...0000",
    name: "Old",
    createdAtMs: nowMs(),
    expiresAtMs: null,
    networks: null,
    scopes: null,
  });
  const old = await plane.call("GET", "/v1/checks", { key: `cu_${"0".repeat(32)}`, headers: { "x-service-account": other.uuid } });
  expect(old.status).toBe(401);
  held("every key is bound to one account");
});

attack("D3", "an area of the API that no scope names is open to every scope", (held) => {
  const areas = new Set(operations.filter(({ access }) => access !== "public").map((operation) => scopeOf(operation).resource));
  expect([...areas].toSorted()).toEqual([...scopeResources]);
  held("the list of scopes is held against the operations", `${areas.size} areas`);
});
