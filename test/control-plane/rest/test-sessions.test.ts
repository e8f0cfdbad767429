import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

describe("test sessions", () => {
  let plane: ControlPlaneUnderTest;
  let agent: FakeAgent;
  const checks: Record<string, string> = {};

  const trigger = (changes: object = {}) =>
    plane.call("POST", "/v1/test-sessions/trigger", {
      body: { name: "After the deployment", runLocation: "eu-west-1", target: { checkId: [checks["front"]] }, ...changes },
    });
  const create = async (name: string, changes: object = {}) => {
    // Never by schedule.
    const body = apiCheck({ name, locations: ["us-east-1"], ...changes });
    checks[name] = (await plane.call("POST", "/v1/checks/api", { body })).body.id;
  };
  const ended = async (id: string) => (await plane.call("GET", `/v1/test-sessions/${id}/completion?maxWaitSeconds=5`)).body;

  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"));
    await create("front", { tags: ["shop"], retryStrategy: { type: "FIXED", baseBackoffSeconds: 1, maxRetries: 3 } });
    await create("basket", { tags: ["shop", "slow"] });
    await create("asleep", { tags: ["shop"], activated: false });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("run the chosen checks where they are told to, by their own retry strategies or by one for all", async () => {
    const metadata = { environment: "production", branchName: "main", github: { reporting: false, runId: "12" } };
    const { status, body } = await trigger({ target: { matchTags: [["shop"]] }, metadata, retryStrategy: null });
    expect(status).toBe(201);
    expect(body).toMatchObject({ name: "After the deployment", status: "RUNNING", stoppedAt: null, errorGroupIds: [], metadata });
    expect(body.results.map(({ name, status: its, resultType }: Record<string, string>) => [name, its, resultType])).toEqual([
      ["front", "RUNNING", "PENDING"],
      ["basket", "RUNNING", "PENDING"],
    ]);
    expect(body.testSessionLink).toBe(`${plane.base}/test-sessions/${body.testSessionId}`);
    const jobs = await agent.lease();
    expect(jobs.map(({ payload }) => [payload.runLocation, payload.retryStrategy])).toEqual([
      ["eu-west-1", null],
      ["eu-west-1", null],
    ]);
    const waiting = ended(body.testSessionId);
    await agent.report(...jobs.map((job) => reportOf(job)));
    const passed = await waiting;
    expect(passed).toMatchObject({ status: "PASSED", stoppedAt: expect.any(String) });
    expect(passed.results.map(({ testSessionResultId: id }: Record<string, string>) => id)).toEqual(
      body.results.map(({ testSessionResultId: id }: Record<string, string>) => id),
    );
    expect(passed.results[0]).toMatchObject({
      checkId: checks["front"],
      status: "PASSED",
      resultType: "FINAL",
      responseTime: 13,
      runLocation: "eu-west-1",
    });

    await trigger();
    const [own] = await agent.lease();
    expect(own?.payload.retryStrategy).toMatchObject({ type: "FIXED", maxRetries: 3 });
  });

  it("tell each result whole, with the attempts that were retried", async () => {
    const { body } = await trigger();
    const [job] = await agent.lease();
    if (job === undefined) throw new Error("no job");
    const failed = { hasFailures: true, hasErrors: true, errorMessage: "ECONNREFUSED: refused" };
    const data = Buffer.from("hops").toString("base64");
    const evidence = [{ name: "traceroute.log", type: "log" as const, contentType: "text/plain", data }];
    await agent.report(reportOf(job, { ...failed, resultType: "ATTEMPT" }));
    await agent.report(reportOf({ ...job, attempt: 2 }, { ...failed, evidence }));
    const { results, status } = await ended(body.testSessionId);
    expect(status).toBe("FAILED");
    expect(results.map(({ resultType, status: its }: Record<string, string>) => [resultType, its])).toEqual([
      ["FINAL", "FAILED"],
      ["ATTEMPT", "FAILED"],
    ]);
    const path = (id: string) => `/v1/test-sessions/${body.testSessionId}/results/${id}`;
    const [final, attempt] = results;
    const whole = (await plane.call("GET", path(final.testSessionResultId))).body;
    expect(whole).toMatchObject({
      ...final,
      id: final.testSessionResultId,
      attempts: 2,
      errorMessage: "ECONNREFUSED: refused",
      apiCheckResult: { response: { status: 200 } },
      tcpCheckResult: null,
      scheduleError: null,
    });
    expect((await plane.call("GET", path(attempt.testSessionResultId))).body).toMatchObject({ resultType: "ATTEMPT", attempts: 1 });
    const { body: manifest } = await plane.call("GET", `${path(final.testSessionResultId)}/assets?type=log`);
    expect(manifest).toMatchObject({ entriesTotal: 1, assets: [{ name: "traceroute.log", source: { type: "test-session-result" } }] });
    const file = await fetch(manifest.assets[0].url, { headers: { authorization: `Bearer ${plane.ownerKey}` } });
    expect(await file.text()).toBe("hops");
    expect((await plane.call("GET", path(body.testSessionId))).status).toBe(404);
    expect((await plane.call("GET", `/v1/check-results/${checks["front"]}`)).body).toEqual([]);
    expect((await plane.call("GET", `/v1/check-results/${checks["front"]}/${attempt.testSessionResultId}`)).status).toBe(404);
  });

  it("can be cancelled, whole or some of their checks", async () => {
    for (const unfiltered of [{ matchTags: [] }, { matchTags: null }, { checkId: null, matchTags: [["slow"]] }]) {
      const { body } = await trigger({ target: { checkId: [checks["basket"]], ...unfiltered } });
      expect(body.results).toMatchObject([{ name: "basket" }]);
      expect((await plane.call("POST", `/v1/test-sessions/${body.testSessionId}/cancel`)).status).toBe(204);
    }
    const { body } = await trigger({ target: { matchTags: [["shop"]], allowDeactivated: true } });
    const { testSessionId: id, results } = body;
    expect(results.map(({ name }: { name: string }) => name)).toEqual(["front", "basket", "asleep"]);
    const { sequenceId } = (await plane.call("GET", `/v1/test-sessions/${id}/results/${results[1].testSessionResultId}`)).body;
    expect((await plane.call("POST", `/v1/test-sessions/${id}/cancel`, { body: { sequenceId: [sequenceId] } })).status).toBe(204);
    expect((await plane.call("POST", `/v1/test-sessions/${id}/cancel`, { body: { sequenceId: ["none"] } })).status).toBe(400);
    const some = (await plane.call("GET", `/v1/test-sessions/${id}`)).body;
    expect(some.status).toBe("RUNNING");
    expect(some.results.map(({ status }: { status: string }) => status)).toEqual(["RUNNING", "CANCELLED", "RUNNING"]);
    expect((await plane.call("GET", `/v1/test-sessions/${id}/completion?maxWaitSeconds=1`)).status).toBe(408);
    expect((await plane.call("POST", `/v1/test-sessions/${id}/cancel`)).status).toBe(204);
    expect(await ended(id)).toMatchObject({ status: "CANCELLED" });
    const { entries } = (await plane.call("GET", "/v1/test-sessions?statuses=CANCELLED")).body;
    expect(entries[0]).toMatchObject({ id, status: "CANCELLED", running: [], provider: "API", accountId: plane.account.uuid });
    expect(entries[0].cancelled).toHaveLength(3);
  });

  it("are listed by cursor, and filters for what none of them has leave none", async () => {
    await trigger({ name: "second to last" });
    await trigger({ name: "last" });
    const first = (await plane.call("GET", "/v1/test-sessions?limit=1")).body;
    expect(first).toMatchObject({ length: 1, entries: [{ name: "last", region: "eu-west-1", privateLocationId: null }] });
    const second = (await plane.call("GET", `/v1/test-sessions?limit=1&nextId=${first.nextId}`)).body;
    expect(second.entries[0].name).toBe("second to last");
    expect((await plane.call("GET", "/v1/test-sessions?textSearch=to%20LAST")).body.length).toBe(1);
    for (const filter of ["providers=GITHUB", "users=ann", "errorGroupId=8a1b2c3d-4e5f-4061-8293-a4b5c6d7e887", "branches=nowhere"]) {
      expect((await plane.call("GET", `/v1/test-sessions?${filter}`)).body).toEqual({ length: 0, entries: [], nextId: null });
    }
    expect((await plane.call("GET", "/v1/test-sessions?users=ann&noUsers=true&providers=API")).body.length).toBeGreaterThan(0);
    expect((await plane.call("GET", "/v1/test-sessions?nextId=../x")).status).toBe(400);
    const lists = ["/v1/test-sessions", "/v1/status-pages", "/v1/audit-log", "/v1/accounts/me/members"];
    for (const list of lists) expect([list, (await plane.call("GET", `${list}?nextId=`)).status]).toEqual([list, 200]);
  });

  it("need a place and checks to run, and belong to one account", async () => {
    expect((await trigger({ runLocation: "mars" })).body.message).toContain('"runLocation" must be a data center location');
    expect((await trigger({ name: "" })).status).toBe(400);
    expect((await trigger({ target: { checkId: [crypto.randomUUID()] } })).status).toBe(404);
    expect((await trigger({ target: { checkId: [checks["asleep"]] } })).body.message).toContain("No activated check matches");
    const { body } = await trigger();
    const other = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
    const key = await plane.keyFor("OWNER", other.id);
    for (const path of ["", "/completion", `/results/${body.results[0].testSessionResultId}`]) {
      expect((await plane.call("GET", `/v1/test-sessions/${body.testSessionId}${path}`, { key })).status).toBe(404);
    }
    expect((await plane.call("POST", `/v1/test-sessions/${body.testSessionId}/cancel`, { key })).status).toBe(404);
    expect((await plane.call("GET", `/v1/test-sessions/${crypto.randomUUID()}`)).status).toBe(404);
    const reader = await plane.keyFor("READ_ONLY");
    expect((await plane.call("POST", "/v1/test-sessions/trigger", { key: reader, body: {} })).status).toBe(403);
  });

  it("keep secret variables sealed and show none", async () => {
    const secret = "hunter2-and-more";
    const environmentVariables = [
      { key: "TOKEN", value: secret, secret: true },
      { key: "BASE", value: "https://example.com" },
    ];
    const { body } = await trigger({ environmentVariables });
    expect(JSON.stringify((await plane.call("GET", `/v1/test-sessions/${body.testSessionId}`)).body)).not.toContain(secret);
    const { items } = await plane.controlPlane.storage.testSessions.list(plane.account.id, {
      limit: 1,
      statuses: ["RUNNING"],
      branches: [],
    });
    expect(JSON.stringify(items)).not.toContain(secret);
    expect(items[0]?.definition.environmentVariables).toMatchObject([{ key: "TOKEN", sealed: expect.any(String) }, { key: "BASE" }]);
    const masked = await trigger({ environmentVariables: [{ key: "TOKEN", value: "********", secret: true }] });
    expect(masked.body.attributes.issues[0].path).toBe("environmentVariables[0].value");
  });
});
