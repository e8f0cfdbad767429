import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import { createSessionWaits } from "../../../src/control-plane/jobs/session-waits.ts";
import { triggerHandlers } from "../../../src/control-plane/rest/triggers.ts";
import { type Answer, call } from "../call.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";
import { FakeAgent, reportOf } from "../fake-agent.ts";

const location = "eu-west-1";
const failed = { hasFailures: true, errorMessage: "expected a status below 400, got 500" } as const;

async function createCheck(plane: ControlPlaneUnderTest, changes: object = {}): Promise<string> {
  const { status, body } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ locations: [location], ...changes }) });
  expect(status).toBe(201);
  return body.id;
}

/** A group with a check for each order. */
async function createGroup(plane: ControlPlaneUnderTest, concurrency: number, orders: readonly (number | null)[], changes: object = {}) {
  const { body } = await plane.call("POST", "/v2/check-groups", { body: { name: "g", concurrency, tags: ["grouped"], ...changes } });
  const checks: string[] = [];
  for (const groupOrder of orders) checks.push(await createCheck(plane, { groupId: body.id, groupOrder, name: `order ${groupOrder}` }));
  return { id: body.id as number, checks };
}

/** Calls the address of a trigger, without a key. */
function open(url: string): Promise<Answer> {
  const { origin, pathname } = new URL(url);
  return call(origin, "GET", pathname);
}

async function leaseOne(agent: FakeAgent): Promise<LeasedJob> {
  const [job] = await agent.lease(1, 20);
  if (job === undefined) throw new Error("no job came");
  return job;
}

describe("triggers", () => {
  let plane: ControlPlaneUnderTest;
  let agent: FakeAgent;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
    agent = await FakeAgent.open(plane.base, await plane.locationKey(location));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it("of a check and of a group are made once, read back, and stop working when they are deleted", async () => {
    const { id: groupId, checks } = await createGroup(plane, 1, [0]);
    for (const [path, owner] of [
      [`/v1/triggers/checks/${checks[0]}`, { checkId: checks[0] }],
      [`/v1/triggers/check-groups/${groupId}`, { groupId }],
    ] as const) {
      expect((await plane.call("GET", path)).status).toBe(404);
      const made = await plane.call("POST", path);
      expect(made).toMatchObject({ status: 201, body: { ...owner, token: expect.stringMatching(/^[0-9a-f]{32}$/), called_at: null } });
      expect((await plane.call("POST", path)).body).toEqual(made.body);
      expect((await plane.call("GET", path)).body).toEqual(made.body);
      expect((await plane.call("GET", path, { key: await plane.keyFor("READ_ONLY") })).status).toBe(403);
      expect((await plane.call("POST", path, { key: await plane.keyFor("READ_RUN") })).status).toBe(403);
      const [stored] = (await plane.context.storage.documents.list(plane.account.id, "trigger", { newestFirst: true, limit: 1 })).items;
      expect(JSON.stringify(stored)).not.toContain(made.body.token);
      expect((await plane.call("DELETE", path)).status).toBe(204);
      expect((await plane.call("DELETE", path)).status).toBe(404);
      expect((await open(made.body.url)).status).toBe(404);
      const [first, second] = await Promise.all([plane.call("POST", path), plane.call("POST", path)]);
      expect(first.body).toEqual(second.body);
      expect(first.body.token).not.toBe(made.body.token);
    }
  });

  it("run a check without a key, and tell how it ended", async () => {
    const checkId = await createCheck(plane);
    const { url } = (await plane.call("POST", `/v1/triggers/checks/${checkId}`)).body;
    const { origin, pathname } = new URL(url);
    const head = await call(origin, "HEAD", pathname);
    expect([head.status, head.headers.get("allow")]).toEqual([405, "GET"]);
    expect(await agent.lease(1)).toEqual([]);
    for (const [report, status, body] of [
      [{}, 200, { hasFailures: false, responseTime: 13 }],
      [{ isDegraded: true }, 200, { hasFailures: false, responseTime: 13 }],
      [failed, 503, { hasFailures: true, responseTime: 13 }],
      [{ isCancelled: true }, 503, { hasFailures: true, responseTime: 13 }],
    ] as const) {
      const answer = open(url);
      const job = await leaseOne(agent);
      expect(job.payload.checkId).toBe(checkId);
      const session = await plane.call("GET", `/v2/check-sessions/${job.payload.checkSessionId}`);
      expect(session.body.runSource).toBe("LEGACY_TRIGGER");
      await agent.report(reportOf(job, report));
      expect(await answer).toMatchObject({ status, body });
    }
    const read = await plane.call("GET", `/v1/triggers/checks/${checkId}`);
    expect(Date.parse(read.body.called_at)).toBeGreaterThan(0);
    expect(read.body.updated_at).toBeNull();
    expect(plane.logLines.join()).not.toContain(read.body.token);
  });

  it("answer 404 alike for every address that runs nothing", async () => {
    const { id: groupId, checks } = await createGroup(plane, 1, [0]);
    const [checkId = "", other] = [checks[0], await createCheck(plane)];
    const tokenOf = async (path: string): Promise<string> => (await plane.call("POST", `/v1/triggers/${path}`)).body.token;
    const [ofCheck, ofGroup] = [await tokenOf(`checks/${checkId}`), await tokenOf(`check-groups/${groupId}`)];
    const answers = await Promise.all(
      [
        `/checks/${checkId}/trigger/${"0".repeat(32)}`,
        `/checks/${checkId}/trigger/${ofGroup}`,
        `/checks/${other}/trigger/${ofCheck}`,
        `/checks/none/trigger/${ofCheck}`,
        `/check-groups/${groupId}/trigger/${ofCheck}`,
        `/check-groups/${groupId + 1}/trigger/${ofGroup}`,
        `/check-groups/${groupId}/trigger/x`,
      ].map((path) => call(plane.base, "GET", path)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    await plane.call("PUT", `/v2/check-groups/${groupId}`, { body: { name: "g", activated: false } });
    for (const path of [`/checks/${checkId}/trigger/${ofCheck}`, `/check-groups/${groupId}/trigger/${ofGroup}`])
      expect((await call(plane.base, "GET", path)).status).toBe(404);
    await plane.call("DELETE", `/v1/checks/${checkId}`);
    expect((await call(plane.base, "GET", `/checks/${checkId}/trigger/${ofCheck}`)).status).toBe(404);
    expect(await plane.context.storage.documents.find(plane.account.id, "trigger", { name: checkId })).toBeUndefined();
  });

  it("stop waiting in time, and leave the run to go on", async () => {
    const checkId = await createCheck(plane);
    const { token } = (await plane.call("POST", `/v1/triggers/checks/${checkId}`)).body;
    const { storage, hashOf, sealing } = plane.controlPlane;
    const waits = createSessionWaits(storage.signals, () => performance.now());
    const handlers = triggerHandlers({ ...storage, hashOf, sealing, waits, nowMs: Date.now, publicUrl: () => plane.base, maxWaitMs: 20 });
    const handler = handlers.find(({ operation }) => operation.id === "callCheckTrigger");
    const asked = handler?.handle({ params: { checkId, token } } as never, { signal: new AbortController().signal } as never);
    await expect(asked).rejects.toMatchObject({ code: "try_again" });
    const job = await leaseOne(agent);
    expect(await agent.report(reportOf(job))).toMatchObject([{ outcome: "accepted" }]);
  });

  it("run a group some checks at a time and in its order, and pass only when all do", async () => {
    const orders = [3, null, 1, 2, 0, null];
    const { id, checks } = await createGroup(plane, 2, orders);
    const wanted = [4, 2, 3, 0, 1, 5].map((index) => checks[index]);
    const { url } = (await plane.call("POST", `/v1/triggers/check-groups/${id}`)).body;
    for (const failing of [null, 3]) {
      const answer = open(url);
      const started: string[] = [];
      const running: LeasedJob[] = [];
      for (let ended = 0; ended < checks.length; ended += 1) {
        const jobs = await agent.lease(10, running.length === 0 ? 20 : 0);
        running.push(...jobs);
        started.push(...jobs.map(({ payload }) => payload.checkId));
        expect(running.length).toBeLessThanOrEqual(2);
        const job = running.pop();
        if (job === undefined) throw new Error("no job came");
        await agent.report(reportOf(job, ended === failing ? failed : {}));
      }
      expect(started).toEqual(wanted);
      expect(await answer).toMatchObject(
        failing === null ? { status: 200, body: { hasFailures: false } } : { status: 503, body: { hasFailures: true } },
      );
    }
  });
});

describe("limits of triggers", () => {
  it("count each address, not each caller", async () => {
    await using plane = await controlPlaneUnderTest({ RATE_LIMIT_TRIGGERS: "2/60" });
    const address = (token: string): string => `/check-groups/1/trigger/${token}`;
    const statuses: number[] = [];
    for (const token of ["a", "a", "a", "b"]) statuses.push((await call(plane.base, "GET", address(token))).status);
    expect(statuses).toEqual([404, 404, 429, 404]);
  });

  it("are one for each token, however the rest of its address is written", async () => {
    await using plane = await controlPlaneUnderTest({ RATE_LIMIT_TRIGGERS: "2/60" });
    const id = crypto.randomUUID();
    const paths = [`/checks/${id}`, `/checks/${id.toUpperCase()}`, "/check-groups/1", "/check-groups/01", "/check-groups/1.0"];
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await call(plane.base, "GET", `${path}/trigger/a`)).status);
    expect(statuses).toEqual([404, 404, 429, 429, 429]);
  });

  it("hold up who guesses tokens", async () => {
    await using plane = await controlPlaneUnderTest({ RATE_LIMIT_WRONG_KEYS: "3/60" });
    const statuses: number[] = [];
    for (const token of "abcde") statuses.push((await call(plane.base, "GET", `/check-groups/1/trigger/${token}`)).status);
    expect(statuses).toEqual([404, 404, 404, 429, 429]);
    expect((await plane.call("GET", "/v1/checks")).status).toBe(200);
  });
});

describe("a triggered group", () => {
  it("is triggered by tags in its order too, loses nothing in a restart, and ends with its last session", async () => {
    const folder = await mkdtemp(join(tmpdir(), "outpost-restart-"));
    const env = { DATA_DIR: folder };
    try {
      const first = await controlPlaneUnderTest(env);
      const { checks } = await createGroup(first, 1, [2, 1, 0], { locations: [location] });
      await createCheck(first, { name: "alone", tags: ["grouped"] });
      const oldAgent = await FakeAgent.open(first.base, await first.locationKey(location));
      const body = { target: { matchTags: [["grouped"]] } };
      const { sessions } = (await first.call("POST", "/v2/check-sessions/trigger", { body })).body;
      expect(sessions).toHaveLength(4);
      const jobs = await oldAgent.lease();
      expect(jobs.map(({ payload }) => payload.checkName).toSorted()).toEqual(["alone", "order 0"]);
      await first[Symbol.asyncDispose]();

      await using second = await controlPlaneUnderTest(env);
      const key = await second.keyFor("OWNER");
      const statuses = async (): Promise<string[]> =>
        Promise.all(
          sessions.map(
            async ({ checkSessionId }: { checkSessionId: string }) =>
              (await second.call("GET", `/v2/check-sessions/${checkSessionId}`, { key })).body.status,
          ),
        );
      const newAgent = await FakeAgent.open(second.base, await second.locationKey(location));
      expect(await newAgent.lease()).toEqual([]);
      const reports = jobs.map((job) => reportOf(job));
      await call(second.base, "POST", "/agent/v1/results", { key: oldAgent.session.sessionToken, body: { reports } });
      for (const name of ["order 1", "order 2"]) {
        const job = await leaseOne(newAgent);
        expect(job.payload.checkName).toBe(name);
        expect(await newAgent.lease()).toEqual([]);
        await newAgent.report(reportOf(job));
      }
      await eventually(async () => (await statuses()).every((status) => status === "PASSED"));
      expect(new Set(sessions.map(({ checkId }: { checkId: string }) => checkId)).isSupersetOf(new Set(checks))).toBe(true);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
