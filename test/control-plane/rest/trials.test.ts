import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

describe("running a check without storing it", () => {
  let plane: ControlPlaneUnderTest;
  let agent: FakeAgent;
  let id: string;

  const tryNew = (body: object, runLocation = "eu-west-1") => plane.call("POST", `/v1/checks/try?runLocation=${runLocation}`, { body });
  const tryStored = (body: object, runLocation = "eu-west-1") =>
    plane.call("POST", `/v1/checks/${id}/try?runLocation=${runLocation}`, { body });
  const headers = [{ key: "authorization", value: "Bearer of-the-shop", locked: true }];

  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    const request = { method: "GET", url: "http://127.0.0.1/", headers };
    id = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: ["us-east-1"], request }) })).body.id;
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("takes what a creation takes, runs it once, and keeps nothing but the test session", async () => {
    const { status, body } = await tryNew({ ...apiCheck({ name: "Tried", locations: [] }), checkType: "API" });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "Tried", status: "RUNNING", results: [{ checkId: null, name: "Tried", runLocation: "eu-west-1" }] });
    const jobs = await agent.lease();
    expect(jobs.map(({ payload }) => [payload.checkName, payload.runLocation, payload.retryStrategy])).toEqual([
      ["Tried", "eu-west-1", null],
    ]);
    await agent.report(...jobs.map((job) => reportOf(job)));
    const ended = await plane.call("GET", `/v1/test-sessions/${body.testSessionId}/completion?maxWaitSeconds=5`);
    expect(ended.body).toMatchObject({ status: "PASSED", results: [{ responseTime: 13 }] });
    const [{ testSessionResultId: result }] = body.results;
    const whole = await plane.call("GET", `/v1/test-sessions/${body.testSessionId}/results/${result}`);
    expect(whole.body).toMatchObject({ checkId: null, apiCheckResult: { response: { status: 200 } } });
    expect((await plane.call("GET", `/v1/test-sessions/${body.testSessionId}/results/${result}/assets`)).body).toMatchObject({
      assets: [],
    });
    expect((await plane.call("GET", "/v1/checks")).body.map((check: { name: string }) => check.name)).toEqual(["Front page"]);
    expect((await plane.call("GET", "/v1/check-statuses")).body).toEqual([]);
    expect((await plane.call("GET", "/v1/check-alerts")).body).toEqual([]);
  });

  it("runs a stored check as a change would make it, with its own secrets, and leaves it as it is", async () => {
    const before = (await plane.call("GET", `/v1/checks/${id}`)).body;
    const { status, body } = await tryStored({
      name: "Changed",
      request: { ...before.request, url: "http://127.0.0.1/changed" },
    });
    expect(status).toBe(201);
    expect(body.results).toMatchObject([{ checkId: id, name: "Changed" }]);
    const [job] = await agent.lease();
    expect(job?.payload).toMatchObject({ checkId: id, settings: { request: { url: "http://127.0.0.1/changed", headers } } });
    expect((await plane.call("GET", `/v1/checks/${id}`)).body).toEqual(before);
    expect(JSON.stringify((await plane.call("GET", `/v1/test-sessions/${body.testSessionId}`)).body)).not.toContain("of-the-shop");
    if (job !== undefined) await agent.report(reportOf(job, { hasFailures: true, errorMessage: "expected 200, got 503" }));
    expect((await plane.call("GET", `/v1/check-results/${id}`)).body).toEqual([]);
  });

  it("refuses what could not be stored, by the fields of the check", async () => {
    const wrong = { ...apiCheck({ name: "" }), checkType: "API" };
    expect((await tryNew(wrong)).body.message).toContain('"name"');
    expect((await tryStored({ request: { method: "GET", url: "" } })).body.message).toContain('"request.url"');
    expect((await tryStored({ checkType: "TCP" })).body.message).toContain("the type of a check cannot change");
    expect((await tryStored({}, "mars")).body.message).toContain('"runLocation" must be a data center location');
    expect((await tryStored({ localSetupScript: null, setupSnippetId: 4711 })).status).toBe(400);
    const heartbeat = { checkType: "HEARTBEAT", name: "Job", heartbeat: { period: 1, periodUnit: "days", grace: 1, graceUnit: "hours" } };
    expect((await tryNew(heartbeat)).body.message).toContain("nothing to run");
  });

  it("is for those who may write, of the account alone, and told in the audit log", async () => {
    const runner = await plane.keyFor("READ_RUN");
    expect((await plane.call("POST", `/v1/checks/${id}/try?runLocation=eu-west-1`, { key: runner, body: {} })).status).toBe(403);
    const other = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", other.id);
    expect((await plane.call("POST", `/v1/checks/${id}/try?runLocation=eu-west-1`, { key, body: {} })).status).toBe(404);
    const { entries } = (await plane.call("GET", "/v1/audit-log?limit=50")).body;
    expect(entries.map(({ operation }: { operation: string }) => operation)).toEqual(expect.arrayContaining(["tryCheck", "tryNewCheck"]));
  });
});
