import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type TlsOptions } from "node:tls";
import fc from "fast-check";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { certificateLines } from "../../../../src/agent/evidence/tls-records.ts";
import { describeCertificate, extensionsOf } from "../../../../src/agent/runners/ssl/certificate.ts";
import { judgeStaple } from "../../../../src/agent/runners/ssl/ocsp-staple.ts";
import { freePort } from "../../../support/free-ports.ts";
import { cannedServer, rawServer, serve } from "../../../support/http-servers/raw-server.ts";
import { silentPort } from "../../../support/http-servers/silent-port.ts";
import { fixedResolver, responseOf } from "../../../support/run-context.ts";
import { turnsUntil } from "../../../support/turns.ts";
import { smtpServer } from "../../net/start-tls-servers.ts";
import { tcpChecks } from "../tcp/tcp-check.ts";
import { Authority } from "./authority.ts";
import { sslChecks } from "./ssl-check.ts";

const authority = new Authority().issue("intermediate", { isCa: true, names: null }).issue("server", { signer: "intermediate" });
const staple = readFileSync(authority.staple("server", { issuer: "intermediate", out: "server.der" }));
afterAll(() => authority[Symbol.dispose]());
const check = sslChecks([authority.read("root.pem")]);
const chain = authority.read("server.pem") + authority.read("intermediate.pem");

function secureServer(options: TlsOptions) {
  return serve(createServer({ key: authority.read("server.key"), ...options }), "secureConnection", (socket) => {
    socket.on("error", () => undefined);
  });
}

describe("the SSL runner and targets without a handshake", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["plain HTTP on the port", () => cannedServer("HTTP/1.1 400 Bad Request\r\n\r\n"), "EPROTO", "handshake"],
    [
      "a reset in the handshake",
      () => rawServer((socket) => socket.once("data", () => socket.resetAndDestroy())),
      "ECONNRESET",
      "handshake",
    ],
    ["an end in the handshake", () => rawServer((socket) => socket.end()), "ECONNRESET", "handshake"],
    ["garbage", () => cannedServer(Buffer.alloc(5_000, 0x16)), "EPROTO", "handshake"],
    ["an alert", () => cannedServer(Buffer.from([21, 3, 3, 0, 2, 2, 40])), "EPROTO", "handshake"],
  ])("tells %s", async (_what, start, code, failureCategory) => {
    await using server = await start();
    const seen = await check({ port: server.port });
    expect(seen).toMatchObject({
      failure: { code, side: "target" },
      result: { failureCategory, response: null, requestError: expect.any(String) },
    });
    expect(Object.values(seen.metrics).every((value) => value === null)).toBe(true);
  });

  it("tells a refused connection", async () => {
    const gone = await freePort();
    expect(await check({ port: gone })).toMatchObject({
      failure: { code: "ECONNREFUSED" },
      result: { failureCategory: "connection" },
    });
  });

  it("gives up a handshake that is not answered after the time that the monitor sets", async () => {
    await using server = await rawServer(() => undefined);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const done = check({ port: server.port, handshakeTimeoutMs: 2_500 });
    await turnsUntil(() => server.connections() > 0);
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(2_501);
    const seen = await done;
    expect(seen.failure).toMatchObject({
      code: "ETIMEDOUT",
      message: expect.stringMatching(/^TLS handshake with .* took longer than 2500 ms$/),
    });
    expect(seen.result.failureCategory).toBe("timeout");
  });

  it("blames the connection where nothing answers at all, and the name where there is none", async () => {
    await using silent = await silentPort("127.0.0.1");
    const run = new AbortController();
    const done = check({ port: silent.port }, { signal: run.signal });
    setImmediate(() => run.abort("cancelled"));
    await expect(done).rejects.toBe("cancelled");
    const { ProbeError } = await import("../../../../src/agent/net/probe-error.ts");
    const resolver = { resolve: () => Promise.reject(new ProbeError("ENOTFOUND", "there is no host")) };
    expect((await check({ hostname: "no.test", port: 443 }, { resolver })).result.failureCategory).toBe("dns");
  });
});

describe("the SSL runner beyond plain ports", () => {
  it("asks for the server name, not the host's, and shows the certificate of a STARTTLS port with its own phase", async () => {
    await using server = await smtpServer(authority);
    const seen = await check(
      { hostname: "mail.test", port: server.port, startTls: "smtp" },
      { resolver: fixedResolver({ "mail.test": ["127.0.0.1"] }) },
    );
    const { timingPhases, ...response } = responseOf(seen);
    expect(response).toMatchObject({ serverName: "localhost", hostnameVerified: true, resolvedIp: "127.0.0.1", alpn: null });
    expect(timingPhases.startTls).toBeGreaterThan(0);
    expect(timingPhases.handshake).toBe(seen.responseTimeMs);
  });

  it("says ESTARTTLS, of the handshake, where it is not offered", async () => {
    await using server = await smtpServer(authority, { tls: false });
    expect(await check({ port: server.port, startTls: "smtp" })).toMatchObject({
      failure: { code: "ESTARTTLS" },
      result: { failureCategory: "handshake" },
    });
  });

  it("offers HTTP's protocols on other ports", async () => {
    await using server = await secureServer({ cert: chain, ALPNProtocols: ["h2"] });
    expect(responseOf(await check({ port: server.port })).alpn).toBe("h2");
  });
});

describe("hostile certificates and staples", () => {
  it("bounds how many certificates and names it tells", async () => {
    const names = Array.from({ length: 600 }, (_each, index) => `DNS:${index}.example`).join(",");
    authority.issue("many", { names: `DNS:localhost,${names}` });
    const cert = authority.read("many.pem") + authority.read("intermediate.pem").repeat(60);
    await using server = await secureServer({ cert, key: authority.read("many.key") });
    const response = responseOf(await check({ port: server.port }));
    expect(response.chain.length).toBeLessThanOrEqual(20);
    expect(response.certificate?.subjectAlternativeNames).toHaveLength(200);
  });

  it("does not fall over extensions that are no DER", () => {
    authority.issue("broken", { extensions: ["1.3.6.1.4.1.11129.2.4.2 = DER:04:0c:ff", "1.3.6.1.5.5.7.1.24 = DER:30:84:ff:ff:ff:ff"] });
    const certificate = new X509Certificate(authority.read("broken.pem"));
    expect(extensionsOf(certificate)).toEqual({ sctCount: 0, mustStaple: false });
  });

  it("does not fall over names that hold what separates them", () => {
    authority.issue("quoted", { names: "DNS:a\\,DNS:b,email:x@y.test" });
    const { subjectAlternativeNames } = describeCertificate(new X509Certificate(authority.read("quoted.pem")), Date.now());
    expect(subjectAlternativeNames.length).toBeGreaterThanOrEqual(2);
  });

  it("describes whatever bytes a certificate holds, dates that are none too", () => {
    const raw = new X509Certificate(authority.read("server.pem")).raw;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(raw.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }), (changes) => {
        const bytes = Buffer.from(raw);
        for (const [at, byte] of changes) bytes[at] = byte;
        let certificate: X509Certificate;
        try {
          certificate = new X509Certificate(bytes);
        } catch {
          return;
        }
        expect(describeCertificate(certificate, Date.now())).toHaveProperty("subject");
        extensionsOf(certificate);
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps the rest of the evidence where a certificate ends on a date that is none", () => {
    const bytes = Buffer.from(new X509Certificate(authority.read("server.pem")).raw);
    const end = new X509Certificate(bytes).validToDate
      .toISOString()
      .replace(/[-:T]|\.000/g, "")
      .slice(2); // UTCTime
    bytes.write("991231240000Z", bytes.indexOf(end), "latin1"); // Node.js makes a date of it, ever another one
    expect(certificateLines([new X509Certificate(bytes)]).join("\n")).toMatch(/until a date that cannot be read\n {2}names DNS:localhost/);
  });

  it("cuts names that would fill the store", () => {
    authority.issue("verbose", {
      names: `DNS:localhost,URI:x:${"\u0001".repeat(50_000)}`,
      subject: `/CN=v${"/OU=department".repeat(2_000)}`,
    });
    const told = describeCertificate(new X509Certificate(authority.read("verbose.pem")), Date.now());
    expect(told.subjectAlternativeNames[0]).toBe("DNS:localhost");
    expect(JSON.stringify(told).length).toBeLessThan(20_000);
  });

  it("observes a server whose certificate ends on a date that is none, as SSL monitor and as TCP check", async () => {
    const bytes = Buffer.from(new X509Certificate(authority.read("server.pem")).raw);
    const utcTime = Buffer.from([0x17, 0x0d]);
    bytes.write("99", bytes.indexOf(utcTime, bytes.indexOf(utcTime) + 2) + 4); // its month
    const cert = `-----BEGIN CERTIFICATE-----\n${bytes.toString("base64").replace(/(.{64})/g, "$1\n")}\n-----END CERTIFICATE-----\n`;
    await using server = await secureServer({ cert });
    const seen = await check({ port: server.port });
    expect(seen.result).toMatchObject({ failureCategory: "expired", response: { chainTrusted: false } });
    expect(seen.metrics["daysUntilExpiry"]).toBeLessThan(-20_000);
    const tcp = await tcpChecks()({ port: server.port, tls: true, skipSSL: true });
    expect(tcp).toMatchObject({ failure: null, result: { connection: { tls: { validTo: null, daysRemaining: null } } } });
  });

  it("believes no staple of which a single byte was changed, and falls over none", () => {
    const leaf = new X509Certificate(authority.read("server.pem"));
    const issuer = new X509Certificate(authority.read("intermediate.pem"));
    expect(judgeStaple(staple, leaf, issuer, Date.now())).toBe("good");
    fc.assert(
      fc.property(fc.nat(staple.length - 1), fc.integer({ min: 1, max: 255 }), (at, difference) => {
        const changed = Buffer.from(staple);
        changed[at] = (changed[at] ?? 0) ^ difference;
        const status = judgeStaple(changed, leaf, issuer, Date.now());
        // What is not signed (the responder's certificates, lengths around it) may change without harm.
        expect(["invalid", "good"]).toContain(status);
        expect(judgeStaple(changed.subarray(0, at), leaf, issuer, Date.now())).toMatch(/^(invalid|none)$/);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ["yesterday's", 3 * 86_400_000],
    ["tomorrow's", -86_400_000],
  ])("does not believe %s staple", (_what, offsetMs) => {
    const leaf = new X509Certificate(authority.read("server.pem"));
    const issuer = new X509Certificate(authority.read("intermediate.pem"));
    expect(judgeStaple(staple, leaf, issuer, Date.now() + offsetMs)).toBe("invalid");
    expect(judgeStaple(staple, leaf, null, Date.now())).toBe("invalid");
  });
});
