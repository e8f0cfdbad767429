import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { enginesUnderTest } from "../support/engines.ts";
import { apiCheck, type ControlPlaneUnderTest, controlPlaneUnderTest } from "./control-plane-under-test.ts";
import { FakeAgent, reportOf } from "./fake-agent.ts";

const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});
const nul = "a\u0000b";
const cursor = (text: string): string => Buffer.from(text).toString("base64url");

describe.each(engines.list)("hostile input on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  let checkId = "";
  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest(url === undefined ? {} : { DATABASE_URL: url });
    ({
      body: { id: checkId },
    } = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ tags: ["a", "b"] }) }));
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });

  it.each([
    ["a check's name", apiCheck({ name: nul })],
    ["a tag", apiCheck({ tags: [nul] })],
    ["a URL", apiCheck({ request: { method: "GET", url: nul } })],
    ["a name of a location", apiCheck({ privateLocations: [nul] })],
    ["an unknown field's name", apiCheck({ [nul]: 1 })],
  ])("refuses the NUL character in %s", async (_where, body) => {
    expect(await plane.call("POST", "/v1/checks/api", { body })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("U+0000") },
    });
  });

  it.each([
    "/v1/checks/%00",
    "/v1/checks?tag=%00",
    "/v1/checks?search=x%00",
    "/v1/checks?apiCheckUrlFilterPattern=%00",
    "/v1/private-locations/a%00",
    "/v1/check-statuses/%00",
  ])("refuses the NUL character in GET %s", async (path) => {
    expect((await plane.call("GET", path)).status).toBe(400);
  });

  it("refuses the NUL character in what an agent says of itself, and takes it in what it saw", async () => {
    const key = await plane.locationKey("eu-west-1");
    for (const change of [{ name: nul }, { version: nul }, { checkTypes: [nul] }])
      expect((await FakeAgent.hello(plane.base, key, change)).status).toBe(400);
    const agent = await FakeAgent.open(plane.base, key);
    await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId } } });
    const [job] = await agent.lease();
    const numbers = {
      startedAt: 1e308,
      stoppedAt: -1e308,
      responseTimeMs: 1e308,
      queuedMs: 1e308,
      loopDelayMs: 1e308,
      metrics: { wait: 1e308, dns: -1e308 },
    };
    const attempt = { resultType: "ATTEMPT", hasFailures: true } as const;
    const reports = [
      reportOf(job!, { ...attempt, ...numbers }),
      reportOf(job!, { ...attempt, attempt: 2, errorMessage: nul }),
      reportOf(job!, { attempt: 60, statusCode: 999 }),
    ];
    expect((await agent.report(...reports)).map(({ outcome }) => outcome)).toEqual(["accepted", "accepted", "accepted"]);
    expect((await plane.call("GET", `/v1/check-results/${checkId}?resultType=ALL`)).body).toHaveLength(3);
  });

  it.each([
    ["page=1000000000&limit=100", 200],
    ["page=9007199254740991&limit=100", 200],
    ["page=1e300", 400],
    ["page=0", 400],
    ["page=1&page=2", 400],
    ["search=a&search=b", 400],
    [`search=${"%25".repeat(200)}`, 200],
    [`search=${"%25".repeat(2_000)}`, 400],
    [`tag=${Array.from({ length: 1_500 }, (_, n) => `t${n}`).join()}`, 200],
  ])("answers GET /v1/checks?%.40s with %i", async (query, status) => {
    expect((await plane.call("GET", `/v1/checks?${query}`)).status).toBe(status);
  });

  it("finds a check by all of its tags, however often they are repeated", async () => {
    const found = async (query: string) => (await plane.call("GET", `/v1/checks?${query}`)).body.map(({ id }: { id: string }) => id);
    expect(await found("tag=a&tag=b&tag=a")).toEqual([checkId]);
    expect(await found("tag=a&tag=c")).toEqual([]);
  });

  it.each([
    ["from=0&to=0", 200],
    ["from=8.64e15&to=8.64e15", 200],
    ["from=-1", 400],
    ["from=Infinity", 400],
    ["from=x", 400],
    ["nextId=x", 400],
    ["nextId=", 200],
    [`nextId=${cursor("9999999999999999.9999999999999999")}`, 200],
    [`nextId=${cursor("1e5.1")}`, 400],
    [`nextId=${cursor("1.1; drop table results")}`, 400],
  ])("answers results with %s with %i", async (query, status) => {
    expect((await plane.call("GET", `/v2/check-results/${checkId}?${query}`)).status).toBe(status);
  });

  it("bounds tags, which stand in an index", async () => {
    const long = await plane.call("POST", "/v1/checks/api", { body: apiCheck({ tags: [randomBytes(6_000).toString("base64")] }) });
    expect(long).toMatchObject({ status: 400, body: { attributes: { issues: [{ path: "tags[0]" }] } } });
    expect(
      (await plane.call("POST", "/v1/checks/api", { body: apiCheck({ tags: Array.from({ length: 501 }, (_, n) => `${n}`) }) })).status,
    ).toBe(400);
    expect((await plane.call("POST", "/v1/checks/api", { body: apiCheck({ tags: ["ä".repeat(255)] }) })).status).toBe(201);
  });

  it("lets no body reach a prototype", async () => {
    const body =
      '{"__proto__":{"activated":false},"constructor":{"prototype":{"x":1}},"name":"p","locations":["eu-west-1"],"request":{"method":"GET","url":"http://a/","__proto__":{"skipSSL":true}}}';
    const { status, body: made } = await plane.call("POST", "/v1/checks/api", { body });
    expect(status).toBe(201);
    expect(made).toMatchObject({ activated: true, request: { skipSSL: false } });
    expect(Object.hasOwn(Object.prototype, "x") || Object.hasOwn(Object.prototype, "skipSSL")).toBe(false);
    await plane.call("PUT", `/v1/checks/api/${made.id}`, { body: '{"alertSettings":{"__proto__":{"escalationType":"TIME_BASED"}}}' });
    expect((await plane.call("GET", `/v1/checks/${made.id}`)).body.alertSettings.escalationType).toBe("RUN_BASED");
  });

  it("answers HEAD like GET without a body, and only with a key", async () => {
    expect(await plane.call("HEAD", "/v1/checks")).toMatchObject({ status: 200, text: "" });
    expect((await plane.call("HEAD", "/v1/checks", { key: undefined })).status).toBe(401);
    const { status, headers } = await plane.call("OPTIONS", "/v1/checks");
    expect([status, headers.get("allow")]).toEqual([405, expect.stringContaining("GET")]);
  });

  it("has failed at nothing of this itself", () => {
    expect(plane.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
  });
});
