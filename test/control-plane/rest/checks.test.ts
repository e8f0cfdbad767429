import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";

describe("API checks", () => {
  let plane: ControlPlaneUnderTest;
  beforeAll(async () => {
    plane = await controlPlaneUnderTest();
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const create = (changes: object = {}) => plane.call("POST", "/v1/checks/api", { body: apiCheck(changes) });
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

  it("come back with every default and read-only field", async () => {
    const { status, body } = await plane.call("POST", "/v1/checks/api", {
      body: { name: "Home", locations: ["eu-west-1"], request: { method: "GET", url: "https://example.com/" } },
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      activated: true,
      muted: false,
      doubleCheck: true,
      shouldFail: false,
      frequency: 10,
      frequencyOffset: expect.any(Number),
      degradedResponseTime: 5000,
      maxResponseTime: 20_000,
      tags: [],
      privateLocations: [],
      groupId: null,
      runParallel: false,
      checkType: "API",
      request: { followRedirects: true, skipSSL: false, ipFamily: "IPv4", bodyType: "NONE", headers: [], assertions: [] },
      created_at: instant,
      updated_at: null,
      alertChannels: { email: [], webhook: [], slack: [], sms: [] },
    });
    expect(body).not.toHaveProperty("retryStrategy"); // null would mean no retries
    expect((await plane.call("GET", `/v1/checks/${body.id}`)).body).toMatchObject(body);
  });

  it("ignore unknown and read-only fields of a body", async () => {
    const { status, body } = await create({
      id: "mine",
      created_at: "x",
      heartbeat: { period: 0 },
      request: { method: "GET", url: "http://a/", extra: [1] },
    });
    expect(status).toBe(201);
    expect(body.id).not.toBe("mine");
    expect(body.request.extra).toBeUndefined();
  });

  it.each([
    ["an offset outside its frequency", { frequency: 5, frequencyOffset: 51 }, "frequencyOffset", "51"],
    ["an offset that is no sub-minute period", { frequency: 0, frequencyOffset: 15 }, "frequencyOffset", "10, 20 or 30"],
    ["a snippet that is not there", { setupSnippetId: 987 }, "setupSnippetId", "987"],
    ["no location while activated", { locations: [] }, "locations", "at least one location"],
    ["an unknown private location", { privateLocations: ["nowhere"] }, "privateLocations", "nowhere"],
    ["a data center among the private locations", { privateLocations: ["us-east-1"] }, "privateLocations", "us-east-1"],
    ["an unknown data center", { locations: ["mars-1"] }, "locations[0]", "us-east-1"],
    ["a group that is not there", { groupId: 7 }, "groupId", "7"],
    ["a frequency outside the list", { frequency: 7 }, "frequency", "1440"],
    [
      "an assertion whose path cannot be read",
      { request: { method: "GET", url: "http://a/", assertions: [{ source: "JSON_BODY", comparison: "EQUALS", property: "$[" }] } },
      "request.assertions[0]",
      "cannot be evaluated",
    ],
    ["an unknown method", { request: { method: "FETCH", url: "http://a/" } }, "request.method", "FETCH"],
    ["too slow a threshold", { maxResponseTime: 30_001 }, "maxResponseTime", "30000"],
  ])("are refused with %s, naming the field", async (_case, changes, path, word) => {
    const { status, body } = await create(changes);
    expect(status).toBe(400);
    expect(body.attributes.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    expect(body.message).toContain(word);
  });

  it("may have no location while they are not activated", async () => {
    expect((await create({ locations: [], activated: false })).status).toBe(201);
  });

  it("keep on PUT what is omitted; an object that is sent is replaced whole", async () => {
    const { body: before } = await create({
      tags: ["a"],
      retryStrategy: { type: "LINEAR", maxRetries: 3 },
      request: { method: "POST", url: "http://a/", body: "x", headers: [{ key: "k", value: "v" }] },
    });
    const { status, body } = await plane.call("PUT", `/v1/checks/api/${before.id}`, {
      body: {
        name: "Renamed",
        request: { method: "POST", url: "http://b/" },
        retryStrategy: { type: "FIXED" },
        alertSettings: { reminders: { amount: 2 } },
      },
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: "Renamed",
      tags: ["a"],
      request: { url: "http://b/", body: "", headers: [] },
      retryStrategy: { type: "FIXED", maxRetries: 2, baseBackoffSeconds: 60 },
      alertSettings: { reminders: { amount: 2, interval: 5 } },
      created_at: before.created_at,
      updated_at: instant,
      frequencyOffset: before.frequencyOffset,
    });
  });

  it("get a new offset when their new frequency does not allow the old one", async () => {
    const { body: before } = await create({ frequency: 60, frequencyOffset: 500 });
    const { status, body } = await plane.call("PUT", `/v1/checks/api/${before.id}`, { body: { frequency: 120 } });
    expect(status).toBe(200);
    expect(body.frequencyOffset).toBeLessThanOrEqual(2);
    expect((await plane.call("PUT", `/v1/checks/api/${before.id}`, { body: { frequencyOffset: 3 } })).status).toBe(400);
  });

  it("spread over their period when no offset is given, also when made at the same time", async () => {
    const offsets = await Promise.all([1, 2, 3, 4].map(async () => (await create({ frequency: 30 })).body.frequencyOffset));
    expect(new Set(offsets).size).toBe(4);
  });

  it("are cleared of locations by [] and refused while activated", async () => {
    const { body } = await create();
    expect((await plane.call("PUT", `/v1/checks/api/${body.id}`, { body: { locations: [] } })).status).toBe(400);
    expect((await plane.call("PUT", `/v1/checks/api/${body.id}`, { body: { locations: [], activated: false } })).body.locations).toEqual(
      [],
    );
  });

  it("are listed by page with the total in Content-Range, and filtered", async () => {
    for (const index of [1, 2, 3]) await create({ name: `Listed ${index}`, tags: ["listed", `n${index}`] });
    const page = await plane.call("GET", "/v1/checks?tag=listed&limit=2&page=2");
    expect(page.body).toHaveLength(1);
    expect(page.headers.get("content-range")).toBe("items 2-2/3");
    for (const tag of ["tag=n2", "tag[]=n2", "tag[0]=n2", "tag%5B%5D=n2&tag%5B%5D=listed"]) {
      expect((await plane.call("GET", `/v1/checks?${tag}`)).body).toMatchObject([{ name: "Listed 2" }]);
    }
    expect((await plane.call("GET", "/v1/checks?search=listed%203")).body).toMatchObject([{ name: "Listed 3" }]);
    expect((await plane.call("GET", "/v1/checks?checkType=DNS")).body).toEqual([]);
  });

  it("tell their intent as constraints in v3", async () => {
    const intent = { goal: "Stay up", requiredOutcomes: ["200"], mustPreserve: [] };
    const { body } = await create({ intent });
    expect((await plane.call("GET", `/v2/checks/${body.id}`)).body.intent).toEqual(intent);
    expect((await plane.call("GET", `/v3/checks/${body.id}`)).body.intent).toEqual({
      goal: "Stay up",
      constraints: [{ type: "REQUIRED_OUTCOME", statement: "200" }],
    });
  });

  it("are gone after DELETE", async () => {
    const { body } = await create();
    const removed = await plane.call("DELETE", `/v1/checks/${body.id}`);
    expect([removed.status, removed.text]).toEqual([204, ""]);
    expect((await plane.call("GET", `/v1/checks/${body.id}`)).status).toBe(404);
    expect((await plane.call("DELETE", `/v1/checks/${body.id}`)).status).toBe(404);
    expect((await plane.call("PUT", `/v1/checks/api/${body.id}`, { body: {} })).status).toBe(404);
  });

  it("match a trigger by tags, and none means 404", async () => {
    await create({ name: "A", tags: ["web", "prod"] });
    await create({ name: "B", tags: ["web", "staging"] });
    const trigger = (matchTags: string[][]) => plane.call("POST", "/v2/check-sessions/trigger", { body: { target: { matchTags } } });
    const names = async (matchTags: string[][]) => (await trigger(matchTags)).body.sessions.map(({ name }: { name: string }) => name);
    expect(await names([["web", "!staging"]])).toEqual(["A"]);
    expect((await names([["prod"], ["staging"]])).toSorted()).toEqual(["A", "B"]);
    expect((await trigger([["nothing"]])).status).toBe(404);
    const { body } = await create({ name: "C" });
    for (const matchTags of [[], null]) {
      const target = { checkId: body.id, matchTags };
      const answer = await plane.call("POST", "/v2/check-sessions/trigger", { body: { target } });
      expect(answer.body).toMatchObject({ sessions: [{ name: "C" }] });
    }
    const tagged = { body: { target: { checkId: null, matchTags: [["prod"]] } } };
    expect((await plane.call("POST", "/v1/check-sessions/trigger", tagged)).body).toMatchObject({ sessions: [{ name: "A" }] });
    expect((await trigger([["prod"]])).body.sessions[0]).toMatchObject({
      status: "STARTED",
      runSource: "TRIGGER_API",
      runLocations: ["eu-west-1"],
      stoppedAt: null,
    });
  });

  it("answer 408 when a session does not end within the wait", async () => {
    const { body } = await create({ locations: ["sa-east-1"] });
    const {
      body: {
        sessions: [session],
      },
    } = await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
    const answer = await plane.call("GET", `/v1/check-sessions/${session.checkSessionId}/completion?maxWaitSeconds=1`);
    expect(answer.status).toBe(408);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });
});
