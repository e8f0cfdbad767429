import { createServer as createSecureServer } from "node:https";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAgentConfig } from "../../src/agent/config.ts";
import { diagnoseControlPlane } from "../../src/agent/doctor/doctor-network.ts";
import type { Finding } from "../../src/agent/doctor/finding.ts";
import { type CertificateName, makeCertificates } from "../support/certificates.ts";
import { FakeControlPlane } from "../support/fake-control-plane.ts";
import { installedProxies, startForwardProxy } from "../support/forward-proxies.ts";
import { freePort } from "../support/free-ports.ts";
import { proxyServer } from "../support/http-servers/proxy-server.ts";
import { serve } from "../support/http-servers/raw-server.ts";

const key = `pl_${"0".repeat(32)}`;
const login = "outpost:r1ght-passw0rd";
const wrong = (url: string): string => url.replace("r1ght", "wr0ng");
const nameless = (url: string): string => url.replace(`${login}@`, "");
const squid = installedProxies().find(({ name }) => name === "squid");

async function found(env: Record<string, string>): Promise<readonly Finding[]> {
  const findings = await diagnoseControlPlane(readAgentConfig({ API_KEY: key, ...env }), new AbortController().signal);
  expect(JSON.stringify(findings)).not.toMatch(/passw0rd|pl_0/);
  return findings;
}

/** The only thing that failed. */
async function fault(env: Record<string, string>): Promise<Finding> {
  const failed = (await found(env)).filter(({ verdict }) => verdict === "fail");
  expect(failed).toHaveLength(1);
  return failed[0] as Finding;
}

/** A control plane's place behind TLS; nothing answers there as one. */
function secureServer(certificates: ReturnType<typeof makeCertificates>, name: CertificateName) {
  return serve(
    createSecureServer(certificates.pair(name), (_, response) => response.end()),
    "listening",
    () => undefined,
  );
}

describe.each(installedProxies())("the doctor behind a real $name", (kind) => {
  it("tells a missing password from a wrong one", async () => {
    await using proxy = await startForwardProxy(kind, login);
    const to = { API_URL: "https://localhost:9/" };
    expect(await fault({ ...to, HTTPS_PROXY: nameless(proxy.url) })).toMatchObject({
      about: "proxy",
      text: "the proxy asks for a user and a password (407)",
      next: expect.stringContaining("HTTPS_PROXY=http://user:password@host:port") as unknown,
    });
    expect(await fault({ ...to, HTTPS_PROXY: wrong(proxy.url) })).toMatchObject({
      about: "proxy",
      text: expect.stringMatching(/^the proxy does not accept the user and password in HTTPS_PROXY \((407|401)\)$/) as unknown,
    });
  });

  it("tells a wrong password where it forwards plain requests", async () => {
    await using proxy = await startForwardProxy(kind, login);
    expect(await fault({ API_URL: "http://127.0.0.1:9/", HTTP_PROXY: wrong(proxy.url) })).toMatchObject({
      about: "proxy",
      text: expect.stringContaining("does not accept the user and password in HTTP_PROXY") as unknown,
    });
  });

  it("says that its rules refuse a tunnel, and to where", async () => {
    await using proxy = await startForwardProxy(kind, null, "closed");
    expect(await fault({ API_URL: "https://localhost:9443/", HTTPS_PROXY: proxy.url })).toMatchObject({
      about: "proxy",
      text: "the proxy's rules refuse a connection to localhost:9443 (403)",
      next: expect.stringContaining("allow CONNECT to localhost:9443") as unknown,
    });
  });

  it("says that it does not reach the control plane", async () => {
    await using proxy = await startForwardProxy(kind);
    const port = await freePort();
    expect(await fault({ API_URL: `https://localhost:${port}/`, HTTPS_PROXY: proxy.url })).toMatchObject({
      about: "proxy",
      text: expect.stringMatching(new RegExp(`^the proxy works, but cannot reach localhost:${port} \\(50[0234]\\)$`)) as unknown,
    });
  });

  it("names the private CA that is missing, and trusts it once it is there", async () => {
    using certificates = makeCertificates();
    await using server = await secureServer(certificates, "good");
    await using proxy = await startForwardProxy(kind);
    const env = { API_URL: `https://localhost:${server.port}/`, HTTPS_PROXY: proxy.url };
    const tls = await fault(env);
    expect(tls).toMatchObject({ about: "TLS", text: expect.stringContaining("CN=good, issued by CN=Test authority, ends in") as unknown });
    expect(tls.next).toContain("set NODE_EXTRA_CA_CERTS to the CA that issued it");
    const findings = await found({ ...env, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem") });
    expect(findings.find(({ about }) => about === "TLS")).toMatchObject({
      verdict: "ok",
      text: expect.stringContaining("by CN=Test authority of NODE_EXTRA_CA_CERTS") as unknown,
    });
    expect(findings.find(({ about }) => about === "certificate")).toMatchObject({
      verdict: "ok",
      text: expect.stringMatching(/^CN=good, issued by CN=Test authority, ends in (29|30) days \(/) as unknown,
    });
  });

  it("says of a tunnel that nobody reads along, and finds no fault with it", async () => {
    using certificates = makeCertificates();
    await using server = await secureServer(certificates, "good");
    await using proxy = await startForwardProxy(kind);
    const findings = await found({
      API_URL: `https://localhost:${server.port}/`,
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem"),
    });
    expect(findings.filter(({ text }) => text.includes("can be read"))).toEqual([]);
    expect(findings.filter(({ verdict }) => verdict !== "ok").map(({ about }) => about)).toEqual(["session"]);
  });

  it("lets a session be opened", async () => {
    await using fake = await FakeControlPlane.start();
    await using proxy = await startForwardProxy(kind, login);
    expect((await found({ API_URL: fake.url.href, HTTP_PROXY: proxy.url })).filter(({ verdict }) => verdict === "fail")).toEqual([]);
  });
});

describe("the doctor behind a proxy that opens TLS", () => {
  it.skipIf(squid === undefined)("shows who issued the certificate, with and without its CA", async () => {
    using certificates = makeCertificates();
    await using server = await secureServer(certificates, "good");
    await using proxy = await startForwardProxy(squid as NonNullable<typeof squid>, null, "opensTls");
    const env = { API_URL: `https://localhost:${server.port}/`, HTTPS_PROXY: proxy.url };
    const tls = await fault({ ...env, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem") });
    expect(tls.text).toMatch(
      /^the certificate that comes through the proxy is not trusted \([A-Z_]+\): .*issued by O=Company CN=Company web filter, /,
    );
    expect(tls.next).toContain("the proxy opens TLS (interception): set NODE_EXTRA_CA_CERTS to that CA");
    const trusted = (await found({ ...env, NODE_EXTRA_CA_CERTS: proxy.caFile })).find(({ about }) => about === "TLS");
    expect(trusted).toMatchObject({ verdict: "ok", text: expect.stringContaining("the proxy opens TLS and reads along") as unknown });
  });
});

describe("the doctor on the way to a proxy", () => {
  const to = { API_URL: "https://control-plane.test/" };

  it("says that nothing listens there, and by which variable", async () => {
    expect(await fault({ ...to, HTTPS_PROXY: `http://127.0.0.1:${await freePort()}` })).toMatchObject({
      about: "TCP",
      text: expect.stringContaining("ECONNREFUSED") as unknown,
      next: expect.stringContaining("check the port in HTTPS_PROXY") as unknown,
    });
  });

  it("says that nobody knows its name", async () => {
    expect(await fault({ ...to, HTTPS_PROXY: "http://proxy.invalid:3128" })).toMatchObject({
      about: "DNS",
      text: expect.stringMatching(/^the name proxy\.invalid of the proxy cannot be resolved/) as unknown,
    });
  });

  it("says that what answers is no proxy", async () => {
    using certificates = makeCertificates();
    await using tls = await secureServer(certificates, "good");
    expect(await fault({ ...to, HTTPS_PROXY: `http://127.0.0.1:${tls.port}` })).toMatchObject({
      about: "proxy",
      text: expect.stringContaining("did not answer CONNECT as an HTTP proxy does") as unknown,
    });
    await using refusing = await proxyServer({ connectStatus: 405 });
    expect(await fault({ ...to, HTTPS_PROXY: `http://127.0.0.1:${refusing.port}` })).toMatchObject({
      text: "what answers at HTTPS_PROXY makes no tunnels (405)",
    });
  });

  it("does not know whether 403 is of the password or of the rules, and says both", async () => {
    await using proxy = await proxyServer({ connectStatus: 403 });
    const { text, next } = await fault({ ...to, HTTPS_PROXY: `http://me:s3cret-passw0rd@127.0.0.1:${proxy.port}` });
    expect(text).toContain("accepts no connection to control-plane.test:443, or not this user and password (403)");
    expect(next).toContain("correct the user and password in HTTPS_PROXY");
  });
});

describe("the doctor's look at a certificate", () => {
  it.each([
    ["expired", "CERT_HAS_EXPIRED", "ended"],
    ["wrongHost", "ERR_TLS_CERT_ALTNAME_INVALID", "CN=wrongHost"],
    ["selfSigned", "DEPTH_ZERO_SELF_SIGNED_CERT", "CN=localhost"],
  ] as const)("says what is wrong with one that is %s", async (name, code, text) => {
    using certificates = makeCertificates();
    await using server = await secureServer(certificates, name);
    const env = { API_URL: `https://localhost:${server.port}/`, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem") };
    const tls = await fault(env);
    expect(tls).toMatchObject({ about: "TLS", text: expect.stringContaining(code) as unknown });
    expect(tls.text).toContain(text);
  });

  it("gives the user and password of a proxy to no peer whose certificate is refused", async () => {
    using certificates = makeCertificates();
    const asked: (string | undefined)[] = [];
    await using proxy = await serve(
      createSecureServer(certificates.pair("expired"), ({ headers }, response) => {
        asked.push(headers.authorization);
        response.end();
      }),
      "listening",
      () => undefined,
    );
    const HTTPS_PROXY = `https://me:s3cret-passw0rd@localhost:${proxy.port}`;
    const API_URL = "https://control-plane.test/";
    expect(await fault({ API_URL, HTTPS_PROXY, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem") })).toMatchObject({ about: "TLS" });
    expect(asked).toEqual([undefined]);
  });

  it("warns of one that ends within 14 days", async () => {
    using certificates = makeCertificates({ goodDays: 9 });
    await using server = await secureServer(certificates, "good");
    const env = { API_URL: `https://localhost:${server.port}/`, NODE_EXTRA_CA_CERTS: join(certificates.folder, "ca.pem") };
    expect((await found(env)).find(({ about }) => about === "certificate")).toMatchObject({
      verdict: "warn",
      text: expect.stringMatching(/ends in [89] days/) as unknown,
      next: "renew the certificate of the control plane",
    });
  });
});
