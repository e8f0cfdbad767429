import { afterAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../../support/engines.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});
const event = {
  message: "worker ended",
  stack: "Error: worker ended\n    at x.ts:1",
  agentVersion: "1.0.0",
  platform: "linux x64",
  runtimeVersion: "v26.10.0",
};

describe.each(engines.list)("error events on $name", (engine) => {
  async function scene(): Promise<{ plane: ControlPlaneUnderTest; path: string; agent: FakeAgent; id: string }> {
    const url = await engine.databaseUrl();
    const plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    const { body } = await plane.call("POST", "/v1/private-locations", { body: { name: "Berlin", slugName: "berlin" } });
    const agent = await FakeAgent.open(plane.base, body.keys[0].rawKey);
    return { plane, agent, id: body.id, path: `/v1/private-locations/${body.id}/error-events` };
  }

  it("go from an agent to who reads them of its location, without what they must not have", async () => {
    const { plane, agent, path } = await scene();
    await using _plane = plane;
    const secret = `pl_${"0".repeat(32)}`;
    const sent = await agent.send("POST", "/error-events", {
      events: [event, { ...event, message: `refused ${secret}\0` }, event],
    });
    expect(sent.status).toBe(204);
    const { body, headers } = await plane.call("GET", path, { key: await plane.keyFor("READ_ONLY") });
    expect(headers.get("content-range")).toMatch(/\/2$/);
    const counts = Object.fromEntries(body.map((one: { message: string; count: number }) => [one.message, one.count]));
    expect(counts).toEqual({ "worker ended": 2, "refused ********�": 1 });
    expect(body[0]).toMatchObject({ agentId: expect.any(String) as string, stack: event.stack, platform: "linux x64" });
    expect(plane.logLines.join("")).not.toContain(secret);
  });

  it("of a flood are bounded, and those of a data center stay in the log", async () => {
    const { plane, agent, path } = await scene();
    await using _plane = plane;
    for (let batch = 0; batch < 8; batch += 1) {
      const events = Array.from({ length: 50 }, (_, index) => ({ ...event, message: `${batch}-${index}` }));
      expect((await agent.send("POST", "/error-events", { events })).status).toBe(204);
    }
    const total = Number((await plane.call("GET", path)).headers.get("content-range")?.split("/")[1]);
    expect(total).toBeLessThanOrEqual(500);
    expect(total).toBeGreaterThanOrEqual(300); // a minute may begin meanwhile
    const far = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    expect((await far.send("POST", "/error-events", { events: [{ ...event, message: "far" }] })).status).toBe(204);
  });

  it("are nobody else's, and refused where they are too long", async () => {
    const { plane, agent, id, path } = await scene();
    await using _plane = plane;
    await agent.send("POST", "/error-events", { events: [event] });
    const other = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "other", runtimeId: "2026.04", nowMs: 0 });
    expect((await plane.call("GET", path, { key: await plane.keyFor("OWNER", other.id) })).status).toBe(404);
    expect((await plane.call("GET", path, { key: undefined })).status).toBe(401);
    const long = await agent.send("POST", "/error-events", { events: [{ ...event, stack: "x".repeat(20_001) }] });
    expect(long.status).toBe(400);
    await plane.call("DELETE", `/v1/private-locations/${id}`);
    expect((await plane.call("GET", path)).status).toBe(404);
  });
});
