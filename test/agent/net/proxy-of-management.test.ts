import { createServer as createSecureServer } from "node:https";
import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { basicCredentials } from "#daemon/basic-credentials.ts";
import { Secret } from "#daemon/secret.ts";
import { type ControlPlaneClient, createControlPlaneClient } from "../../../src/agent/contact/control-plane-client.ts";
import { createTrust } from "../../../src/agent/net/tls.ts";
import { createApiRunner } from "../../../src/agent/runners/api/api-runner.ts";
import { proxyFor } from "../../../src/daemon/proxy.ts";
import { makeCertificates } from "../../support/certificates.ts";
import { FakeControlPlane, fakeJob } from "../../support/fake-control-plane.ts";
import { echo, httpServer } from "../../support/http-servers/http-server.ts";
import { type ProxyOptions, proxyServer } from "../../support/http-servers/proxy-server.ts";
import { rawServer, serve } from "../../support/http-servers/raw-server.ts";
import { startAgent } from "../agent-under-test.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());

async function proxy(options: ProxyOptions = {}) {
  const server = await proxyServer(options);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** The client of an agent with these variables. */
function client(apiUrl: string, proxyUrl: string, noProxy: readonly string[] = []): ControlPlaneClient {
  const secret = new Secret(proxyUrl);
  const made = createControlPlaneClient(new URL(apiUrl), proxyFor(new URL(apiUrl), { http: secret, https: secret, noProxy }), [
    certificates.ca,
  ]);
  onTestFinished(() => made.close());
  return made;
}

async function controlPlane(scheme: "http" | "https") {
  const requests: string[] = [];
  const handle: Parameters<typeof httpServer>[0] = (request, response) => {
    requests.push(JSON.stringify(request.headers));
    echo(request, response);
  };
  const server =
    scheme === "http"
      ? await httpServer(handle)
      : await serve(createSecureServer(certificates.pair("good"), handle), "listening", () => undefined);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return { ...server, requests, url: `${scheme}://127.0.0.1:${server.port}` };
}

const call = { method: "GET", path: "/x", headers: {}, body: null, limitMs: 3_000 } as const;
const never = new AbortController().signal;

describe.each(["http", "https"] as const)("management traffic to an %s control plane through a proxy", (scheme) => {
  describe.each(["http", "https"] as const)("spoken to over %s", (toProxy) => {
    const tls = toProxy === "https" ? { tls: certificates.pair("good") } : {};

    it.each([
      ["none", "", "", ""],
      ["plain ones", "me", "secret", "me:secret@"],
      ["special characters", "me@home", "p@ss:/?#%20", "me%40home:p%40ss%3A%2F%3F%23%2520@"],
      ["a stray percent sign", "me", "100%", "me:100%@"],
      ["a byte that is no UTF-8", "me", "%ff", "me:%ff@"],
    ])("passes, with %s as credentials", async (_title, username, password, inUrl) => {
      const server = await proxy({ ...tls, ...(inUrl !== "" && { credentials: basicCredentials(username, password) }) });
      const { url, requests, port } = await controlPlane(scheme);
      expect((await client(url, `${toProxy}://${inUrl}localhost:${server.port}`).send(call, never)).status).toBe(200);
      expect(server.asked).toEqual([scheme === "http" ? `GET ${url}/x` : `CONNECT 127.0.0.1:${port}`]);
      expect(scheme === "https" && requests[0]?.includes("proxy-authorization")).toBe(false);
    });

    it("fails with a reason when it wants other credentials, and the password is in no message", async () => {
      const server = await proxy({ ...tls, credentials: "Basic other" });
      const { url } = await controlPlane(scheme);
      const failure: unknown = await client(url, `${toProxy}://canary:canary-word@localhost:${server.port}`)
        .send(call, never)
        .then(
          () => expect.fail("it passed"),
          (error: unknown) => error,
        );
      expect(failure).toMatchObject({ code: "unreachable", message: expect.stringContaining("407") });
      expect(String(failure)).not.toContain("canary");
    });
  });

  it("goes direct where NO_PROXY says so", async () => {
    const server = await proxy();
    const { url } = await controlPlane(scheme);
    expect((await client(url, `http://127.0.0.1:${server.port}`, ["127.0.0.0/8"]).send(call, never)).status).toBe(200);
    expect(server.connections()).toBe(0);
  });

  it.each([
    ["is gone", null],
    ["hangs up", (socket: { destroy(): void }) => socket.destroy()],
    ["answers garbage", (socket: { end(text: string): void }) => socket.end("SSH-2.0-x\r\n")],
    ["answers with an error", (socket: { end(text: string): void }) => socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")],
    ["says nothing", () => undefined],
  ])("through a proxy that %s ends in time, with a reason or its status", async (_title, handle) => {
    const server = await rawServer((socket) => void socket.once("data", () => handle?.(socket)));
    if (handle === null) await server[Symbol.asyncDispose]();
    else onTestFinished(() => server[Symbol.asyncDispose]());
    const { url, requests } = await controlPlane(scheme);
    const outcome: unknown = await client(url, `http://canary:canary-word@127.0.0.1:${server.port}`)
      .send({ ...call, limitMs: 500 }, never)
      .catch((error: unknown) => error);
    const { status = 0, code = "" } = outcome as { status?: number; code?: string };
    expect([status, code]).toSatisfy(() => status === 403 || code === "unreachable" || code === "deadline_exceeded");
    expect(JSON.stringify(outcome) + String(outcome)).not.toContain("canary");
    expect(requests).toEqual([]);
  });
});

describe("NO_PROXY", () => {
  const exempt = (url: string, entry: string): boolean =>
    proxyFor(new URL(url), { http: new Secret("http://p:1"), https: new Secret("http://p:1"), noProxy: [entry] }) === null;

  it.each([
    ["http://cp.example.com/", "cp.example.com"],
    ["http://CP.example.com./", "cp.example.com"],
    ["http://cp.example.com/", "cp.example.com."],
    ["http://cp.example.com/", " .Example.com "],
    ["http://cp.example.com/", ".example.com:80"],
    ["https://cp.example.com/", "example.com:443"],
    ["https://10.1.2.3:8443/", "10.1.2.3:8443"],
    ["https://10.1.2.3/", "10.0.0.0/8"],
    ["https://10.1.2.3/", "0.0.0.0/0"],
    ["https://[::ffff:10.1.2.3]/", "10.0.0.0/8"],
    ["https://[fd00::1]/", "fd00::/8"],
    ["https://[fd00::1]/", "fd00::1"],
    ["https://[fd00::1]/", "[fd00::1]"],
    ["https://[fd00::1]:8443/", "[fd00::1]:8443"],
    ["https://[2001:db8::1]/", "::/0"],
    ["http://2130706433/", "127.0.0.1"],
  ])("exempts %s by %s", (url, entry) => expect(exempt(url, entry)).toBe(true));

  it.each([
    ["http://cp.example.com/", ""],
    ["http://cp.example.com/", "."],
    ["http://cp.example.com/", "p.example.com"],
    ["http://cp.example.com/", "example.com:8080"],
    ["https://10.1.2.3/", "10.1.2.3:8443"],
    ["https://10.1.2.3/", "10.0.0.0/"],
    ["https://10.1.2.3/", "10.0.0.0/33"],
    ["https://10.1.2.3/", "10.0.0.0/8/8"],
    ["https://10.1.2.3/", "10.0.0.0/-1"],
    ["https://10.1.2.3/", "0.1.2.3"],
    ["https://10.1.2.3/", "2.3"],
    ["https://[fd00::1]/", "fd00::/129"],
    ["https://[fd00::1]/", "10.0.0.0/8"],
    ["https://[fd00::1]/", "[fd00::1]:8443"],
    ["https://[::1]/", "::ffff:0:0/96"],
  ])("does not exempt %s by %s", (url, entry) => expect(exempt(url, entry)).toBe(false));
});

describe("an agent behind proxies with passwords", () => {
  it("writes them into no log, report or request, whether the proxies work or not", async () => {
    await using fake = await FakeControlPlane.start();
    const management = await proxy({ credentials: basicCredentials("me", "canary-management") });
    const refusing = await proxy({ credentials: "Basic other" });
    const checks = await proxy({ credentials: basicCredentials("me", "canary-checks") });
    await using target = await httpServer(echo);
    const trust = createTrust([]);
    const env = { HTTP_PROXY: `http://me:canary-management@127.0.0.1:${management.port}` };
    await using under = await startAgent(fake, { env, runner: createApiRunner(() => trust) });
    for (const port of [checks.port, refusing.port, 1]) {
      for (const url of [target.url, "https://app.test/"]) {
        const job = fakeJob(url);
        fake.enqueue({ ...job, payload: { ...job.payload, proxyUrl: `http://me:canary-checks@127.0.0.1:${port}` } });
      }
    }
    await fake.until(() => fake.reports.length === 6);
    expect(fake.reports.filter(({ hasFailures }) => !hasFailures)).toHaveLength(1);
    expect(management.asked.length).toBeGreaterThan(2);
    await under.agent.stop();
    const everything = JSON.stringify([under.lines, fake.reports, fake.requests, fake.errorEvents]);
    expect(everything).toContain("EPROXY");
    for (const word of ["canary-management", "canary-checks"]) {
      for (const form of [word, basicCredentials("me", word).slice(6), encodeURIComponent(word)]) expect(everything).not.toContain(form);
    }
  });

  it("writes it into no log either when the management proxy refuses it (L-21)", async () => {
    await using fake = await FakeControlPlane.start();
    const refusing = await proxy({ credentials: "Basic other" });
    await using under = await startAgent(fake, { env: { HTTP_PROXY: `http://me:canary@127.0.0.1:${refusing.port}` } });
    await fake.until(() => under.lines.some((line) => JSON.stringify(line).includes("407")));
    expect(JSON.stringify(under.lines)).not.toMatch(/canary|bWU6Y2FuYXJ5/);
    expect(under.agent.isReady()).toBe(false);
  });
});
