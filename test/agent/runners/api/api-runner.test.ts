import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { AppError } from "#domain/app-error.ts";
import { ProbeError } from "../../../../src/agent/net/probe-error.ts";
import type { RunContext } from "../../../../src/agent/runners/check-runner.ts";
import { freePort } from "../../../support/free-ports.ts";
import { type EchoedRequest, echo, httpServer } from "../../../support/http-servers/http-server.ts";
import { rawServer } from "../../../support/http-servers/raw-server.ts";
import { fixedResolver, responseOf } from "../../../support/run-context.ts";
import { apiChecks, type RequestInput } from "./api-check.ts";

const run = apiChecks();

async function echoed(request: RequestInput, context: Partial<RunContext> = {}): Promise<EchoedRequest> {
  const seen = await run(request, context);
  expect(seen.failure).toBeNull();
  return JSON.parse(seen.facts.text()) as EchoedRequest;
}

async function echoServer() {
  const server = await httpServer(echo);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

describe("the request of an API check", () => {
  it("has a monitor's own headers where the caller gives none", async () => {
    const server = await echoServer();
    const { method, url, rawHeaders } = await echoed({ url: `${server.url}/path?a=1#part` });
    expect([method, url]).toEqual(["GET", "/path?a=1"]);
    expect(rawHeaders).toEqual([
      "Host",
      `127.0.0.1:${server.port}`,
      "User-Agent",
      "outpost/test",
      "Accept",
      "*/*",
      "Accept-Encoding",
      "gzip, deflate, br",
      "Connection",
      "close",
    ]);
  });

  it("lets the caller's Host, User-Agent and Accept win, and keeps framing to itself", async () => {
    const server = await echoServer();
    const { headers } = await echoed({
      url: server.url,
      headers: [
        { key: "host", value: "virtual.example" },
        { key: "user-agent", value: "mine" },
        { key: "ACCEPT", value: "text/plain" },
        { key: "content-length", value: "99" },
        { key: "X-Twice", value: "1" },
        { key: "X-Twice", value: "2" },
      ],
    });
    expect(headers).toMatchObject({ host: "virtual.example", "user-agent": "mine", accept: "text/plain", "x-twice": "1, 2" });
    expect(headers).not.toHaveProperty("content-length");
  });

  it("appends query parameters and leaves the address's own query as it is", async () => {
    const server = await echoServer();
    const { url } = await echoed({
      url: `${server.url}/?q=a%20b+c`,
      queryParameters: [
        { key: "x y", value: "1&2" },
        { key: "x y", value: "é" },
      ],
    });
    expect(url).toBe("/?q=a%20b+c&x%20y=1%262&x%20y=%C3%A9");
  });

  it.each([
    { bodyType: "JSON", body: '{"a":1}', type: "application/json", sent: '{"a":1}' },
    { bodyType: "FORM", body: "a=1&b=%20", type: "application/x-www-form-urlencoded", sent: "a=1&b=%20" },
    { bodyType: "GRAPHQL", body: "{ me { id } }", type: "application/json", sent: '{"query":"{ me { id } }"}' },
    { bodyType: "GRAPHQL", body: '{"query":"{me}"}', type: "application/json", sent: '{"query":"{me}"}' },
    { bodyType: "RAW", body: "plain ü", type: undefined, sent: "plain ü" },
    { bodyType: "NONE", body: "ignored", type: undefined, sent: "" },
  ] as const)("sends a $bodyType body as $type: $sent", async ({ bodyType, body, type, sent }) => {
    const server = await echoServer();
    const request = await echoed({ method: "POST", url: server.url, bodyType, body });
    expect([request.body, request.headers["content-type"]]).toEqual([sent, type]);
    expect(request.headers["content-length"]).toBe(String(Buffer.byteLength(sent)));
  });

  it("keeps the caller's Content-Type, and sends a body with GET where the user gave one", async () => {
    const server = await echoServer();
    const request = await echoed({
      url: server.url,
      bodyType: "JSON",
      body: "{}",
      headers: [{ key: "content-type", value: "application/vnd.x+json" }],
    });
    expect([request.method, request.body, request.headers["content-type"]]).toEqual(["GET", "{}", "application/vnd.x+json"]);
  });

  it("sends basic credentials from the settings, or from the address", async () => {
    const server = await echoServer();
    const basic = await echoed({ url: server.url, basicAuth: { username: "u", password: "p:ü" } });
    expect(basic.headers["authorization"]).toBe(`Basic ${Buffer.from("u:p:ü").toString("base64")}`);
    const inUrl = await echoed({ url: server.url.replace("http://", "http://me:s%40t@") });
    expect(inUrl.headers["authorization"]).toBe(`Basic ${Buffer.from("me:s@t").toString("base64")}`);
  });

  it.each(["not a url", "example.com", "ftp://example.com/", "http://", "http://exa mple/"])(
    "that is %j is EBADURL and sends nothing",
    async (url) => {
      const seen = await run({ url });
      expect(seen.failure).toMatchObject({ code: "EBADURL", side: "target" });
      expect(seen.metrics).toEqual({ wait: null, dns: null, tcp: null, tls: null, firstByte: null, download: null });
    },
  );

  it("with a line break in a header is EBADHEADER and sends nothing", async () => {
    const server = await echoServer();
    const { failure } = await run({ url: server.url, headers: [{ key: "x", value: "a\r\nEvil: 1" }] });
    expect(failure).toMatchObject({
      code: "EBADHEADER",
      message: 'the header "x" holds a line break or other characters that HTTP does not allow',
    });
  });
});

describe("the observation of an API check", () => {
  it.each([200, 204, 304, 404, 500, 599])("takes status %i as an answer", async (status) => {
    await using server = await httpServer((_request, response) =>
      response.writeHead(status, "Reason").end(status === 200 ? "ok" : undefined),
    );
    const seen = await run({ url: server.url });
    expect(seen).toMatchObject({
      failure: null,
      statusCode: status,
      result: { requestError: null, response: { status, statusText: "Reason" } },
    });
  });

  it("has phases that sum to the total and timings that agree with them", async () => {
    await using server = await httpServer((_request, response) => {
      setTimeout(() => {
        response.write("first");
        setTimeout(() => response.end("last"), 40);
      }, 60);
    });
    const resolver = { resolve: () => new Promise<string[]>((resolve) => setTimeout(() => resolve(["127.0.0.1"]), 30)) };
    const seen = await run({ url: `http://app.test:${server.port}/` }, { resolver });
    const { timings, timingPhases: phases } = responseOf(seen);
    expect(phases.wait + phases.dns + phases.tcp + phases.tls + phases.firstByte + phases.download).toBeCloseTo(phases.total, 2);
    expect(phases.dns).toBeGreaterThanOrEqual(29);
    expect(phases.firstByte).toBeGreaterThanOrEqual(59);
    expect(phases.firstByte + phases.download).toBeGreaterThanOrEqual(99); // a busy machine sees the first byte late
    expect(phases.download).toBeGreaterThan(0);
    expect(phases.tls).toBe(0);
    expect((timings.response ?? 0) - (timings.connect ?? 0)).toBeCloseTo(phases.firstByte, 2);
    expect(seen.responseTimeMs).toBe(phases.total);
    expect(seen.stoppedMs - seen.startedMs).toBeCloseTo(phases.total, 2);
    const { total: _total, ...metrics } = phases;
    expect(seen.metrics).toEqual(metrics);
  });

  it("sums the phases over redirects", async () => {
    await using server = await httpServer((request, response) => {
      setTimeout(() => (request.url === "/" ? response.writeHead(302, { location: "/next" }).end() : response.end("there")), 25);
    });
    const seen = await run({ url: server.url });
    const phases = responseOf(seen).timingPhases;
    expect(phases.firstByte).toBeGreaterThanOrEqual(49);
    expect(phases.wait + phases.dns + phases.tcp + phases.tls + phases.firstByte + phases.download).toBeCloseTo(phases.total, 2);
    expect(seen.result.redirects).toEqual([{ status: 302, location: "/next" }]);
  });

  it("joins headers for assertions, and keeps several Set-Cookie apart in the result", async () => {
    await using server = await httpServer((_request, response) => {
      response
        .writeHead(200, [
          ["X-A", "1"],
          ["x-a", "2"],
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2"],
          ["__proto__", "x"],
        ])
        .end();
    });
    const seen = await run({ url: server.url });
    expect(seen.facts.headers["x-a"]).toBe("1, 2");
    expect(seen.facts.headers["set-cookie"]).toBe("a=1, b=2");
    expect(seen.result.response?.headers["set-cookie"]).toEqual(["a=1", "b=2"]);
    expect(Object.keys(seen.facts.headers)).toContain("__proto__");
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
  });

  it("says for a refused connection how far it came", async () => {
    const gone = await freePort();
    const seen = await run({ url: `http://127.0.0.1:${gone}/` });
    expect(seen.failure).toMatchObject({ code: "ECONNREFUSED", side: "target" });
    expect(seen.metrics).toMatchObject({ dns: expect.any(Number), tcp: null, tls: null, firstByte: null, download: null });
    expect(seen.result).toMatchObject({
      response: null,
      requestError: expect.stringMatching(/^ECONNREFUSED: /),
      connection: { remotePort: gone },
    });
  });

  it("is ETIMEDOUT for the whole request when the run's own deadline passes", async () => {
    await using server = await rawServer(() => undefined);
    const deadline = new AbortController();
    setTimeout(() => deadline.abort(new AppError("deadline_exceeded", "the run took longer than 30000 ms")), 20);
    const seen = await run({ url: `http://127.0.0.1:${server.port}/` }, { signal: deadline.signal });
    expect(seen.failure).toMatchObject({ code: "ETIMEDOUT", message: expect.stringContaining("30000 ms") });
    expect(seen.metrics).toMatchObject({ tcp: expect.any(Number), firstByte: null });
  });

  it("throws the reason of any other abort", async () => {
    await using server = await rawServer(() => undefined);
    const cancelled = new AppError("cancelled", "nobody wants it");
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(cancelled), 20);
    await expect(run({ url: `http://127.0.0.1:${server.port}/` }, { signal: cancel.signal })).rejects.toBe(cancelled);
  });
});

describe("the body of a response", () => {
  const serve = (body: string | Buffer, headers: Record<string, string> = {}) =>
    httpServer((_request, response) => response.writeHead(200, headers).end(body));

  it("is stored as text up to 256 KB, cut between characters, and read whole for assertions", async () => {
    const body = "é".repeat(200_000);
    await using server = await serve(`x${body}`, { "content-type": "text/plain" });
    const { result, facts } = await run({ url: server.url });
    expect(result.response).toMatchObject({ truncated: true, bodyBytes: 400_001 });
    expect(result.response?.body).toBe(`x${"é".repeat(131_071)}`);
    expect(facts.text()).toHaveLength(200_001);
  });

  it.each([
    ["bytes that are no UTF-8", Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ["a NUL", Buffer.from("a\0b")],
  ])("is stored as base64 for %s", async (_title, body) => {
    await using server = await serve(body);
    expect((await run({ url: server.url })).result.response).toMatchObject({
      bodyEncoding: "base64",
      body: body.toString("base64"),
      truncated: false,
    });
  });

  it("is decoded by the charset that the response names", async () => {
    await using server = await serve(Buffer.from("caf\u00e9", "latin1"), { "content-type": "text/plain; charset=ISO-8859-1" });
    const { result, facts } = await run({ url: server.url });
    expect([result.response?.body, facts.text()]).toEqual(["café", "café"]);
  });

  it("is unpacked, and counted unpacked", async () => {
    await using server = await serve(gzipSync("hello ".repeat(100)), { "content-encoding": "gzip" });
    const { result } = await run({ url: server.url });
    expect(result.response).toMatchObject({ body: "hello ".repeat(100), bodyBytes: 600 });
  });

  it("may be empty, also with an encoding, and to HEAD", async () => {
    await using server = await serve("", { "content-encoding": "gzip" });
    expect((await run({ url: server.url })).result.response).toMatchObject({ body: "", bodyBytes: 0 });
    await using headed = await serve("", { "content-length": "500" });
    expect((await run({ url: headed.url, method: "HEAD" })).result.response).toMatchObject({ body: "", status: 200 });
  });
});

describe("a target by name", () => {
  it("that does not exist is ENOTFOUND on the target's side", async () => {
    const resolver = { resolve: () => Promise.reject(new ProbeError("ENOTFOUND", "no such host")) };
    const seen = await run({ url: "http://nowhere.test/" }, { resolver });
    expect(seen.failure).toMatchObject({ code: "ENOTFOUND", side: "target" });
    expect(seen.metrics).toMatchObject({ wait: expect.any(Number), dns: null });
    expect(seen.result.connection).toBeNull();
  });

  it("is sent as Host, with its port", async () => {
    const server = await echoServer();
    const { headers } = await echoed(
      { url: `http://app.test:${server.port}/` },
      { resolver: fixedResolver({ "app.test": ["127.0.0.1"] }) },
    );
    expect(headers["host"]).toBe(`app.test:${server.port}`);
  });
});
