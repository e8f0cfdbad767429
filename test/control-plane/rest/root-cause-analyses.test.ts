import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

describe("root-cause analyses", () => {
  let plane: ControlPlaneUnderTest;
  let checkId: string;
  let groupId: string;
  const ended = (id: string) =>
    eventually(async () => {
      const answer = await plane.call("GET", `/v1/root-cause-analyses/${id}`);
      return answer.status !== 202 && answer;
    });
  const ask = async (group = groupId, body: unknown = {}) => plane.call("POST", `/v1/root-cause-analyses/error-groups/${group}`, { body });

  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    await plane.call("PATCH", "/v1/accounts/me", { body: { settings: { rootCauses: "asked" } } });
    const agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    checkId = (await plane.call("POST", "/v1/checks/api", { body: apiCheck() })).body.id;
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const errorMessage = "ECONNREFUSED: connect to 127.0.0.1:80";
    for (const job of await agent.lease())
      await agent.report(reportOf(job, { hasFailures: true, hasErrors: true, statusCode: null, errorMessage }));
    [{ id: groupId }] = (await plane.call("GET", `/v1/error-groups/checks/${checkId}`)).body;
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  it("are pending at first, and tell cause, impact, evidence and links once they are completed", async () => {
    const asked = await ask(groupId, { userContext: "since noon" });
    expect([asked.status, asked.body]).toEqual([202, { id: expect.any(String), status: "PENDING" }]);
    const { status, body } = await ended(asked.body.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: asked.body.id,
      checkType: "API",
      provider: "outpost",
      model: "rules",
      checkId,
      errorGroupId: groupId,
      durationMs: expect.any(Number),
      status: "COMPLETED",
      created_at: expect.any(String),
      analysis: {
        classification: "refused",
        userImpact: expect.stringContaining("has been failing at"),
        rootCause: expect.stringContaining("Nothing listens at"),
        codeFix: null,
        evidence: [
          { description: "ECONNREFUSED: connect to 127.0.0.1:80", artifacts: [{ name: expect.any(String), type: "check-result" }] },
        ],
        referenceLinks: [
          { url: expect.stringContaining(`${plane.base}/checks/${checkId}/results/`), title: "ECONNREFUSED: connect to 127.0.0.1:80" },
        ],
      },
    });
    const [latest] = (await plane.call("GET", `/v1/error-groups/${groupId}`)).body.rootCauseAnalyses;
    expect(latest).toMatchObject({ id: asked.body.id, userContext: "since noon", analysis: body.analysis });
  });

  it("are asked for by those who may run checks, of their own account", async () => {
    const reader = await plane.keyFor("READ_ONLY");
    expect((await plane.call("POST", `/v1/root-cause-analyses/error-groups/${groupId}`, { key: reader, body: {} })).status).toBe(403);
    const other = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", other.id);
    const { id } = (await ask()).body;
    expect((await plane.call("POST", `/v1/root-cause-analyses/error-groups/${groupId}`, { key, body: {} })).status).toBe(404);
    expect((await plane.call("GET", `/v1/root-cause-analyses/${id}`, { key })).status).toBe(404);
    expect((await ask("8a1b2c3d-4e5f-4061-8293-a4b5c6d7e887")).status).toBe(404);
    expect((await ask(groupId, { userContext: "x".repeat(257) })).status).toBe(400);
  });

  it("of a failure whose runs are gone fail, and say what to do", async () => {
    const { storage } = plane.context;
    await storage.results.prune(Date.now() + 3 * 86_400_000, 10_000);
    const group = await plane.call("GET", `/v1/error-groups/${groupId}`);
    if (group.status === 404) return; // it went with its runs
    const { id } = (await ask()).body;
    expect(await ended(id)).toMatchObject({ status: 503, body: { message: expect.stringContaining("ask for another one") } });
  });

  it("of test sessions say what their message says", async () => {
    const { storage } = plane.context;
    const session = await plane.call("POST", "/v1/test-sessions/trigger", {
      body: { name: "After the deployment", runLocation: "eu-west-1", target: { checkId: [checkId] } },
    });
    expect(session.status).toBe(201);
    const [unread] = await storage.testFailures.unread(0, 10);
    const failure = { hash: "h", cleanedMessage: "m", rawMessage: "ENOTFOUND: no shop.example", seenMs: Date.now() };
    await storage.testFailures.read({ ...unread!, projectUuid: null, environment: null }, [failure]);
    const [group] = (await plane.call("GET", "/v1/test-session-error-groups")).body;
    const { body } = await plane.call("POST", `/v1/root-cause-analyses/test-session-error-groups/${group.id}`, { body: {} });
    expect((await ended(body.id)).body).toMatchObject({ status: "COMPLETED", checkId: null, analysis: { classification: "name" } });
    const read = (await plane.call("GET", `/v1/test-session-error-groups/${group.id}`)).body;
    expect(read.rootCauseAnalyses).toMatchObject([{ id: body.id, provider: "outpost", analysis: { classification: "name" } }]);
  });
});
