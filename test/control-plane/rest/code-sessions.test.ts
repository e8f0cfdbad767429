import { randomUUID } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

const suite = randomUUID();

/** A check as the public command line sends it. */
function job(logicalId: string, changes: object = {}): object {
  return {
    checkType: "API",
    name: logicalId,
    logicalId,
    filePath: `checks/${logicalId}.check.ts`,
    locations: ["eu-central-1"],
    groupId: { ref: "shop" },
    triggerIncident: { serviceId: { ref: "checkout" }, severity: "MAJOR", name: "a", description: "b", notifySubscribers: false },
    request: { method: "GET", url: "http://127.0.0.1/" },
    testRetryStrategy: null,
    sourceInfo: { checkRunSuiteId: suite, checkRunId: randomUUID(), updateSnapshots: false },
    ...changes,
  };
}

describe("checks of code, run without being stored", () => {
  let plane: ControlPlaneUnderTest;
  let agent: FakeAgent;
  const run = (checkRunJobs: readonly object[], changes: object = {}, path = "/v1/test-sessions/run") =>
    plane.call("POST", path, {
      body: { name: "Book shop", project: { logicalId: "book-shop" }, runLocation: "eu-west-1", checkRunJobs, ...changes },
    });

  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    agent = await FakeAgent.open(plane.base, await plane.locationKey("eu-west-1"), { checkTypes: ["API", "URL", "TCP", "DNS", "ICMP"] });
  });
  afterAll(() => plane[Symbol.asyncDispose]());

  it("run side by side in one test session, where the client says", async () => {
    const repoInfo = { commitId: "abc", branchName: "main", commitMessage: "x".repeat(3_000), repoUrl: null };
    const body = { name: "Shop", runLocation: { type: "PUBLIC", region: "eu-west-1" }, repoInfo, environment: "ci" };
    const packed = gzipSync(JSON.stringify({ ...body, checkRunJobs: [job("front"), job("basket")] }));
    const answer = await plane.call("POST", "/v1/test-sessions/run", { body: packed, headers: { "content-encoding": "gzip" } });
    expect(answer.status).toBe(202);
    const { schedulingId, testSessionId, sequenceIds, testResultIds } = answer.body;
    expect([Object.keys(sequenceIds), Object.keys(testResultIds)]).toEqual([
      ["front", "basket"],
      ["front", "basket"],
    ]);
    const scheduling = await plane.call("GET", `/v1/test-sessions/scheduling/${schedulingId}/completion?maxWaitSeconds=30`);
    expect(scheduling.body).toMatchObject({ status: "SUCCEEDED", checksTotal: 2, testSessionId, error: null });
    const jobs = await agent.lease();
    expect(jobs.map(({ payload }) => [payload.checkName, payload.sequenceId, payload.retryStrategy])).toEqual([
      ["front", sequenceIds["front"], null],
      ["basket", sequenceIds["basket"], null],
    ]);
    await agent.report(...jobs.map((one, index) => reportOf(one, index === 0 ? {} : { hasFailures: true, errorMessage: "expected 200" })));
    const session = (await plane.call("GET", `/v1/test-sessions/${testSessionId}`)).body;
    expect(session).toMatchObject({ name: "Shop", status: "FAILED", metadata: { environment: "ci", branchName: "main" } });
    expect(session.metadata.commitMessage).toHaveLength(2_000);
    const result = await plane.call("GET", `/v1/test-sessions/${testSessionId}/results/${testResultIds["basket"]}`);
    expect(result.body).toMatchObject({ name: "basket", checkId: null, filePath: "checks/basket.check.ts", hasFailures: true });
    const links = await plane.call("GET", `/next/test-sessions/${testSessionId}/results/${testResultIds["basket"]}/links`);
    expect(links.body).toEqual({
      testResultLink: result.body.testSessionResultLink,
      testTraceLinks: [],
      videoLinks: [],
      screenshotLinks: [],
    });
    const link = await plane.call("GET", `/next/test-sessions/${testSessionId}/link`);
    expect(link.body).toEqual({ link: `${plane.base}/test-sessions/${testSessionId}` });
    expect((await plane.call("GET", "/v1/checks")).body).toEqual([]);
  });

  it("run with the group that comes with them, their secrets and shared files, and one retry strategy", async () => {
    const group = {
      v: 2,
      name: "Shop",
      activated: false,
      locations: ["us-east-1"],
      apiCheckDefaults: {
        headers: [{ key: "x-team", value: "shop" }],
        assertions: [],
        queryParameters: [],
        basicAuth: { username: "", password: "" },
      },
      environmentVariables: [{ key: "COLOR", value: "of-the-group", secret: true }],
    };
    const retry = { type: "FIXED", baseBackoffSeconds: 0, maxRetries: 2 };
    const request = {
      method: "GET",
      url: "http://127.0.0.1/{{COLOR}}",
      headers: [{ key: "authorization", value: "Bearer of-the-check", locked: true }],
    };
    const one = job("front", {
      group,
      testRetryStrategy: retry,
      request,
      environmentVariables: [{ key: "TOKEN", value: "t", locked: true }],
    });
    const answer = await run([one], { shouldRecord: false }, "/next/test-sessions/run");
    expect(answer.status).toBe(202);
    expect(Object.keys(answer.body)).toEqual(["schedulingId", "testResultIds", "sequenceIds"]);
    const [leased] = await agent.lease();
    expect(leased?.payload).toMatchObject({
      retryStrategy: { type: "FIXED", baseBackoffSeconds: 0, maxRetries: 2 },
      settings: {
        request: {
          headers: expect.arrayContaining([
            { key: "x-team", value: "shop", locked: false },
            expect.objectContaining({ value: "Bearer of-the-check" }),
          ]),
        },
      },
      material: { variables: [{ key: "COLOR", value: "of-the-group" }] },
    });
    if (leased !== undefined) await agent.report(reportOf(leased));
  });

  it("are refused with the place in the request and the name in the code", async () => {
    const refused: readonly (readonly [string, readonly object[], object, RegExp])[] = [
      ["nothing to run", [], {}, /"checkRunJobs"/],
      ["a bad request", [job("a"), job("b", { request: { method: "FETCH", url: "http://a/" } })], {}, /check "b": "request\.method"/],
      ["a bad group", [job("a", { group: { v: 2, name: 5 } })], {}, /check "a": "name"/],
      [
        "a heartbeat",
        [job("a", { checkType: "HEARTBEAT", heartbeat: { period: 1, periodUnit: "hours", grace: 1, graceUnit: "hours" } })],
        {},
        /nothing to run/,
      ],
      ["one name twice", [job("a"), job("a")], {}, /checkRunJobs\[1\]\.logicalId/],
      ["two suites", [job("a"), job("b", { sourceInfo: { checkRunSuiteId: "other", checkRunId: "1" } })], {}, /must be the same/],
      ["a suite with a wildcard", [job("a", { sourceInfo: { checkRunSuiteId: "#", checkRunId: "1" } })], {}, /checkRunSuiteId/],
      [
        "no such location",
        [job("a")],
        { runLocation: { type: "PRIVATE", slugName: "nowhere", id: randomUUID() } },
        /"runLocation".*nowhere/,
      ],
    ];
    for (const [what, jobs, changes, message] of refused) {
      const answer = await run(jobs, changes);
      expect([what, answer.status, answer.body.message]).toEqual([what, 400, expect.stringMatching(message)]);
    }
    const { body } = await run([job("a"), job("b", { request: { method: "FETCH", url: "http://a/" } })]);
    expect(body.attributes.issues[0].path).toBe("checkRunJobs[1].request.method");
    expect(await agent.lease()).toEqual([]);
    const reader = await plane.keyFor("READ_RUN");
    const asReader = await plane.call("POST", "/v1/test-sessions/run", {
      key: reader,
      body: { name: "a", runLocation: "eu-west-1", checkRunJobs: [job("a")] },
    });
    expect(asReader.status).toBe(403);
    for (const id of [randomUUID(), "none"])
      expect((await plane.call("GET", `/v1/test-sessions/scheduling/${id}/completion`)).status).toBe(404);
  });

  it("find stored checks by tags and ids, and say in this client's words that there are none", async () => {
    const { id } = (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: ["us-east-1"], tags: ["shop"] }) })).body;
    const trigger = (changes: object) =>
      plane.call("POST", "/next/test-sessions/trigger", {
        key: plane.ownerKey,
        body: {
          name: "Triggered Session",
          checkRunSuiteId: suite,
          runLocation: "eu-west-1",
          targetTags: [],
          environmentVariables: [],
          ...changes,
        },
      });
    expect((await trigger({ targetTags: [["shop"]] })).body.checks).toEqual([{ id, name: "Front page", checkType: "API" }]);
    const none = await trigger({ targetTags: [["basket"]] });
    expect([none.status, none.body.errorCode]).toEqual([403, "ERR_NO_MATCHING_CHECKS"]);
    expect((await trigger({ checkId: [randomUUID()] })).status).toBe(403);
    const secret = await trigger({
      checkId: [id],
      environmentVariables: [{ key: "TOKEN", value: "of-the-command-line" }],
      testRetryStrategy: null,
    });
    expect(secret.status).toBe(200);
    const session = await plane.call("GET", `/v1/test-sessions/${secret.body.testSessionId}`);
    expect(session.text).not.toContain("of-the-command-line");
  });
});
