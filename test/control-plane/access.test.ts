import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Access, Operation } from "#contract/operation.ts";
import { agentOperations, operations } from "#contract/operations.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { FakeAgent } from "./fake-agent.ts";

const roles = ["READ_ONLY", "READ_RUN", "READ_WRITE", "ADMIN", "OWNER"] as const;
type Role = (typeof roles)[number];
/** Written out here and not taken from the code under test. */
const lowest = { read: "READ_ONLY", run: "READ_RUN", write: "READ_WRITE", admin: "ADMIN" } as const;
const rest: readonly Operation[] = operations;
const agents: readonly Operation[] = agentOperations;
const all: readonly Operation[] = [...rest, ...agents];
const missing = "00000000-0000-4000-8000-000000000000";
const pathOf = ({ path }: Operation, value = missing): string => path.replace("{attempt}", "1").replace(/\{\w+\}/g, value);
const bodyOf = ({ method }: Operation): object => (method === "GET" ? {} : { body: {} });
const needsRole = (access: Access): access is keyof typeof lowest => access in lowest;

describe("access", () => {
  let plane: ControlPlaneUnderTest;
  const keys = {} as Record<Role, string>;
  let locationKey = "";
  let sessionToken = "";
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    for (const role of roles) keys[role] = await plane.keyFor(role);
    locationKey = await plane.locationKey("eu-west-1");
    sessionToken = (await FakeAgent.open(plane.base, locationKey)).session.sessionToken;
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("is declared for every operation, and these alone are public", () => {
    expect(all.filter(({ access }) => access === undefined)).toEqual([]);
    expect(
      all
        .filter(({ access }) => access === "public")
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(["callCheckTrigger", "callGroupTrigger", "getCheckBadge", "getGroupBadge", "getRuntime", "listLocations", "listRuntimes"]);
    expect(all.length).toBeGreaterThan(150);
  });

  it.each(all.filter(({ access }) => access !== "public"))(
    "$id is refused without a key and with one that nobody issued",
    async (operation) => {
      for (const key of [undefined, "", "nonsense", `sv_${"0".repeat(32)}`, `as_${"0".repeat(32)}`, `pl_${"0".repeat(32)}`]) {
        const answer = await plane.call(operation.method, pathOf(operation), { key, ...bodyOf(operation) });
        expect(answer).toMatchObject({ status: 401, body: { statusCode: 401, error: "Unauthorized", message: "Bad Token" } });
      }
    },
  );

  it.each(rest.filter(({ access }) => needsRole(access)))("$id asks for its role ($access) and takes no agent's key", async (operation) => {
    for (const role of roles) {
      const { status } = await plane.call(operation.method, pathOf(operation), { key: keys[role], ...bodyOf(operation) });
      const allowed = roles.indexOf(role) >= roles.indexOf(lowest[operation.access as keyof typeof lowest]);
      expect([role, status === 403]).toEqual([role, !allowed]);
      expect(status).toBeLessThan(500);
    }
    for (const key of [locationKey, sessionToken]) {
      expect((await plane.call(operation.method, pathOf(operation), { key, ...bodyOf(operation) })).status).toBe(401);
    }
  });

  it.each(agents)("$id takes no user's key and not the other agent credential", async (operation) => {
    const other = operation.access === "agent-key" ? sessionToken : locationKey;
    for (const key of [keys.OWNER, other]) {
      expect((await plane.call(operation.method, pathOf(operation), { key, ...bodyOf(operation) })).status).toBe(401);
    }
  });

  it.each(rest.filter(({ access }) => access === "public"))("$id needs no key", async (operation) => {
    const { status } = await plane.call(operation.method, pathOf(operation), { key: undefined });
    expect([401, 403, 500]).not.toContain(status);
  });

  it("lets a user key act for the account that the header names, and for none without it", async () => {
    const key = await plane.keyFor("READ_ONLY", plane.account.id, "user");
    const named = { key, headers: { "x-service-account": plane.account.uuid } };
    expect((await plane.call("GET", "/v1/accounts/me", named)).body.id).toBe(plane.account.uuid);
    expect((await plane.call("GET", "/v1/checks", { key })).status).toBe(400);
    expect((await plane.call("GET", "/v1/accounts", { key })).body).toHaveLength(1);
    expect((await plane.call("GET", "/v1/checks", { key, headers: { "x-service-account": missing } })).status).toBe(403);
  });

  it("takes an empty account header as none", async () => {
    const empty = { "x-service-account": "", "x-checkly-account": "" };
    expect((await plane.call("GET", "/v1/checks", { headers: empty })).status).toBe(200);
    const key = await plane.keyFor("READ_ONLY", plane.account.id, "user");
    expect((await plane.call("GET", "/v1/checks", { key, headers: empty })).status).toBe(400);
    const named = { ...empty, "x-checkly-account": plane.account.uuid };
    expect((await plane.call("GET", "/v1/checks", { key, headers: named })).status).toBe(200);
  });

  it("stops a revoked location key and the sessions that it opened, and not those of the other key", async () => {
    const { body: place } = await plane.call("POST", "/v1/private-locations", { body: { name: "Lab", slugName: "revoked-lab" } });
    const [{ rawKey, id }] = place.keys;
    const { body: second } = await plane.call("POST", `/v1/private-locations/${place.id}/keys`);
    const agent = await FakeAgent.open(plane.base, rawKey);
    const kept = await FakeAgent.open(plane.base, second.rawKey);
    expect((await plane.call("DELETE", `/v1/private-locations/${place.id}/keys/${id}`)).status).toBe(204);
    plane.advance(5_001);
    expect((await FakeAgent.hello(plane.base, rawKey)).status).toBe(401);
    expect((await agent.send("POST", "/jobs/lease", { max: 1, waitSeconds: 0 })).status).toBe(401);
    expect((await kept.send("POST", "/jobs/lease", { max: 1, waitSeconds: 0 })).status).toBe(200);
  });
});

describe("accounts", () => {
  let plane: ControlPlaneUnderTest;
  let foreignKey = "";
  let foreignAccount = "";
  let checkId = "";
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    const { storage, nowMs } = plane.context;
    const other = await storage.accounts.create({ uuid: crypto.randomUUID(), name: "Other", runtimeId: "2026.04", nowMs: nowMs() });
    foreignAccount = other.uuid;
    foreignKey = await plane.keyFor("OWNER", other.id);
    await plane.call("POST", "/v1/private-locations", { body: { name: "Lab", slugName: "lab" } });
    ({
      body: { id: checkId },
    } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ tags: ["mine"] }) }));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it.each(rest.filter(({ access }) => access !== "public"))(
    "$id refuses a header that names another account than the key's",
    async (operation) => {
      const headers = { "x-service-account": foreignAccount };
      expect((await plane.call(operation.method, pathOf(operation), { headers, ...bodyOf(operation) })).status).toBe(403);
    },
  );

  it("cannot use each other's locations or checks in a body (E-01)", async () => {
    const slug = await plane.call("POST", "/v1/checks/api", {
      key: foreignKey,
      body: apiCheck({ locations: [], privateLocations: ["lab"] }),
    });
    expect(slug).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("lab"), attributes: { issues: [{ path: "privateLocations" }] } },
    });
    const trigger = await plane.call("POST", "/v1/check-sessions/trigger", {
      key: foreignKey,
      body: { target: { checkId } },
    });
    expect(trigger.status).toBe(404);
    for (const path of ["/v1/checks", "/v2/checks", "/v3/checks", "/v1/private-locations", "/v1/check-statuses"]) {
      expect((await plane.call("GET", path, { key: foreignKey })).body).toEqual([]);
    }
  });
});
