import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("incidents of dashboards", () => {
  let plane: ControlPlaneUnderTest;
  let dashboardId: number;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    dashboardId = (await plane.call("POST", "/v1/dashboards", { body: { header: "Shop" } })).body.id;
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const first = { status: "INVESTIGATING", description: "Some payments fail." };
  const create = (changes: object = {}) =>
    plane.call("POST", "/v1/incidents", {
      body: { name: "Payments", impact: "MAJOR", dashboardId, incidentUpdates: [first], ...changes },
    });
  const read = async (id: string, all = true) => (await plane.call("GET", `/v1/incidents/${id}?includeAllIncidentUpdates=${all}`)).body;

  it("begin with their updates and tell the newest one, or all", async () => {
    const { status, body } = await create({ incidentUpdates: [first, { status: "IDENTIFIED", description: "A certificate." }] });
    expect(status).toBe(200);
    expect(body).toMatchObject({ name: "Payments", impact: "MAJOR", dashboardId, startedAt: body.created_at, stoppedAt: null });
    expect(body.incidentUpdates.map((update: { status: string }) => update.status)).toEqual(["IDENTIFIED", "INVESTIGATING"]);
    expect(await read(body.id)).toEqual(body);
    expect(await read(body.id, false)).toEqual({ ...body, incidentUpdates: body.incidentUpdates.slice(0, 1) });
  });

  it("stop when an update resolves them, and go on when another one follows", async () => {
    const { body: incident } = await create();
    const add = (status: string) => plane.call("POST", `/v1/incidents/${incident.id}/updates`, { body: { status, description: "x" } });
    const resolved = await add("RESOLVED");
    expect(resolved).toMatchObject({ status: 201, body: { incidentId: incident.id, status: "RESOLVED", updated_at: null } });
    expect((await read(incident.id)).stoppedAt).toBe(resolved.body.created_at);
    await add("MONITORING");
    expect((await read(incident.id)).stoppedAt).toBeNull();
  });

  it("are replaced, or only tried", async () => {
    const { body: incident } = await create({ startedAt: "2026-05-04T11:30:00+02:00" });
    expect(incident.startedAt).toBe("2026-05-04T09:30:00.000Z");
    const body = { name: "Card payments", impact: "MINOR", stoppedAt: "2026-05-04T10:00:00Z" };
    const put = (query: string) => plane.call("PUT", `/v1/incidents/${incident.id}${query}`, { body });
    const expected = { name: "Card payments", impact: "MINOR", startedAt: incident.created_at, stoppedAt: "2026-05-04T10:00:00.000Z" };
    expect(await put("?probe=true")).toMatchObject({ status: 200, body: { ...expected, updated_at: null, incidentUpdates: null } });
    expect(await read(incident.id)).toEqual(incident);
    expect(await put("")).toMatchObject({ status: 200, body: expected });
    expect(await read(incident.id)).toMatchObject({ ...expected, incidentUpdates: incident.incidentUpdates });
  });

  it("let the text of an update be changed, and keep at least one update", async () => {
    const { body: incident } = await create();
    const path = `/v1/incidents/${incident.id}/updates`;
    const [only] = incident.incidentUpdates;
    const changed = await plane.call("PUT", `${path}/${only.id}`, { body: { description: "Most payments fail.", status: "RESOLVED" } });
    expect(changed.body).toEqual({ ...only, description: "Most payments fail.", updated_at: expect.any(String) });
    expect((await plane.call("DELETE", `${path}/${only.id}`)).status).toBe(409);
    const { body: second } = await plane.call("POST", path, { body: first });
    expect((await plane.call("DELETE", `${path}/${second.id}`)).status).toBe(204);
    expect((await plane.call("DELETE", `${path}/${second.id}`)).status).toBe(404);
    expect((await read(incident.id)).incidentUpdates).toEqual([changed.body]);
  });

  it("need a dashboard of the account and go with it", async () => {
    expect(await create({ dashboardId: 1_000_000 })).toMatchObject({
      status: 400,
      body: { message: '"dashboardId" names no dashboard of this account; received 1000000' },
    });
    const { body: dashboard } = await plane.call("POST", "/v1/dashboards", { body: { header: "Gone" } });
    const { body: incident } = await create({ dashboardId: dashboard.id });
    await plane.call("DELETE", `/v1/dashboards/${dashboard.dashboardId}`);
    expect((await plane.call("GET", `/v1/incidents/${incident.id}`)).status).toBe(404);
  });

  it("are absent for another account", async () => {
    const { body: incident } = await create();
    const { id } = await plane.context.storage.accounts.create({
      uuid: randomUUID(),
      name: "Other",
      runtimeId: "2026.04",
      nowMs: Date.now(),
    });
    const key = await plane.keyFor("OWNER", id);
    const path = `/v1/incidents/${incident.id}`;
    const update = `${path}/updates/${incident.incidentUpdates[0].id}`;
    for (const [method, at, body] of [
      ["GET", path],
      ["PUT", path, { name: "x", impact: "MINOR" }],
      ["DELETE", path],
      ["POST", `${path}/updates`, first],
      ["PUT", update, { description: "x" }],
      ["DELETE", update],
    ] as const) {
      expect((await plane.call(method, at, { key, body })).status).toBe(404);
    }
    const foreign = await plane.call("POST", "/v1/incidents", {
      key,
      body: { name: "x", impact: "MINOR", dashboardId, incidentUpdates: [first] },
    });
    expect(foreign.status).toBe(400);
  });
});
