import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

describe("error groups", () => {
  let plane: ControlPlaneUnderTest;
  let agent: FakeAgent;
  let checkId: string;

  const fail = async (errorMessage: string) => {
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease();
    if (job === undefined) throw new Error("no job");
    const [answer] = await agent.report(reportOf(job, { hasFailures: true, hasErrors: true, errorMessage }));
    expect(answer?.outcome).toBe("accepted");
  };
  const results = async () => (await plane.call("GET", `/v2/check-results/${checkId}`)).body.entries;

  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    const { body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck() });
    checkId = body.id;
    await agent.lease(); // the first run by schedule, if it is due already
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("tell what failed, how it reads cleaned, and which results failed so", async () => {
    await fail("ECONNREFUSED: connect ECONNREFUSED 10.0.0.1:443");
    await fail("ECONNREFUSED: connect ECONNREFUSED 10.0.0.2:443");
    const { body, headers } = await plane.call("GET", `/v1/error-groups/checks/${checkId}`);
    expect(headers.get("content-range")).toBe("items 0-0/1");
    expect(body).toEqual([
      {
        id: expect.any(String),
        checkId,
        errorHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        rawErrorMessage: "ECONNREFUSED: connect ECONNREFUSED 10.0.0.2:443",
        cleanedErrorMessage: "ECONNREFUSED: connect ECONNREFUSED <address>",
        firstSeen: expect.stringMatching(/^\d{4}-.*Z$/),
        lastSeen: expect.stringMatching(/^\d{4}-.*Z$/),
        archivedUntilNextEvent: false,
        rootCauseAnalyses: [],
      },
    ]);
    const [group] = body;
    expect((await plane.call("GET", "/v1/error-groups")).body).toEqual(body);
    const whole = (await plane.call("GET", `/v1/error-groups/${group.id.toUpperCase()}`)).body;
    expect(whole).toEqual({ ...group, rootCauseAnalyses: expect.any(Array) });
    const [latest] = await results();
    expect(latest.errorGroupIds).toEqual([group.id]);
    expect((await plane.call("GET", `/v1/check-results/${checkId}/${latest.id}`)).body.errorGroupIds).toEqual([group.id]);
    const chosen = await plane.call("GET", `/v2/check-results/${checkId}?fields=errorGroupIds`);
    expect(chosen.body.entries).toContainEqual({ errorGroupIds: [group.id] });
  });

  it("can be archived until the next event, which ends it", async () => {
    await fail("gone away");
    const [{ id }] = (await plane.call("GET", "/v1/error-groups?limit=1")).body;
    const archived = await plane.call("PATCH", `/v1/error-groups/${id}`, { body: { archivedUntilNextEvent: true, id: "ignored" } });
    expect(archived).toMatchObject({ status: 200, body: { id, archivedUntilNextEvent: true } });
    plane.advance(1_000);
    await fail("gone away");
    expect((await plane.call("GET", `/v1/error-groups/${id}`)).body.archivedUntilNextEvent).toBe(false);
  });

  it("belong to one account", async () => {
    const [{ id }] = (await plane.call("GET", "/v1/error-groups?limit=1")).body;
    const other = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", other.id);
    expect((await plane.call("GET", "/v1/error-groups", { key })).body).toEqual([]);
    for (const path of [`/v1/error-groups/${id}`, `/v1/error-groups/checks/${checkId}`]) {
      expect((await plane.call("GET", path, { key })).status).toBe(404);
    }
    expect((await plane.call("PATCH", `/v1/error-groups/${id}`, { key, body: { archiveForEver: true } })).status).toBe(404);
    expect((await plane.call("GET", "/v1/error-groups/8a1b2c3d-4e5f-4061-8293-a4b5c6d7e887")).status).toBe(404);
    const readOnly = await plane.keyFor("READ_ONLY");
    expect((await plane.call("PATCH", `/v1/error-groups/${id}`, { key: readOnly, body: {} })).status).toBe(403);
  });
});
