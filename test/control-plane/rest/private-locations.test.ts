import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";

describe("private locations", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (slugName: string) => plane.call("POST", "/v1/private-locations", { body: { name: "Lab", slugName } });

  it("show their first key once and later only its end", async () => {
    const { status, body } = await create("first");
    expect(status).toBe(201);
    const [key] = body.keys;
    expect(key.rawKey).toMatch(/^pl_[0-9a-f]{32}$/);
    const read = await plane.call("GET", `/v1/private-locations/${body.id}`);
    expect(read.body.keys).toEqual([{ id: key.id, maskedKey: `...${key.rawKey.slice(-4)}`, created_at: key.created_at, updated_at: null }]);
    expect(read.body).toMatchObject({ slugName: "first", icon: "location", lastSeen: null, agentCount: 0, proxyUrl: null });
  });

  it("take at most two keys", async () => {
    const { body } = await create("two-keys");
    expect((await plane.call("POST", `/v1/private-locations/${body.id}/keys`)).status).toBe(201);
    expect((await plane.call("POST", `/v1/private-locations/${body.id}/keys`)).status).toBe(409);
    expect((await plane.call("DELETE", `/v1/private-locations/${body.id}/keys/${body.keys[0].id}`)).status).toBe(204);
    expect((await plane.call("POST", `/v1/private-locations/${body.id}/keys`)).status).toBe(201);
  });

  it("cannot share a slug, nor take a data center's code for one", async () => {
    await create("taken");
    expect((await create("taken")).status).toBe(409);
    expect((await create("eu-west-1")).status).toBe(400);
    expect((await create("white space")).body.message).toContain("1 to 30 letters");
  });

  it("cannot be removed while a check uses them", async () => {
    const { body } = await create("in-use");
    const { body: check } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: [], privateLocations: ["in-use"] }) });
    expect((await plane.call("DELETE", `/v1/private-locations/${body.id}`)).status).toBe(409);
    await plane.call("DELETE", `/v1/checks/${check.id}`);
    expect((await plane.call("DELETE", `/v1/private-locations/${body.id}`)).status).toBe(204);
    expect((await plane.call("GET", `/v1/private-locations/${body.id}`)).status).toBe(404);
  });

  it("tell their agents by version, and when one was last heard of", async () => {
    const { body } = await create("with-agents");
    const agent = await FakeAgent.open(plane.base, body.keys[0].rawKey, { version: "0.0.9" });
    await agent.heartbeat([]);
    const read = (await plane.call("GET", `/v1/private-locations/${body.id}`)).body;
    expect(read).toMatchObject({
      agentCount: 1,
      minAgentVersion: "0.0.9",
      runningAgents: [{ version: "0.0.9", isOutdated: true, count: 1 }],
    });
    expect(Date.parse(read.lastSeen)).toBeGreaterThan(0);
    await FakeAgent.open(plane.base, body.keys[0].rawKey, { version: "0.0.1", capabilities: { doctor: true } });
    expect((await plane.call("GET", `/v1/private-locations/${body.id}`)).body).toMatchObject({ agentCount: 1, minAgentVersion: "0.0.9" });
    const listed = (await plane.call("GET", "/v1/private-locations")).body.find(({ id }: { id: string }) => id === body.id);
    expect(listed.runningAgents).toBeUndefined();
  });

  it("keep the history of their queue", async () => {
    const { body } = await create("history");
    await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: [], privateLocations: ["history"] }) });
    const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
    const path = `/v1/private-locations/${body.id}/metrics?from=${day(Date.now())}&to=${day(Date.now() + 2 * 86_400_000)}`;
    await plane.context.storage.locations.sampleQueues(plane.context.nowMs(), 86_400_000);
    const history = await eventually(async () => {
      const answer = await plane.call("GET", path);
      return answer.body.timestamps.length > 0 && answer.body;
    });
    expect(history.queueSize).toHaveLength(history.timestamps.length);
    const seconds = `/v1/private-locations/${body.id}/metrics?from=${Math.floor(Date.now() / 1000) - 60}&to=${Date.now()}`;
    expect((await plane.call("GET", seconds)).status).toBe(200);
    expect((await plane.call("GET", `/v1/private-locations/${body.id}/metrics?from=2026-01-02&to=2026-01-01`)).status).toBe(400);
    expect((await plane.call("GET", `/v1/private-locations/${body.id}/metrics`)).status).toBe(400);
  });

  it("are replaced by a PUT: the slug stays, and the limit of hosts; a proxy that it leaves out goes", async () => {
    const { body } = await create("renamed");
    const proxyUrl = "http://proxy:3128";
    const put = (change: object) => plane.call("PUT", `/v1/private-locations/${body.id}`, { body: change });
    expect((await put({ name: "X", proxyUrl, icon: "server", hostLimit: 3 })).body).toMatchObject({
      proxyUrl,
      icon: "server",
      hostLimit: 3,
    });
    const { body: after } = await put({ name: "New name" });
    expect(after).toMatchObject({ name: "New name", slugName: "renamed", proxyUrl: null, icon: "location", hostLimit: 3 });
  });

  it("tell the password of their proxy to agents alone", async () => {
    const { body } = await create("proxied");
    const put = (proxyUrl: string) => plane.call("PUT", `/v1/private-locations/${body.id}`, { body: { name: "Proxied", proxyUrl } });
    expect((await put("http://job:pass@word@proxy:3128")).body.proxyUrl).toBe("http://job:********@proxy:3128");
    expect((await put("http://job:********@proxy:3128")).status).toBe(200);
    const read = await plane.call("GET", `/v1/private-locations/${body.id}`);
    expect(read.body.proxyUrl).toBe("http://job:********@proxy:3128");
    const stored = await plane.controlPlane.storage.locations.byUuid(plane.account.id, body.id);
    expect(stored?.proxyUrl).toMatch(/^sealed:v2:/);
    const agent = await FakeAgent.open(plane.base, body.keys[0].rawKey);
    const { body: check } = await plane.call("POST", "/v1/checks/api", {
      body: apiCheck({ locations: [], privateLocations: ["proxied"] }),
    });
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: check.id } } });
    const [job] = await agent.lease();
    expect(job?.payload.proxyUrl).toBe("http://job:pass@word@proxy:3128");
  });

  it.each(["http://job:********@elsewhere:3128", "http://other:********@proxy:3128"])("keep no password for %s", async (proxyUrl) => {
    const { body } = await plane.call("POST", "/v1/private-locations", {
      body: {
        name: "Lab",
        slugName: `kept-${proxyUrl.length}-${proxyUrl.includes("other") ? 1 : 0}`,
        proxyUrl: "http://job:secret@proxy:3128",
      },
    });
    const refused = await plane.call("PUT", `/v1/private-locations/${body.id}`, { body: { name: "Lab", proxyUrl } });
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('"proxyUrl" has asterisks for a password') } });
  });

  it("show a password that stands in variables", async () => {
    const proxyUrl = "http://{{USER}}:{{PASSWORD}}@proxy:3128";
    const { body } = await plane.call("POST", "/v1/private-locations", { body: { name: "Lab", slugName: "in-variables", proxyUrl } });
    expect(body.proxyUrl).toBe(proxyUrl);
  });
});
