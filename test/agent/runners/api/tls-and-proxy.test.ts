import { createServer as createTlsServer } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { basicCredentials } from "#daemon/basic-credentials.ts";
import { seenCertificate } from "#domain/alerting/seen-certificate.ts";
import { AppError } from "#domain/app-error.ts";
import { createEgressPolicy } from "../../../../src/agent/net/egress-policy.ts";
import { type CertificateName, makeCertificates } from "../../../support/certificates.ts";
import { freePort } from "../../../support/free-ports.ts";
import { type EchoedRequest, echo, httpServer } from "../../../support/http-servers/http-server.ts";
import { proxyServer } from "../../../support/http-servers/proxy-server.ts";
import { rawServer, serve } from "../../../support/http-servers/raw-server.ts";
import { fixedResolver } from "../../../support/run-context.ts";
import { apiChecks } from "./api-check.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const run = apiChecks([certificates.ca]);

/** Answers "secure", and counts the requests that were sent, not only connections. */
async function secureServer(name: CertificateName) {
  const requests: string[] = [];
  const server = await serve(
    createTlsServer({ ...certificates.pair(name), ALPNProtocols: ["h2", "http/1.1"] }),
    "secureConnection",
    (socket) => {
      socket.on("error", () => undefined);
      socket.once("data", (bytes) => {
        requests.push(bytes.toString("latin1"));
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecure");
      });
    },
  );
  return { ...server, requests, url: `https://127.0.0.1:${server.port}/` };
}

describe("TLS", () => {
  it("with a trusted certificate tells protocol, cipher, expiry and its own phase", async () => {
    await using server = await secureServer("good");
    const seen = await run({ url: server.url });
    expect(seen).toMatchObject({ failure: null, statusCode: 200, metrics: { tls: expect.any(Number) } });
    expect(seen.metrics["tls"]).toBeGreaterThan(0);
    expect(seen.result.connection?.tls).toMatchObject({
      protocol: "TLSv1.3",
      authorized: true,
      trustError: null,
      daysRemaining: expect.closeTo(29, 1),
    });
    const fingerprint = expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(seenCertificate(seen.result)).toEqual({ domain: "127.0.0.1", fingerprint, daysRemaining: expect.closeTo(29, 1) });
    expect(seen.result.response?.timings.secureConnect).toBeGreaterThan(seen.result.response?.timings.connect ?? Infinity);
  });

  it.each([
    ["expired", "CERT_HAS_EXPIRED", -2],
    ["wrongHost", "ERR_TLS_CERT_ALTNAME_INVALID", 29],
    ["selfSigned", "DEPTH_ZERO_SELF_SIGNED_CERT", 29],
  ] as const)("with the %s certificate is %s, with its expiry, and sends no request", async (name, code, days) => {
    await using server = await secureServer(name);
    const seen = await run({ url: server.url });
    expect(seen.failure).toMatchObject({ code, side: "target" });
    expect(seen.result.connection?.tls).toMatchObject({ authorized: false, trustError: code });
    expect(Math.abs((seen.result.connection?.tls?.daysRemaining ?? 99) - days)).toBeLessThanOrEqual(1);
    expect(server.requests).toEqual([]);
  });

  it.each(["expired", "wrongHost", "selfSigned"] as const)(
    "with the %s certificate and skipSSL answers, and still says what is wrong",
    async (name) => {
      await using server = await secureServer(name);
      const seen = await run({ url: server.url, skipSSL: true });
      expect(seen).toMatchObject({ failure: null, statusCode: 200 });
      expect(seen.result.connection?.tls).toMatchObject({ authorized: false, trustError: expect.any(String), validTo: expect.any(String) });
    },
  );

  it("to a port that speaks plain HTTP is EPROTO", async () => {
    await using server = await httpServer(echo);
    expect((await run({ url: server.url.replace("http:", "https:") })).failure).toMatchObject({
      code: "EPROTO",
      message: expect.stringContaining("TLS"),
    });
  });

  it("that is reset in the handshake is ECONNRESET, without a TLS phase", async () => {
    await using server = await rawServer((socket) => void socket.once("data", () => socket.resetAndDestroy()));
    const seen = await run({ url: `https://127.0.0.1:${server.port}/` });
    expect(seen).toMatchObject({ failure: { code: "ECONNRESET" }, metrics: { tcp: expect.any(Number), tls: null, firstByte: null } });
  });
});

describe("the location's proxy", () => {
  const proxied = (port: number, auth = "", scheme = "http"): string => `${scheme}://${auth}127.0.0.1:${port}`;

  it("gets plain requests in absolute form, with the name unresolved", async () => {
    await using target = await httpServer(echo);
    await using proxy = await proxyServer();
    const seen = await run({ url: `${target.url}/x` }, { proxyUrl: proxied(proxy.port) });
    expect((JSON.parse(seen.facts.text()) as EchoedRequest).url).toBe("/x");
    expect(proxy.asked).toEqual([`GET ${target.url}/x`]);
    expect(seen.result.connection?.remotePort).toBe(proxy.port);
  });

  it("opens a tunnel for TLS, and the target's certificate is judged inside", async () => {
    await using good = await secureServer("good");
    await using expired = await secureServer("expired");
    await using proxy = await proxyServer();
    const proxyUrl = proxied(proxy.port);
    expect(await run({ url: good.url }, { proxyUrl })).toMatchObject({
      failure: null,
      result: { connection: { tls: { authorized: true } } },
    });
    expect((await run({ url: expired.url }, { proxyUrl })).failure).toMatchObject({ code: "CERT_HAS_EXPIRED", side: "target" });
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${good.port}`, `CONNECT 127.0.0.1:${expired.port}`]);
  });

  it("may be spoken to over TLS, with credentials", async () => {
    await using good = await secureServer("good");
    await using plain = await httpServer(echo);
    await using proxy = await proxyServer({ credentials: basicCredentials("me", "p@ss"), tls: certificates.pair("good") });
    const proxyUrl = proxied(proxy.port, "me:p%40ss@", "https");
    expect((await run({ url: good.url }, { proxyUrl })).failure).toBeNull();
    const through = await run({ url: plain.url }, { proxyUrl });
    expect((JSON.parse(through.facts.text()) as EchoedRequest).url).toBe("/");
  });

  it.each(["http", "https"])("that wants other credentials is EPROXY on the agent's side (%s)", async (scheme) => {
    await using proxy = await proxyServer({ credentials: "Basic other" });
    const seen = await run({ url: `${scheme}://app.test/` }, { proxyUrl: proxied(proxy.port, "me:hunter2@") });
    expect(seen.failure).toMatchObject({ code: "EPROXY", side: "agent", message: expect.not.stringContaining("hunter2") });
  });

  it("that is dead is EPROXY on the agent's side", async () => {
    const gone = await freePort();
    const seen = await run({ url: "http://app.test/" }, { proxyUrl: proxied(gone) });
    expect(seen.failure).toMatchObject({ code: "EPROXY", side: "agent", message: expect.stringContaining("ECONNREFUSED") });
    expect(seen.metrics).toMatchObject({ tcp: null });
  });

  it.each([
    [502, "target"],
    [504, "target"],
    [403, "agent"],
  ] as const)("that answers CONNECT with %i blames the %s", async (connectStatus, side) => {
    await using proxy = await proxyServer({ connectStatus });
    expect((await run({ url: "https://app.test/" }, { proxyUrl: proxied(proxy.port) })).failure).toMatchObject({ code: "EPROXY", side });
  });

  it("breaking off mid CONNECT is EPROXY", async () => {
    await using proxy = await rawServer((socket) => void socket.once("data", () => socket.destroy()));
    expect((await run({ url: "https://app.test/" }, { proxyUrl: proxied(proxy.port) })).failure).toMatchObject({
      code: "EPROXY",
      side: "agent",
    });
  });

  it("that says nothing does not hide why the run was stopped", async () => {
    await using proxy = await rawServer(() => undefined);
    const cancelled = new AppError("cancelled", "nobody wants it");
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(cancelled), 20);
    await expect(run({ url: "https://app.test/" }, { proxyUrl: proxied(proxy.port), signal: cancel.signal })).rejects.toBe(cancelled);
  });

  it.each(["nonsense", "socks5://127.0.0.1:1"])("must be an http or https address, not %s", async (proxyUrl) => {
    expect((await run({ url: "http://app.test/" }, { proxyUrl })).failure).toMatchObject({ code: "EPROXY", side: "agent" });
  });

  it("passes the egress policy itself, and so do the names and literals behind it", async () => {
    await using proxy = await proxyServer();
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: ["127.0.0.1"], mode: "default", ownPorts: [] });
    expect((await run({ url: "http://app.test/" }, { proxyUrl: proxied(proxy.port), egress })).failure?.code).toBe("EPOLICY");
    for (const url of ["http://metadata.google.internal/", "https://169.254.169.254/"]) {
      expect((await run({ url }, { proxyUrl: proxied(proxy.port) })).failure?.code).toBe("EPOLICY");
    }
    expect(proxy.connections()).toBe(0);
  });

  it("may be named, and is then resolved by us", async () => {
    await using target = await httpServer(echo);
    await using proxy = await proxyServer();
    const resolver = fixedResolver({ "proxy.test": ["127.0.0.1"] });
    expect((await run({ url: target.url }, { proxyUrl: `http://proxy.test:${proxy.port}`, resolver })).failure).toBeNull();
  });
});
