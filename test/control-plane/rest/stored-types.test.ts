import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../../support/engines.ts";
import type { Answer } from "../call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

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
/** Types without an operation of their own. */
const samples: readonly Sample[] = [
  {
    checkType: "AGENTIC",
    given: { prompt: "Open https://shop.example/", allowedHosts: ["*.shop.example"], intent: { goal: "buy a book" } },
    filled: {
      prompt: "Open https://shop.example/",
      allowedHosts: ["*.shop.example"],
      script: null,
      intent: { goal: "buy a book", requiredOutcomes: [], mustPreserve: [] },
      ...timed,
    },
    change: { maxResponseTime: 1000 },
    changed: { degradedResponseTime: null, maxResponseTime: 1000 },
  },
];

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("types that are written by the forms for all types, on $name", (engine) => {
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
});
