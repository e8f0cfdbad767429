import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

/** Each test has a location of its own, so that none takes another's jobs. */
const codes = [
  "eu-west-1",
  "eu-west-2",
  "eu-west-3",
  "us-east-1",
  "us-east-2",
  "us-west-1",
  "us-west-2",
  "ap-east-1",
  "ap-south-1",
  "sa-east-1",
  "af-south-1",
  "me-south-1",
  "eu-north-1",
  "eu-south-1",
  "ca-central-1",
  "ap-southeast-1",
  "ap-southeast-2",
];

describe("the agent protocol", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  async function place(agents = 1): Promise<{ code: string; agents: FakeAgent[] }> {
    const code = codes.pop() ?? "";
    const key = await plane.locationKey(code);
    return { code, agents: await Promise.all(Array.from({ length: agents }, () => FakeAgent.open(plane.base, key))) };
  }

  async function createCheck(changes: object): Promise<string> {
    const { status, body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) });
    expect(status).toBe(201);
    return body.id;
  }

  async function trigger(checkId: string): Promise<string> {
    const { body } = await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    return body.sessions[0].checkSessionId;
  }

  it("takes a run from its trigger to its stored result", async () => {
    const {
      code,
      agents: [agent],
    } = await place();
    const checkId = await createCheck({ locations: [code], tags: ["round trip"] });
    const sessionId = await trigger(checkId);
    const [job] = await agent!.lease();
    expect(job).toMatchObject({
      attempt: 1,
      fence: 1,
      leaseSeconds: 30,
      payload: {
        accountId: plane.account.uuid,
        checkId,
        checkName: "Front page",
        checkType: "API",
        checkSessionId: sessionId,
        runLocation: code,
        runtimeId: "2026.04",
        failedAttempts: 0,
        elapsedMs: 0,
        proxyUrl: null,
        retriesElsewhere: false,
        settings: { shouldFail: false, maxResponseTime: 20_000 },
        retryStrategy: { type: "SINGLE_RETRY", maxRetries: 1 },
      },
    });
    expect(await agent!.heartbeat([job!])).toEqual({ extended: [job!.jobId], lost: [], cancel: [] });
    expect(await agent!.report(reportOf(job!))).toEqual([{ jobId: job!.jobId, attempt: 1, outcome: "accepted" }]);

    const completion = await plane.call("GET", `/v2/check-sessions/${sessionId}/completion`);
    expect(completion.body).toMatchObject({ status: "PASSED", results: [{ resultType: "FINAL", runLocation: code, responseTime: 13 }] });
    const list = await plane.call("GET", `/v2/check-results/${checkId}`);
    expect(list.body).toMatchObject({
      length: 1,
      nextId: null,
      entries: [
        {
          id: completion.body.results[0].checkResultId,
          checkId,
          resultType: "FINAL",
          attempts: 1,
          responseTime: 13,
          sequenceId: job!.payload.sequenceId,
          apiCheckResult: { response: { status: 200, body: "hello" } },
          browserCheckResult: null,
          checkRunId: job!.payload.checkRunId,
        },
      ],
    });
    const single = await plane.call("GET", `/v1/check-results/${checkId}/${list.body.entries[0].id}`);
    expect(single.body).toEqual(list.body.entries[0]);
    expect((await plane.call("GET", `/v1/check-statuses/${checkId}`)).body).toMatchObject({ hasFailures: false, lastRunLocation: code });
  });

  it("answers a waiting poll as soon as a job is there", async () => {
    const {
      code,
      agents: [agent],
    } = await place();
    const checkId = await createCheck({ locations: [code] });
    const poll = agent!.lease(5, 25);
    await eventually(async () => (await plane.call("GET", "/metrics", { key: undefined })).text.includes("outpost_agent_polls_waiting 1"));
    await trigger(checkId);
    expect(await poll).toHaveLength(1);
  });

  it("ends the waiting poll of an agent that says it drains", async () => {
    const {
      agents: [agent],
    } = await place();
    const poll = agent!.lease(5, 25);
    await eventually(async () => (await plane.call("GET", "/metrics", { key: undefined })).text.includes("outpost_agent_polls_waiting 1"));
    await agent!.send("POST", "/heartbeats", {
      running: [],
      state: "draining",
      outbox: { depth: 0, oldestSeconds: 0 },
      eventLoopDelayMs: 1,
    });
    expect(await poll).toEqual([]);
  });

  it("takes what an agent tells of its platform and clock within bounds, and asks for neither", async () => {
    const code = codes.pop() ?? "";
    const key = await plane.locationKey(code);
    const platform = { os: "linux", arch: "x64", nodeVersion: "26.10.0", isContainer: false };
    const told = [undefined, platform, { ...platform, os: "x".repeat(51) }, { ...platform, isContainer: "yes" }, "linux"];
    const answers = await Promise.all(told.map((one) => FakeAgent.hello(plane.base, key, { platform: one })));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 400, 400, 400]);
    const agent = await FakeAgent.open(plane.base, key);
    const beat = { running: [], state: "running", outbox: { depth: 0, oldestSeconds: 0 }, eventLoopDelayMs: 1 };
    const beats = [undefined, null, -1.8e12, 8.7e15, "5"].map((clockAheadMs) =>
      agent.send("POST", "/heartbeats", { ...beat, clockAheadMs }),
    );
    expect((await Promise.all(beats)).map(({ status }) => status)).toEqual([200, 200, 200, 400, 400]);
  });

  it("shares a burst between the agents that wait", async () => {
    const { code, agents } = await place(2);
    const ids = await Promise.all(
      Array.from({ length: 6 }, (_, index) => createCheck({ locations: [code], name: `burst ${index}`, tags: ["burst"] })),
    );
    expect(ids).toHaveLength(6);
    const polls = agents.map((agent) => agent.lease(10, 25));
    await eventually(async () => (await plane.call("GET", "/metrics", { key: undefined })).text.includes("outpost_agent_polls_waiting 2"));
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { matchTags: [["burst"]] } } });
    const shares = (await Promise.all(polls)).map((jobs) => jobs.length);
    expect(shares).toEqual([3, 3]);
  });

  it("hands a job to the next agent at once when the client of the poll is gone", async () => {
    const {
      code,
      agents: [first, second],
    } = await place(2);
    const checkId = await createCheck({ locations: [code] });
    const client = new AbortController();
    const gone = first!.lease(5, 25, client.signal).catch(() => "gone");
    await eventually(async () => (await plane.call("GET", "/metrics", { key: undefined })).text.includes("outpost_agent_polls_waiting 1"));
    client.abort();
    await gone;
    await eventually(async () => (await plane.call("GET", "/metrics", { key: undefined })).text.includes("outpost_agent_polls_waiting 0"));
    await trigger(checkId);
    const [job] = await second!.lease(5, 5);
    expect(job).toMatchObject({ attempt: 1 });
  });

  async function leased(agents = 1): Promise<{ agents: FakeAgent[]; job: LeasedJob; sessionId: string; checkId: string }> {
    const { code, agents: opened } = await place(agents);
    const checkId = await createCheck({ locations: [code] });
    const sessionId = await trigger(checkId);
    const [job] = await opened[0]!.lease();
    return { agents: opened, job: job!, sessionId, checkId };
  }

  it("stores a report once: the same body again is a duplicate, another one a conflict", async () => {
    const {
      agents: [agent],
      job,
    } = await leased();
    const report = reportOf(job, { resultType: "ATTEMPT", hasFailures: true });
    expect((await agent!.put(report)).body.outcome).toBe("accepted");
    expect((await agent!.put(report)).body.outcome).toBe("duplicate");
    const other = await agent!.put({ ...report, responseTimeMs: 99 });
    expect(other).toMatchObject({ status: 409, body: { attributes: { outcome: "conflict" } } });
    expect((await agent!.put(reportOf({ ...job, attempt: 2 }))).body.outcome).toBe("accepted");
    expect(await agent!.put(reportOf({ ...job, attempt: 3 }))).toMatchObject({
      status: 409,
      body: { attributes: { outcome: "superseded" } },
    });
  });

  it("takes a job back, unused, and gives it out with a higher fence; the old one is refused", async () => {
    const {
      agents: [first, second],
      job,
    } = await leased(2);
    expect(await first!.release(job)).toEqual([job.jobId]);
    const [again] = await second!.lease();
    expect(again).toMatchObject({ jobId: job.jobId, attempt: 1, fence: 2 });
    expect(await first!.heartbeat([job])).toEqual({ extended: [], lost: [job.jobId], cancel: [] });
    expect(await second!.report(reportOf(again!))).toMatchObject([{ outcome: "accepted" }]);
    expect(await first!.report(reportOf(job, { attempt: 2 }))).toMatchObject([{ outcome: "superseded" }]);
  });

  it("answers a batch entry by entry, also when one cannot be read", async () => {
    const {
      agents: [agent],
      job,
    } = await leased();
    const answers = await agent!.report({ nonsense: true }, reportOf(job), { ...reportOf(job), attempt: 0 });
    expect(answers.map(({ outcome }) => outcome)).toEqual(["rejected", "accepted", "rejected"]);
    expect(answers[2]!.jobId).toBe(job.jobId);
  });

  it("keeps the verdict of a report whose detail has not its form, and leaves the detail out", async () => {
    const {
      agents: [agent],
      job,
      checkId,
    } = await leased();
    expect(await agent!.report(reportOf(job, { detail: { surprise: "<script>" } }))).toMatchObject([{ outcome: "accepted" }]);
    const { body } = await plane.call("GET", `/v2/check-results/${checkId}`);
    expect(body.entries).toMatchObject([{ resultType: "FINAL", hasFailures: false, apiCheckResult: null }]);
  });

  it("tells a running job that somebody cancelled it, and a cancelled session as each version does", async () => {
    const {
      agents: [agent],
      job,
      sessionId,
    } = await leased();
    expect((await plane.call("POST", `/v1/check-sessions/${sessionId}/cancel`, { body: {} })).status).toBe(204);
    expect(await agent!.heartbeat([job])).toMatchObject({ cancel: [job.jobId] });
    await agent!.report(reportOf(job, { isCancelled: true }));
    expect((await plane.call("GET", `/v2/check-sessions/${sessionId}`)).body.status).toBe("CANCELLED");
    expect((await plane.call("GET", `/v1/check-sessions/${sessionId}`)).body.status).toBe("TIMED_OUT");
  });

  it("cancels only the runs of a session that are named by their sequenceId", async () => {
    const [north, south] = [await place(), await place()];
    const checkId = await createCheck({ locations: [north.code, south.code] });
    const sessionId = await trigger(checkId);
    const agents = await Promise.all([north, south].map(async ({ code }) => FakeAgent.open(plane.base, await plane.locationKey(code))));
    const [first, second] = (await Promise.all(agents.map((agent) => agent.lease()))).flat();
    await plane.call("POST", `/v1/check-sessions/${sessionId}/cancel`, { body: { sequenceId: [first!.payload.sequenceId] } });
    expect(await agents[0]!.heartbeat([first!])).toMatchObject({ cancel: [first!.jobId] });
    expect(await agents[1]!.heartbeat([second!])).toMatchObject({ extended: [second!.jobId], cancel: [] });
  });

  it("never leases a check type that the agent does not offer", async () => {
    const { code } = await place();
    const agent = await FakeAgent.open(plane.base, await plane.locationKey(code), { checkTypes: ["DNS"] });
    await trigger(await createCheck({ locations: [code] }));
    expect(await agent.lease()).toEqual([]);
  });

  it("says 426 to a protocol that it does not serve, and 401 without the key of a location", async () => {
    const { code } = await place();
    const key = await plane.locationKey(code);
    expect(await FakeAgent.hello(plane.base, key, { protocol: 99 })).toMatchObject({
      status: 426,
      body: { attributes: { oldest: 1, newest: 1 } },
    });
    expect((await FakeAgent.hello(plane.base, plane.ownerKey)).status).toBe(401);
    expect((await FakeAgent.hello(plane.base, `pl_${"0".repeat(32)}`)).status).toBe(401);
  });

  it("records a run that nobody ran as missed, never as a hole", async () => {
    const code = codes.pop() ?? "";
    const checkId = await createCheck({ locations: [code] });
    const sessionId = await trigger(checkId);
    plane.advance(370_000);
    const session = await eventually(async () => {
      const { body } = await plane.call("GET", `/v2/check-sessions/${sessionId}`);
      return body.status === "TIMED_OUT" && body;
    });
    expect(session.results).toMatchObject([{ resultType: null, aborted: true, startedAt: null }]);
    const missed = await plane.call("GET", `/v2/check-results/${checkId}?resultType=MISSED`);
    expect(missed.body.entries).toMatchObject([
      { resultType: "MISSED", missedReason: "no_agent", hasFailures: false, apiCheckResult: null },
    ]);
    expect((await plane.call("GET", `/v2/check-results/${checkId}`)).body.entries).toEqual([]);
  });

  it("takes error reports of agents about themselves", async () => {
    const {
      agents: [agent],
    } = await place();
    const event = { message: "boom", stack: "at x", agentVersion: "1.0.0", platform: "linux", runtimeVersion: "26" };
    expect((await agent!.send("POST", "/error-events", { events: [event] })).status).toBe(204);
    expect(plane.logLines.join()).toContain("an agent reported an error of its own");
  });
});
