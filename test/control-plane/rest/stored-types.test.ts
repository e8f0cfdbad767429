import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../../support/engines.ts";
import type { Answer } from "../call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest, eventually } from "../control-plane-under-test.ts";

interface Sample {
  readonly checkType: string;
  /** What creation needs beside the name, and what it fills in. */
  readonly given: object;
  readonly filled: object;
  /** A change, and what it leaves alone. */
  readonly change: object;
  readonly changed: object;
}

const timed = { degradedResponseTime: null, maxResponseTime: null };
/** Every type that is stored and that no agent runs. */
const samples: readonly Sample[] = [
  {
    checkType: "AGENTIC",
    given: { intent: { goal: "buy a book" } },
    filled: { script: null, intent: { goal: "buy a book", requiredOutcomes: [], mustPreserve: [] }, ...timed },
    change: { maxResponseTime: 1000 },
    changed: { degradedResponseTime: null, maxResponseTime: 1000 },
  },
];

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("types that no agent runs, on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write", ...(url !== undefined && { DATABASE_URL: url }) });
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (checkType: string, body: object, path = "/v1/checks"): Promise<Answer> =>
    plane.call("POST", path, { body: { checkType, name: `a ${checkType}`, locations: ["eu-west-1", "us-east-1"], ...body } });

  it.each(samples)("keep a check of type $checkType and give it back", async ({ checkType, given, filled, change, changed }) => {
    const { status, body } = await create(checkType, given);
    expect(status).toBe(201);
    expect(body).toMatchObject({ checkType, locations: ["eu-west-1", "us-east-1"], frequencyOffset: expect.any(Number), ...filled });
    const { project: _project, logicalId: _logicalId, member: _member, pending: _pending, ...common } = body;
    for (const version of ["v1", "v2", "v3"]) {
      const intent = version === "v3" && body.intent ? { intent: { goal: body.intent.goal, constraints: [] } } : {};
      expect((await plane.call("GET", `/${version}/checks/${body.id}`)).body).toEqual({ ...(version === "v1" ? body : common), ...intent });
      const listed = (await plane.call("GET", `/${version}/checks?checkType=${checkType}&search=${checkType}`)).body;
      expect(listed.map(({ id }: { id: string }) => id)).toEqual([body.id]);
    }
    const after = await plane.call("PUT", `/v1/checks/${body.id}`, { body: change });
    expect([after.status, after.body]).toEqual([200, expect.objectContaining({ name: body.name, ...changed })]);
    const again = await plane.call("PUT", `/v1/checks/${body.id}`, { body: after.body });
    expect(again.body).toEqual({ ...after.body, updated_at: again.body.updated_at });
  });

  it.each([["playwright", "PLAYWRIGHT", {}]])("are written by the operations of %s", async (path, checkType, given) => {
    const { status, body } = await create(checkType, { doubleCheck: false, ...given }, `/v1/checks/${path}`);
    expect([status, body.checkType]).toEqual([201, checkType]);
    const changed = await plane.call("PUT", `/v1/checks/${path}/${body.id}`, { body: { checkType, doubleCheck: false, muted: true } });
    expect([changed.status, changed.body.muted]).toEqual([200, true]);
  });

  it("take every type in the form for all types, and never another one on PUT", async () => {
    const api = await create("API", { request: { method: "GET", url: "https://shop.example/" } });
    expect([api.status, api.body.degradedResponseTime]).toEqual([201, 5000]);
    const put = (body: object) => plane.call("PUT", `/v1/checks/${api.body.id}`, { body });
    expect((await put({ checkType: "API", muted: true })).body).toMatchObject({ muted: true, request: api.body.request });
    const other = await put({ checkType: "URL", muted: false });
    expect([other.status, other.body.message]).toEqual([400, expect.stringMatching(/"checkType" must be API.*received URL/)]);
    const bad = await put({ request: { method: "FETCH", url: "https://shop.example/" } });
    expect([bad.status, bad.body.attributes.issues[0].path]).toEqual([400, "request.method"]);
    for (const [checkType, path] of [
      [undefined, "checkType"],
      ["PING", "checkType"],
      ["ICMP", "request"],
      ["HEARTBEAT", "heartbeat"],
    ]) {
      const refused = await plane.call("POST", "/v1/checks", { body: { checkType, name: "a", locations: ["eu-west-1"] } });
      expect([refused.status, refused.body.attributes.issues[0].path]).toEqual([400, path]);
    }
    for (const body of [null, [], "text", 5]) expect((await plane.call("PUT", `/v1/checks/${api.body.id}`, { body })).status).toBe(400);
    expect((await plane.call("PUT", `/v1/checks/${crypto.randomUUID()}`, { body: {} })).status).toBe(404);
  });

  it.each(samples)("end each run of type $checkType as missed when it is due, and count in nothing else", async ({ checkType, given }) => {
    const { body: check } = await create(checkType, { ...given, runParallel: true });
    const answer = await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: check.id } } });
    expect(answer.status).toBe(201);
    const [session] = answer.body.sessions;
    expect(session).toMatchObject({ status: "TIMED_OUT", stoppedAt: session.startedAt, timeElapsed: 0 });
    const ended = await plane.call("GET", `/v2/check-sessions/${session.checkSessionId}/completion?maxWaitSeconds=1`);
    expect([ended.status, ended.body.status]).toEqual([200, "TIMED_OUT"]);
    expect(ended.body.results).toMatchObject([
      { resultType: null, aborted: true, hasFailures: false },
      { resultType: null, aborted: true, hasFailures: false },
    ]);
    const results = (await plane.call("GET", `/v2/check-results/${check.id}?resultType=MISSED`)).body.entries;
    expect(results.map(({ runLocation }: { runLocation: string }) => runLocation).toSorted()).toEqual(["eu-west-1", "us-east-1"]);
    for (const result of results) {
      expect(result).toMatchObject({
        missedReason: "no_capacity",
        errorMessage: `NO_CAPACITY: no agent runs this type of check (${checkType})`,
      });
      const one = await plane.call("GET", `/v1/check-results/${check.id}/${result.id}`);
      expect(one.body).toMatchObject({ id: result.id, resultType: "MISSED", startedAt: null });
    }
    expect((await plane.call("GET", `/v1/check-results/${check.id}`)).body).toEqual([]);
    expect((await plane.call("GET", `/v1/check-statuses/${check.id}`)).status).toBe(404);
    expect((await plane.controlPlane.storage.jobs.queueDepths(Date.now())).filter(({ queued, leased }) => queued + leased > 0)).toEqual([]);
  });

  it("are run by the schedule like others", async () => {
    const { body: check } = await create("AGENTIC", { frequency: 1, intent: { goal: "buy a book" } });
    plane.advance(120_000);
    const missed = await eventually(async () => {
      const { entries } = (await plane.call("GET", `/v2/check-results/${check.id}?resultType=MISSED`)).body;
      return entries.length > 0 && entries;
    });
    expect(missed[0]).toMatchObject({ missedReason: "no_capacity", queuedMs: 0 });
  });
});
