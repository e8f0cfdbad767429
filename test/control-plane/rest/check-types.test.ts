import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CheckType, checkTypes, isScriptType, type ProbeType } from "#contract/checks/index.ts";
import { requests } from "../../contract/bodies.ts";
import { enginesUnderTest } from "../../support/engines.ts";
import type { Answer } from "../call.ts";
import { type ControlPlaneUnderTest, controlPlaneUnderTest } from "../control-plane-under-test.ts";
import { FakeAgent } from "../fake-agent.ts";

/** Checks that are a script: `script-checks.test.ts`. */
const types = (Object.keys(checkTypes) as CheckType[]).filter((type): type is ProbeType => !isScriptType(type));
const engines = await enginesUnderTest();
afterAll(async () => {
  await engines[Symbol.asyncDispose]();
});

describe.each(engines.list)("checks of every type on $name", (engine) => {
  let plane: ControlPlaneUnderTest;
  let locationKey: string;
  beforeAll(async () => {
    const url = await engine.databaseUrl();
    plane = await controlPlaneUnderTest({ SECRETS_READABLE: "write", ...(url !== undefined && { DATABASE_URL: url }) });
    locationKey = await plane.locationKey("ap-east-1");
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
  });
  const pathOf = (type: CheckType): string => `/v1/checks/${type.toLowerCase()}`;
  const create = (type: ProbeType, request: object = requests[type], changes: object = {}): Promise<Answer> =>
    plane.call("POST", pathOf(type), { body: { name: `a ${type}`, locations: ["eu-west-1"], request, ...changes } });
  const change = (type: CheckType, id: string, body: object): Promise<Answer> => plane.call("PUT", `${pathOf(type)}/${id}`, { body });

  describe.each(types)("%s", (type) => {
    it("comes back whole from creation and from every version of the reads", async () => {
      const { status, body } = await create(type, requests[type], {
        script: "1",
        environmentVariables: [],
        frequency: 0,
        frequencyOffset: 10,
      });
      expect(status).toBe(201);
      expect(body).toMatchObject({ checkType: type, frequency: 0, frequencyOffset: 10, request: requests[type], updated_at: null });
      expect("script" in body).toBe(type === "API"); // which gives back what clients send with it
      const { project, logicalId, member, pending, ...common } = body;
      expect([project, logicalId, member, pending]).toEqual([null, null, null, null]);
      for (const version of ["v1", "v2", "v3"]) {
        const read = version === "v1" ? body : common;
        expect((await plane.call("GET", `/${version}/checks/${body.id}`)).body).toEqual(read);
        const listed = (await plane.call("GET", `/${version}/checks?checkType=${type}&limit=100`)).body;
        expect(listed.find(({ id }: { id: string }) => id === body.id)).toEqual(read);
        expect(new Set(listed.map(({ checkType }: { checkType: string }) => checkType))).toEqual(new Set([type]));
      }
    });

    it("keeps on PUT what is omitted, and can be sent back as it was read", async () => {
      const { body: before } = await create(type, requests[type], { tags: ["a"], description: "kept" });
      const renamed = await change(type, before.id, { name: "renamed" });
      expect(renamed.status).toBe(200);
      expect(renamed.body).toEqual({ ...before, name: "renamed", updated_at: renamed.body.updated_at });
      const again = await change(type, before.id, before);
      expect(again.body).toEqual({ ...before, updated_at: again.body.updated_at });
    });

    it("is not found under another type, in another account, or when it is gone", async () => {
      const { body } = await create(type);
      const other = type === "TCP" ? "URL" : "TCP";
      const answer = await change(other, body.id, { muted: true });
      expect([answer.status, answer.body.message]).toEqual([404, expect.stringContaining(checkTypes[other].schemas.title)]);
      const foreign = await plane.context.storage.accounts.create({ uuid: crypto.randomUUID(), name: "b", runtimeId: "2026.04", nowMs: 0 });
      const key = await plane.keyFor("OWNER", foreign.id);
      expect((await plane.call("PUT", `${pathOf(type)}/${body.id}`, { key, body: {} })).status).toBe(404);
      expect((await plane.call("DELETE", `/v1/checks/${body.id}`)).status).toBe(204);
      expect((await change(type, body.id, {})).status).toBe(404);
    });

    it("runs only at an agent that says it can run it", async () => {
      const { body } = await create(type, requests[type], { locations: ["ap-east-1"], frequency: 1440 });
      await plane.call("POST", "/v1/check-sessions/trigger", { body: { target: { checkId: body.id } } });
      const [others, able] = await Promise.all([
        FakeAgent.open(plane.base, locationKey, { checkTypes: types.filter((name) => name !== type) }),
        FakeAgent.open(plane.base, locationKey, { checkTypes: [type] }),
      ]);
      expect(await others.lease()).toEqual([]);
      const [job] = await able.lease();
      expect(job?.payload).toMatchObject({ checkId: body.id, checkType: type, settings: { request: expect.anything() } });
      expect(checkTypes[type].settings.safeParse(job?.payload.settings).error).toBeUndefined();
    });
  });

  it("take a TCP check's host and data under either name", async () => {
    const { body } = await create("TCP", { url: "db.example", port: 5432, body: "hello" });
    expect(body.request).toMatchObject({ hostname: "db.example", url: "db.example", data: "hello", body: "hello" });
    const put = async (request: object) => (await change("TCP", body.id, { request: { port: 5432, ...request } })).body.request;
    expect(await put({ hostname: "two.example" })).toMatchObject({ hostname: "two.example", url: "two.example", data: null });
    expect(await put({ url: "three.example" })).toMatchObject({ hostname: "three.example", url: "three.example" });
    expect(await put({ body: "bye" })).toMatchObject({ hostname: "three.example", data: "bye", body: "bye" });
    expect(await put({ data: "again" })).toMatchObject({ data: "again", body: "again" });
    expect(await put({ data: null })).toMatchObject({ data: null, body: null });
    await put({ data: "again" });
    expect(await put({ body: null })).toMatchObject({ data: null, body: null, port: 5432 });
  });

  it("replace what an SSL monitor is told to look at", async () => {
    const { body } = await create("SSL", {
      sslConfig: {
        hostname: "shop.example",
        port: 8443,
        serverName: "other.example",
        securityBaseline: { minKeySizeBits: { value: 4096 } },
      },
      assertions: [{ source: "CERTIFICATE", comparison: "EQUALS", property: "keyType", target: "rsa" }],
    });
    const { body: after } = await change("SSL", body.id, { request: { sslConfig: { hostname: "shop.example" } } });
    expect(after.request).toMatchObject({ sslConfig: { hostname: "shop.example", port: 443 }, assertions: [] });
    expect(after.request.sslConfig.serverName ?? null).toBeNull();
    expect(after.request.sslConfig.securityBaseline.minKeySizeBits.value).toBe(2048);
  });

  it("forget a DNS monitor's name server when it is emptied or left out", async () => {
    const { body } = await create("DNS", { query: "a.example", recordType: "MX", nameServer: "192.0.2.53", port: 5353 });
    const { body: after } = await change("DNS", body.id, { request: { query: "a.example", recordType: "MX", nameServer: "" } });
    expect(after.request.nameServer).toBe("");
    const { body: without } = await change("DNS", body.id, { request: { query: "a.example", recordType: "MX" } });
    expect(without.request.nameServer ?? null).toBeNull();
  });

  const assertion = (source: string, extra: object) => ({ source, comparison: "EQUALS", target: "1", ...extra });
  it.each<[string, ProbeType, object, string, string]>([
    ["a path that cannot be read", "DNS", assertion("JSON_ANSWER", { property: "$[" }), "request.assertions[0]", "cannot be evaluated"],
    ["a path that cannot be read", "ICMP", assertion("JSON_RESPONSE", { property: "$[" }), "request.assertions[0]", "cannot be evaluated"],
    ["a path that cannot be read", "SSL", assertion("JSON_RESPONSE", { property: "$[" }), "request.assertions[0]", "cannot be evaluated"],
    ["a bad expression", "TCP", assertion("RESPONSE_DATA", { property: "(" }), "request.assertions[0]", "regular expression"],
    ["a bad expression", "DNS", assertion("TEXT_ANSWER", { property: "(" }), "request.assertions[0]", "regular expression"],
    ["a bad expression", "SSL", assertion("TEXT_RESPONSE", { property: "(" }), "request.assertions[0]", "regular expression"],
    ["an unknown latency", "ICMP", assertion("LATENCY", { property: "median" }), "request.assertions[0]", "avg, min, max or stdDev"],
    ["a time that is no whole number", "TCP", assertion("RESPONSE_TIME", { target: "1.5" }), "request.assertions[0]", "whole number"],
    ["a time that is no whole number", "DNS", assertion("RESPONSE_TIME", { target: "soon" }), "request.assertions[0]", "whole number"],
    ["a status that is no whole number", "URL", assertion("STATUS_CODE", { target: "2xx" }), "request.assertions[0]", "whole number"],
    [
      "a latency that is no number",
      "ICMP",
      { ...assertion("LATENCY", { property: "avg", target: "x" }), comparison: "LESS_THAN" },
      "request.assertions[0]",
      "not a number",
    ],
  ])("refuse %s in an assertion of %s", async (_case, type, given, path, words) => {
    const { status, body } = await create(type, { ...requests[type], assertions: [given] });
    expect(status).toBe(400);
    expect(body.attributes.issues.map((issue: { path: string }) => issue.path)).toEqual([path]);
    expect(body.message).toContain(words);
  });

  it("refuse an expectation that cannot be matched, also on PUT", async () => {
    const refused = await create("TCP", { ...requests.TCP, expect: "(?<=a)b" });
    expect([refused.status, refused.body.attributes.issues[0].path]).toEqual([400, "request.expect"]);
    const { body } = await create("TCP", { ...requests.TCP, expect: "^220 " });
    const put = await change("TCP", body.id, { request: { port: 25, expect: "[" } });
    expect([put.status, put.body.attributes.issues[0].path]).toEqual([400, "request.expect"]);
  });

  const answered = (property: string, target = "9") => ({ assertions: [assertion("RESPONSE_TIME", { property, target })] });
  it.each<[string, object, string]>([
    ["SCTP", { protocol: "SCTP" }, "protocol"],
    ["a protocol that nobody knows", { protocol: "GRE" }, "protocol"],
    ["a target of control characters", { url: "a\nb" }, "url"],
    ["no target", { url: "" }, "url"],
    ["a port beyond all ports", { port: 65_536 }, "port"],
    ["more hops than a path has", { maxHops: 65 }, "maxHops"],
    ["more silent hops than are asked", { maxUnknownHops: 31 }, "maxUnknownHops"],
    ["a timeout longer than a run", { timeout: 31 }, "timeout"],
    ["a time that is none of the four", answered("median"), "assertions[0].property"],
    ["a time that is no whole number", answered("max", "soon"), "assertions[0]"],
  ])("refuse a traceroute monitor with %s, also on PUT", async (_case, extra, path) => {
    const request = { url: "shop.example", ...extra };
    const refused = await create("TRACEROUTE", request);
    expect([refused.status, refused.body.attributes?.issues]).toMatchObject([400, [{ path: `request.${path}` }]]);
    const { body } = await create("TRACEROUTE");
    const put = await change("TRACEROUTE", body.id, { request });
    expect([put.status, put.body.attributes?.issues]).toMatchObject([400, [{ path: `request.${path}` }]]);
  });

  it("take each time of a traceroute monitor, its average without a name, and private locations", async () => {
    const location = await plane.call("POST", "/v1/private-locations", { body: { name: "Cellar", slugName: "cellar" } });
    expect(location.status).toBe(201);
    const assertions = ["", "avg", "min", "max", "stdDev"].flatMap((property) => answered(property).assertions);
    const { status, body } = await create(
      "TRACEROUTE",
      { url: "shop.example", assertions },
      { locations: [], privateLocations: ["cellar"] },
    );
    expect([status, body.privateLocations, body.request.assertions.length]).toEqual([201, ["cellar"], 5]);
    expect(body).toMatchObject({
      degradedResponseTime: null,
      maxResponseTime: null,
      request: { protocol: null, port: null, maxHops: null },
    });
    const longer = await change("TRACEROUTE", body.id, { checkType: "TRACEROUTE", doubleCheck: false, request: { maxHops: 20 } });
    expect([longer.status, longer.body.request.url, longer.body.request.maxHops]).toEqual([200, "shop.example", 20]);
  });

  const call = (extra: object) => ({ grpcConfig: { service: "shop.Orders", method: "Get", ...extra } });
  const metadata = (key: string, value: string) => call({ metadata: [{ key, value }] });
  it.each<[string, object, string]>([
    ["no service", call({ service: null }), "grpcConfig.service"],
    ["a service that is no name", call({ service: "shop Orders" }), "grpcConfig.service"],
    ["no method", call({ method: null }), "grpcConfig.method"],
    ["a method that is no name", call({ method: "Get it" }), "grpcConfig.method"],
    ["a target with a scheme", { ...call({}), url: "https://shop.example" }, "url"],
    ["a target with a path", { ...call({}), url: "shop.example/orders" }, "url"],
    ["a port in words", { ...call({}), port: "https" }, "port"],
    ["a message that is no JSON", call({ message: "{" }), "grpcConfig.message"],
    ["a message that is no object", call({ message: "[1]" }), "grpcConfig.message"],
    ["no proto file where it is wanted", call({ serviceDefinition: "PROTO_FILE" }), "grpcConfig.protoContent"],
    ["FlatBuffers", call({ encoding: "FLATBUFFERS" }), "grpcConfig.encoding"],
    ["metadata of gRPC itself", metadata("grpc-timeout", "1S"), "grpcConfig.metadata[0].key"],
    ["metadata whose key is a template", metadata("{{KEY}}", "1"), "grpcConfig.metadata[0].key"],
    ["metadata that is no ASCII", metadata("tenant", "Käse"), "grpcConfig.metadata[0].value"],
    ["binary metadata that is no base64", metadata("token-bin", "?"), "grpcConfig.metadata[0].value"],
  ])("refuse a gRPC monitor with %s, also on PUT", async (_case, request, path) => {
    const refused = await create("GRPC", { url: "shop.example", ...request });
    expect([refused.status, refused.body.attributes?.issues]).toMatchObject([400, [{ path: `request.${path}` }]]);
    const { body } = await create("GRPC");
    const put = await change("GRPC", body.id, { request });
    expect([put.status, put.body.attributes?.issues]).toMatchObject([400, [{ path: `request.${path}` }]]);
  });

  it("take templates wherever a gRPC monitor fills them in", async () => {
    const grpcConfig = {
      service: "{{SERVICE}}",
      method: "{{METHOD}}",
      message: "{{MESSAGE}}",
      metadata: [{ key: "tenant", value: "{{Ä}}" }],
    };
    const { status, body } = await create("GRPC", { url: "{{HOST}}", port: "{{PORT}}", grpcConfig });
    expect([status, body.request]).toMatchObject([201, { url: "{{HOST}}", port: "{{PORT}}", grpcConfig }]);
  });

  it("seal metadata of a gRPC monitor that is secret by its name, and keep it behind asterisks", async () => {
    const metadata = [
      { key: "Authorization", value: "Bearer call-secret" },
      { key: "x-api-key", value: "{{KEY}}" },
      { key: "tenant", value: "shop" },
    ];
    const { body } = await create("GRPC", { ...requests.GRPC, grpcConfig: { service: "a.B", method: "C", metadata } });
    const stored = async () => JSON.stringify((await plane.context.storage.checks.byUuid(plane.account.id, body.id))?.definition);
    expect(await stored()).not.toContain("call-secret");
    expect(body.request.grpcConfig.metadata).toEqual(metadata); // SECRETS_READABLE=write
    const reader = await plane.keyFor("READ_RUN");
    const read = (await plane.call("GET", `/v1/checks/${body.id}`, { key: reader })).body.request;
    const masked = [{ ...metadata[0], value: "********" }, ...metadata.slice(1)];
    expect(read.grpcConfig.metadata).toEqual(masked);
    const { body: after } = await change("GRPC", body.id, {
      request: { grpcConfig: { service: "a.B", method: "C", metadata: masked.toReversed() } },
    });
    expect(after.request.grpcConfig.metadata).toEqual(metadata.toReversed());
    const unknown = { service: "a.B", method: "C", metadata: [{ key: "cookie", value: "********" }] };
    const lost = await change("GRPC", body.id, { request: { grpcConfig: unknown } });
    expect([lost.status, lost.body.attributes?.issues]).toMatchObject([400, [{ path: "request.grpcConfig.metadata[0].value" }]]);
  });

  it("show locked values to keys only that may write, and secret ones to none", async () => {
    const headers = [
      { key: "x-token", value: "locked header", locked: true },
      { key: "accept", value: "text/plain", locked: false },
    ];
    const environmentVariables = [
      { key: "A", value: "locked variable", locked: true, secret: false },
      { key: "B", value: "secret variable", locked: false, secret: true },
      { key: "C", value: "open variable", locked: false, secret: false },
    ];
    const scripted = { name: "s", locations: ["eu-west-1"], script: "1", environmentVariables };
    const api = await create("API", { method: "GET", url: "http://127.0.0.1/", headers, queryParameters: headers });
    const browser = await plane.call("POST", "/v1/checks/browser", { body: scripted });
    const [reader, writer] = await Promise.all([plane.keyFor("READ_RUN"), plane.keyFor("READ_WRITE")]);
    const shownTo = async (key: string): Promise<string> => {
      const ids = [api.body.id, browser.body.id].flatMap((id) => ["v1", "v2", "v3"].map((version) => `/${version}/checks/${id}`));
      const paths = [...ids, "/v1/checks?limit=100", "/v2/checks?limit=100", "/v3/checks?limit=100&applyGroupSettings=true"];
      return (await Promise.all(paths.map((path) => plane.call("GET", path, { key })))).map(({ text }) => text).join();
    };
    const [read, written] = [await shownTo(reader), await shownTo(writer)];
    for (const value of ["locked header", "locked variable"]) {
      expect(read).not.toContain(value);
      expect(written).toContain(value);
    }
    for (const text of [read, written]) {
      expect(text).toContain("open variable");
      expect(text).toContain("text/plain");
      expect(text).not.toContain("secret variable");
    }
  });

  it("are made while alert channels come and go", async () => {
    const channel = { type: "EMAIL", config: { address: "team@example.com" } };
    const comeAndGo = async (): Promise<void> => {
      for (let round = 0; round < 10; round += 1) {
        const { body } = await plane.call("POST", "/v1/alert-channels", { body: channel });
        await plane.call("DELETE", `/v1/alert-channels/${body.id}`);
      }
    };
    const make = async (): Promise<readonly number[]> => {
      const made: number[] = [];
      for (let round = 0; round < 10; round += 1) made.push((await create("TCP", requests.TCP)).status);
      return made;
    };
    const [made] = await Promise.all([Promise.all([make(), make()]), comeAndGo(), comeAndGo()]);
    expect(made.flat()).toEqual(Array.from({ length: 20 }, () => 201));
  });

  it("are found by a part of their URL only where they have one", async () => {
    await Promise.all([
      create("API", { method: "GET", url: "https://needle.example/api" }),
      create("URL", { url: "https://needle.example/page" }),
      create("TCP", { url: "needle.example", port: 1 }),
      create("SSL", { sslConfig: { hostname: "needle.example" } }),
    ]);
    const found = (await plane.call("GET", "/v1/checks?apiCheckUrlFilterPattern=NEEDLE.example")).body;
    expect(found.map(({ checkType }: { checkType: string }) => checkType).toSorted()).toEqual(["API", "URL"]);
  });

  it("spread their offsets over all types", async () => {
    const offsets = await Promise.all(
      types.map(async (type) => (await create(type, requests[type], { frequency: 720 })).body.frequencyOffset),
    );
    expect(new Set(offsets).size).toBe(types.length);
  });
});
