import { createServer as createTlsServer } from "node:tls";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { basicCredentials } from "#daemon/basic-credentials.ts";
import { createEgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import { ProbeError } from "../../../src/agent/net/probe-error.ts";
import type { Resolver } from "../../../src/agent/net/resolver.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { freePort } from "../../support/free-ports.ts";
import { type EchoedRequest, echo, httpServer } from "../../support/http-servers/http-server.ts";
import { type ProxyOptions, proxyServer } from "../../support/http-servers/proxy-server.ts";
import { rawServer, serve } from "../../support/http-servers/raw-server.ts";
import { fixedResolver, responseOf } from "../../support/run-context.ts";
import { turnsUntil } from "../../support/turns.ts";
import { apiChecks } from "../runners/api/api-check.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const run = apiChecks([certificates.ca]);

async function proxy(options: ProxyOptions = {}) {
  const server = await proxyServer(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** A target that answers every request with what it got, in the clear or over TLS. */
async function target(scheme: "http" | "https") {
  const requests: string[] = [];
  const tls = createTlsServer(certificates.pair("good"));
  const server =
    scheme === "http"
      ? await httpServer((request, response) => {
          requests.push(request.rawHeaders.join(" "));
          echo(request, response);
        })
      : await serve(tls, "secureConnection", (socket) => {
          socket
            .on("error", () => undefined)
            .once("data", (bytes) => {
              requests.push(bytes.toString("latin1"));
              socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            });
        });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { ...server, requests, url: `${scheme}://127.0.0.1:${server.port}/` };
}

const credentials: readonly (readonly [title: string, username: string, password: string, inUrl: string])[] = [
  ["none", "", "", ""],
  ["plain ones", "me", "secret", "me:secret@"],
  ["a user only", "me", "", "me@"],
  ["special characters, encoded", "me@home", "p@ss:/?#[]%20", "me%40home:p%40ss%3A%2F%3F%23%5B%5D%2520@"],
  ["special characters, bare", "me", "!$&'()*+,;=-._~", "me:!$&'()*+,;=-._~@"],
  ["letters beyond ASCII", "jürgen", "пароль", "jürgen:пароль@"],
  ["a stray percent sign", "me", "100%", "me:100%@"],
];

describe.each(["http", "https"] as const)("an %s target through the location's proxy", (scheme) => {
  describe.each(["http", "https"] as const)("spoken to over %s", (toProxy) => {
    const tls = toProxy === "https" ? { tls: certificates.pair("good") } : {};

    it.each(credentials)("is reached, with %s as credentials", async (_title, username, password, inUrl) => {
      const server = await proxy({ ...tls, ...(inUrl !== "" && { credentials: basicCredentials(username, password) }) });
      const { url, requests, port } = await target(scheme);
      const seen = await run({ url }, { proxyUrl: `${toProxy}://${inUrl}localhost:${server.port}` });
      expect(seen).toMatchObject({ failure: null, statusCode: 200, result: { connection: { remotePort: server.port } } });
      expect(server.asked).toEqual([scheme === "http" ? `GET ${url}` : `CONNECT 127.0.0.1:${port}`]);
      expect(requests).toHaveLength(1);
      expect(scheme === "https" && /proxy-authorization/i.test(requests[0] ?? "")).toBe(false);
      const { timingPhases: phases } = responseOf(seen);
      expect(phases.wait + phases.dns + phases.tcp + phases.tls + phases.firstByte + phases.download).toBeCloseTo(phases.total, 2);
      expect(phases.tls > 0).toBe(scheme === "https");
    });

    it("is not looked at when the proxy wants other credentials, and no word of them is told", async () => {
      const server = await proxy({ ...tls, credentials: "Basic other" });
      const behind = await target(scheme);
      const seen = await run({ url: behind.url }, { proxyUrl: `${toProxy}://canary-user:canary-word@127.0.0.1:${server.port}` });
      expect(seen).toMatchObject({ failure: { code: "EPROXY", side: "agent", message: expect.stringContaining("407") } });
      expect(seen.metrics["tls"]).toBe(scheme === "https" ? null : 0);
      expect(JSON.stringify(seen.failure)).not.toMatch(/canary|Y2FuYXJ5/);
      expect(behind.connections()).toBe(0);
    });
  });

  it("is reached through a proxy on IPv6, by address and by a name without IPv4", async () => {
    const server = await proxy({ host: "::1" });
    const { url } = await target(scheme);
    expect((await run({ url }, { proxyUrl: `http://[::1]:${server.port}` })).result.connection).toMatchObject({
      remoteAddress: "::1",
      ipFamily: "IPv6",
    });
    const known = fixedResolver({ "proxy.test": ["::1"] });
    const onlyIPv6: Resolver = {
      resolve: (host, family, signal) =>
        host === "proxy.test" && family === 4
          ? Promise.reject(new ProbeError("ENOTFOUND", "no such address"))
          : known.resolve(host, family, signal),
    };
    expect((await run({ url }, { proxyUrl: `http://proxy.test:${server.port}`, resolver: onlyIPv6 })).failure).toBeNull();
  });

  it("is not reached through a proxy whose certificate is not trusted, whatever skipSSL says", async () => {
    const server = await proxy({ tls: certificates.pair("expired") });
    const behind = await target(scheme);
    const seen = await run({ url: behind.url, skipSSL: true }, { proxyUrl: `https://me:canary@127.0.0.1:${server.port}` });
    expect(seen.failure).toMatchObject({ code: "EPROXY", side: "agent", message: expect.stringContaining("CERT_HAS_EXPIRED") });
    expect([server.asked, behind.connections()]).toEqual([[], 0]);
  });
});

describe("a proxy that fails", () => {
  afterEach(() => void vi.useRealTimers());

  it("as a connection names its address, keeps the look-up, and leaves what follows open", async () => {
    const gone = await freePort();
    const seen = await run({ url: "https://app.test/" }, { proxyUrl: `http://me:canary@localhost:${gone}` });
    expect(seen).toMatchObject({
      failure: { code: "EPROXY", side: "agent", message: expect.stringContaining("ECONNREFUSED") },
      metrics: { wait: expect.any(Number), dns: expect.any(Number), tcp: null, tls: null, firstByte: null },
      result: { connection: { remoteAddress: "127.0.0.1", remotePort: gone } },
    });
    expect(JSON.stringify({ ...seen, facts: null })).not.toContain("canary");
  });

  it.each([
    ["garbage", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["HTML without a head", "<html>log in</html>"],
    ["a head that never ends in size", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(40_000)}`],
    ["a TLS alert", Buffer.from([0x15, 0x03, 0x01, 0x00, 0x02, 0x02, 0x46])],
    ["half a head", "HTTP/1.1 200 OK\r\nVia: "],
    ["nothing", ""],
  ])("with %s to a CONNECT is EPROXY, before the target's TLS", async (_title, answer) => {
    await using server = await rawServer((socket) => void socket.once("data", () => socket.end(answer)));
    const seen = await run({ url: "https://app.test/" }, { proxyUrl: `http://127.0.0.1:${server.port}` });
    expect(seen).toMatchObject({ failure: { code: "EPROXY", side: "agent" }, metrics: { dns: expect.any(Number), tcp: null, tls: null } });
  });

  it.each([
    ["403", "agent"],
    ["500", "agent"],
    ["302", "agent"],
    ["502", "target"],
    ["503", "target"],
    ["504", "target"],
  ])("with %s to a CONNECT blames the %s", async (status, side) => {
    const server = await proxy({ connectStatus: Number(status) });
    expect((await run({ url: "https://app.test/" }, { proxyUrl: `http://127.0.0.1:${server.port}` })).failure).toMatchObject({
      code: "EPROXY",
      side,
      message: `the location's proxy answered ${status} to CONNECT app.test:443`,
    });
  });

  it.each([
    ["at once", 0],
    ["within the handshake", 300],
  ])("and cuts the tunnel %s is ECONNRESET in the TLS phase", async (_title, passedBytes) => {
    await using server = await rawServer((socket) => {
      socket.once("data", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        let passed = 0;
        socket.on("data", (bytes) => {
          passed += bytes.length;
          if (passed >= passedBytes) socket.resetAndDestroy();
        });
      });
    });
    const seen = await run({ url: "https://app.test/" }, { proxyUrl: `http://127.0.0.1:${server.port}` });
    expect(seen).toMatchObject({ failure: { code: "ECONNRESET" }, metrics: { tcp: expect.any(Number), tls: null, firstByte: null } });
  });

  it("and cuts a plain answer is ECONNRESET within the body, with the status", async () => {
    await using server = await rawServer(
      (socket) => void socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")),
    );
    const seen = await run({ url: "http://app.test/" }, { proxyUrl: `http://127.0.0.1:${server.port}` });
    expect(seen).toMatchObject({
      failure: { code: "ECONNRESET" },
      statusCode: 200,
      metrics: { firstByte: expect.any(Number), download: null },
    });
  });

  it.each([
    ["says nothing", ""],
    ["drips its head", "HTTP/1.1 200 OK\r\nX-"],
  ])("and %s to a CONNECT is given up after 10 s", async (_title, beginning) => {
    let asked = false;
    let dripped = 0;
    await using server = await rawServer((socket) => {
      socket.once("data", () => {
        asked = true;
        if (beginning === "") return;
        socket.write(beginning);
        const dripping = setInterval(() => (dripped += Number(socket.write("x"))), 1);
        socket.on("close", () => clearInterval(dripping));
      });
    });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const running = run({ url: "https://app.test/" }, { proxyUrl: `http://127.0.0.1:${server.port}` });
    await turnsUntil(() => asked && (beginning === "" || dripped > 20));
    vi.advanceTimersByTime(10_001);
    expect((await running).failure).toMatchObject({
      code: "EPROXY",
      side: "agent",
      message: expect.stringMatching(/ETIMEDOUT: CONNECT took longer than 10000 ms/),
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the egress policy behind a proxy", () => {
  it("holds for names and literals of targets, on every hop, before the proxy is spoken to", async () => {
    const server = await proxy();
    const egress = createEgressPolicy({
      allowCidrs: [],
      denyCidrs: ["10.9.0.0/16"],
      denyDomains: ["*.corp.test"],
      mode: "default",
      ownPorts: [],
    });
    for (const url of [
      "http://10.9.1.1/",
      "https://db.corp.test/",
      "http://2852039166/",
      "https://[::ffff:a9fe:a9fe]/",
      "http://metadata.google.internal./",
    ]) {
      const seen = await run({ url }, { proxyUrl: `http://127.0.0.1:${server.port}`, egress });
      expect([url, seen.failure?.code, seen.metrics["dns"], seen.metrics["tcp"]]).toEqual([url, "EPOLICY", null, null]);
    }
    expect(server.connections()).toBe(0);
    await using redirecting = await httpServer((_request, response) =>
      response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
    );
    const seen = await run({ url: redirecting.url }, { proxyUrl: `http://127.0.0.1:${server.port}`, egress });
    expect(seen).toMatchObject({ failure: { code: "EPOLICY" }, result: { redirects: [{ status: 302 }] } });
    expect(server.asked).toEqual([`GET ${redirecting.url}/`]);
  });

  it("leaves a name to the proxy, which may know another network", async () => {
    const server = await proxy();
    await using inner = await httpServer(echo, "127.0.0.1");
    const { headers } = JSON.parse(
      (await run({ url: inner.url }, { proxyUrl: `http://127.0.0.1:${server.port}` })).facts.text(),
    ) as EchoedRequest;
    expect(headers["host"]).toBe(new URL(inner.url).host);
    expect(headers).not.toHaveProperty("proxy-authorization");
  });
});
