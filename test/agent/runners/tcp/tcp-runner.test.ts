import { createServer } from "node:tls";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { AppError } from "#domain/app-error.ts";
import { createEgressPolicy } from "../../../../src/agent/net/egress-policy.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { freePort } from "../../../support/free-ports.ts";
import { cannedServer, rawServer, serve } from "../../../support/http-servers/raw-server.ts";
import { silentPort } from "../../../support/http-servers/silent-port.ts";
import { fixedResolver, responseOf } from "../../../support/run-context.ts";
import { turnsUntil } from "../../../support/turns.ts";
import { tcpChecks } from "./tcp-check.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const check = tcpChecks([certificates.ca]);
const assertion = { source: "RESPONSE_DATA", comparison: "NOT_EMPTY" } as const;
const deaf = () => undefined;

describe("the TCP runner", () => {
  afterEach(() => void vi.useRealTimers());

  it("takes a connection for the answer where nothing else is asked, with phases that sum to the total", async () => {
    await using server = await rawServer((socket) => void socket.write("nobody reads this"));
    const seen = await check({ hostname: "app.test", port: server.port }, { resolver: fixedResolver({ "app.test": ["127.0.0.1"] }) });
    expect(seen).toMatchObject({ failure: null, statusCode: null, trail: null });
    const { timingPhases, ...response } = responseOf(seen);
    expect(response).toEqual({ data: "", truncated: false, bytesReceived: 0, endedBy: "nothing_asked" });
    expect(timingPhases.data).toBe(0);
    expect(timingPhases.dns + timingPhases.connection).toBeCloseTo(timingPhases.total, 3);
    expect(seen.responseTimeMs).toBe(timingPhases.connection);
    expect(seen.metrics).toEqual(timingPhases);
    expect(seen.result.connection).toEqual({ remoteAddress: "127.0.0.1", remotePort: server.port, ipFamily: "IPv4", tls: null });
  });

  it("sends the data as it is, UTF-8 and backslashes too", async () => {
    await using server = await rawServer((socket) => socket.on("data", (bytes) => void socket.end(bytes)));
    const data = 'naïve "quoted" \\r\\n {{X}} \u{1f600}\r\n';
    const seen = await check({ port: server.port, data });
    expect(responseOf(seen)).toMatchObject({ data, endedBy: "close", bytesReceived: Buffer.byteLength(data) });
    expect(seen.facts.text()).toBe(data);
  });

  it("listens without sending where an assertion or an expression asks for data", async () => {
    await using server = await rawServer((socket) => void socket.end("220 ready\r\n"));
    expect(responseOf(await check({ port: server.port, assertions: [assertion] }))).toMatchObject({
      data: "220 ready\r\n",
      endedBy: "close",
    });
    expect(responseOf(await check({ port: server.port, expect: "^220 " }))).toMatchObject({ data: "220 ready\r\n", endedBy: "expect" });
  });

  it("does not read for an assertion on the time", async () => {
    await using server = await rawServer(deaf);
    const assertions = [{ source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "1000" } as const];
    expect(responseOf(await check({ port: server.port, assertions })).endedBy).toBe("nothing_asked");
  });

  it("takes 300 ms of quiet for the end, which are no part of the data's phase", async () => {
    await using server = await rawServer((socket) => {
      socket.write("one ");
      setTimeout(() => void socket.write("two"), 100);
    });
    const seen = await check({ port: server.port, assertions: [assertion] });
    const response = responseOf(seen);
    expect(response).toMatchObject({ data: "one two", endedBy: "quiet" });
    expect(seen.stoppedMs - seen.startedMs).toBeGreaterThan(response.timingPhases.total + 250);
    expect(response.timingPhases.data).toBeGreaterThan(80);
  });

  it("waits through quiet for what is expected, wherever packets cut it", async () => {
    await using server = await rawServer((socket) => {
      socket.write("+PO");
      setTimeout(() => void socket.write("NG\r\n"), 400);
    });
    expect(responseOf(await check({ port: server.port, expect: "\\+PONG" }))).toMatchObject({ data: "+PONG\r\n", endedBy: "expect" });
  });

  it("does not mistake a group that took no part for no match", async () => {
    await using server = await rawServer((socket) => void socket.write("b"));
    expect(responseOf(await check({ port: server.port, expect: "(a)|b" })).endedBy).toBe("expect");
  });

  it.each([
    [
      "closes",
      () => rawServer((socket) => socket.end("220 other\r\n")),
      "close",
      /^nothing that 127.0.0.1:\d+ sent matches .*\(11 bytes came, then it closed/,
    ],
    ["floods", () => rawServer((socket) => socket.end("x".repeat(200_000))), "limit", /matches the expected expression/],
    ["closes at once", () => rawServer((socket) => socket.end()), "close", /\(0 bytes came, then it closed/],
  ] as const)("says EEXPECT, with what came, where the target %s without it", async (_what, start, endedBy, message) => {
    await using server = await start();
    const seen = await check({ port: server.port, expect: "^220 ready" });
    expect(seen.failure).toMatchObject({ code: "EEXPECT", side: "target", message: expect.stringMatching(message) });
    expect(seen.result).toMatchObject({ requestError: expect.stringMatching(/^EEXPECT: /), response: { endedBy }, connection: {} });
    expect(seen.trail).toBeNull();
  });

  it("reads 64 KB and no more, as text also where a character was cut", async () => {
    await using server = await rawServer((socket) => socket.end(`x${"ü".repeat(100_000)}`));
    const response = responseOf(await check({ port: server.port, assertions: [assertion] }));
    expect(response).toMatchObject({ truncated: true, endedBy: "limit" });
    expect(response).not.toHaveProperty("dataEncoding");
    expect(Buffer.byteLength(response.data)).toBe(65_535);
    expect(response.bytesReceived).toBeGreaterThanOrEqual(65_536);
  });

  it("stores what is no text as base64", async () => {
    const bytes = Buffer.from([0, 1, 2, 0xff]);
    await using server = await cannedServer(bytes);
    expect(responseOf(await check({ port: server.port, data: "?" }))).toMatchObject({
      data: bytes.toString("base64"),
      dataEncoding: "base64",
    });
  });

  it.each([
    [200, 1_000],
    [5_000, 5_000],
    [60_000, 10_000],
  ])("with a limit of %i ms waits %i ms for an answer that never comes", async (maxResponseTime, limitMs) => {
    await using server = await rawServer(deaf);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const done = check({ port: server.port, data: "hello?" }, { maxResponseTime });
    await turnsUntil(() => server.connections() > 0);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(limitMs + 1);
    const seen = await done;
    const message = `answer of 127.0.0.1:${server.port} took longer than ${limitMs} ms`;
    expect(seen.failure).toEqual({ code: "ETIMEDOUT", message, side: "target" });
    expect(seen.metrics).toMatchObject({ connection: expect.any(Number), data: null, total: null });
    expect(seen.responseTimeMs).toBe(seen.metrics["connection"]);
    expect(seen.trail).toMatchObject({ code: "ETIMEDOUT", address: "127.0.0.1" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("takes what came until the limit, where it drips without end", async () => {
    await using server = await rawServer((socket) => {
      const timer = setInterval(() => void socket.write("."), 100);
      socket.on("close", () => clearInterval(timer));
    });
    const seen = await check({ port: server.port, assertions: [assertion] }, { maxResponseTime: 1_000 });
    expect(responseOf(seen)).toMatchObject({ endedBy: "limit", truncated: false });
    expect((await check({ port: server.port, expect: "never" }, { maxResponseTime: 1_000 })).failure).toMatchObject({ code: "EEXPECT" });
  });

  it("keeps what came before a reset, and tells a reset before anything did", async () => {
    await using late = await rawServer((socket) => {
      socket.write("partial");
      setTimeout(() => socket.resetAndDestroy(), 50);
    });
    expect(responseOf(await check({ port: late.port, assertions: [assertion] }))).toMatchObject({ data: "partial", endedBy: "close" });
    await using early = await rawServer((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const seen = await check({ port: early.port, data: "x" });
    expect(seen.failure).toMatchObject({ code: "ECONNRESET", side: "target" });
    expect(seen.trail).toMatchObject({ code: "ECONNRESET" });
  });

  it("refuses an expression that its engine cannot run, before it dials", async () => {
    await using server = await rawServer(deaf);
    const seen = await check({ port: server.port, expect: "(?<=a)b" });
    expect(seen).toMatchObject({ failure: { code: "EBADEXPECT" }, trail: null, result: { connection: null, response: null } });
    expect(server.connections()).toBe(0);
  });

  it("looks at an answer that drips byte by byte for a bounded time only", async () => {
    let sent = 0;
    await using server = await rawServer((socket) => {
      socket.setNoDelay(true);
      const drip = (): void => {
        sent += 1;
        if (!socket.destroyed) socket.write("a", () => setImmediate(drip));
      };
      drip();
    });
    const cpu = process.threadCpuUsage();
    const seen = await check({ port: server.port, expect: "(a|b|c)*(a|aa|aaa){1,50}z" }, { maxResponseTime: 1_000 });
    const spent = process.threadCpuUsage(cpu);
    expect(seen.failure).toMatchObject({ code: "EEXPECT" });
    expect(sent).toBeGreaterThan(100);
    // Looking at each byte anew would take minutes; most of this is the drip itself.
    expect((spent.user + spent.system) / 1_000).toBeLessThan(5_000);
  });
});

describe("the TCP runner's TLS", () => {
  const secureServer = (name: "good" | "selfSigned") =>
    serve(createServer(certificates.pair(name)), "secureConnection", (socket) => {
      socket.on("error", deaf);
      socket.end(`hello over ${"authorized" in socket ? "TLS" : "TCP"}`);
    });

  it("belongs to the connection's phase, and reads what comes over it", async () => {
    await using server = await secureServer("good");
    const seen = await check({ port: server.port, tls: true, expect: "over TLS" });
    expect(responseOf(seen)).toMatchObject({ data: "hello over TLS", endedBy: "expect" });
    expect(seen.result.connection?.tls).toMatchObject({ authorized: true, protocol: "TLSv1.3" });
  });

  it("does not send anything to a peer that is not trusted, unless told to", async () => {
    await using server = await secureServer("selfSigned");
    const seen = await check({ port: server.port, tls: true });
    expect(seen.failure).toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(seen.trail).toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT", tls: true });
    expect(seen.result.connection?.tls).toMatchObject({ authorized: false, daysRemaining: expect.any(Number) });
    expect((await check({ port: server.port, tls: true, skipSSL: true })).failure).toBeNull();
  });

  it("says EPROTO where the peer speaks something else", async () => {
    await using server = await rawServer((socket) => void socket.write("220 plain\r\n"));
    const seen = await check({ port: server.port, tls: true });
    expect(seen).toMatchObject({
      failure: { code: "EPROTO" },
      trail: { code: "EPROTO" },
      metrics: { dns: expect.any(Number), connection: null },
    });
  });
});

describe("the TCP runner's failures", () => {
  afterEach(() => void vi.useRealTimers());

  it("tells a refused connection with what was dialled, and where to look", async () => {
    const gone = await freePort();
    const seen = await check({ port: gone });
    expect(seen.failure).toMatchObject({ code: "ECONNREFUSED", side: "target" });
    expect(seen.trail).toEqual({
      host: "127.0.0.1",
      port: gone,
      ipFamily: "IPv4",
      address: "127.0.0.1",
      tls: false,
      code: "ECONNREFUSED",
    });
    expect(seen.result).toMatchObject({
      response: null,
      connection: { remoteAddress: "127.0.0.1" },
      requestError: expect.stringMatching(/^ECONN/),
    });
    expect(seen.metrics).toMatchObject({ dns: expect.any(Number), connection: null, data: null, total: null });
  });

  it("takes IPv6 with and without brackets", async () => {
    await using server = await rawServer(deaf, "::1");
    for (const hostname of ["::1", "[::1]"]) {
      const seen = await check({ hostname, port: server.port, ipFamily: "IPv6" });
      expect(seen).toMatchObject({ failure: null, result: { connection: { remoteAddress: "::1" }, request: { hostname } } });
    }
  });

  it("looks up names of other scripts in their ASCII form", async () => {
    await using server = await rawServer(deaf);
    const resolver = fixedResolver({ "xn--bcher-kva.test": ["127.0.0.1"] });
    expect((await check({ hostname: "bücher.test", port: server.port }, { resolver })).failure).toBeNull();
  });

  it("has no trail for what the policy denies", async () => {
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: ["127.0.0.1"], mode: "default", ownPorts: [] });
    expect(await check({ port: 1 }, { egress })).toMatchObject({ failure: { code: "EPOLICY" }, trail: null });
  });

  it("a run's own deadline is a failure, any other abort is thrown", async () => {
    await using silent = await silentPort("127.0.0.1");
    const late = new AppError("deadline_exceeded", "the check took longer than 30000 ms");
    expect(await check({ port: silent.port }, { signal: AbortSignal.abort(late) }).catch((error: unknown) => error)).toBe(late);
    const run = new AbortController();
    const done = check({ port: silent.port }, { signal: run.signal });
    setImmediate(() => run.abort(late));
    expect((await done).failure).toMatchObject({ code: "ETIMEDOUT" });
    const other = new AbortController();
    const cancelled = check({ port: silent.port }, { signal: other.signal });
    setImmediate(() => other.abort("cancelled"));
    await expect(cancelled).rejects.toBe("cancelled");
  });
});
