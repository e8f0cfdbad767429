import type { Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ProbeError } from "../../../../src/agent/net/probe-error.ts";
import type { Observation } from "../../../../src/agent/runners/check-runner.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { freePort } from "../../../support/free-ports.ts";
import { cannedServer, rawServer, serve } from "../../../support/http-servers/raw-server.ts";
import { silentPort } from "../../../support/http-servers/silent-port.ts";
import { turnsUntil } from "../../../support/turns.ts";
import { apiChecks } from "./api-check.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const run = apiChecks([certificates.ca]);
const phases = ["wait", "dns", "tcp", "tls", "firstByte", "download"] as const;

/** The phase that an attempt ended in, if those before it have a length and those after it none. */
function endedIn({ metrics }: Observation<"API">): string {
  const first = phases.findIndex((name) => metrics[name] === null);
  const areRight = phases.every((name, index) => (index < first ? (metrics[name] ?? -1) >= 0 : metrics[name] === null));
  return areRight ? (phases[first] ?? "none") : `not one: ${JSON.stringify(metrics)}`;
}

async function portOf(server: Promise<AsyncDisposable & { readonly port: number }>): Promise<number> {
  const started = await server;
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started.port;
}

function tlsPort(options: TlsOptions): Promise<number> {
  const server = createTlsServer({ ...certificates.pair("good"), ...options });
  server.on("tlsClientError", () => undefined);
  return portOf(
    serve(server, "secureConnection", (socket) =>
      socket.on("error", () => undefined).once("data", () => socket.end("HTTP/1.1 204 No\r\n\r\n")),
    ),
  );
}

const answering = (answer: string | Buffer): Promise<number> => portOf(cannedServer(answer));
const handling = (handle: (socket: Socket) => void): Promise<number> => portOf(rawServer(handle));
const notFound = { resolve: () => Promise.reject(new ProbeError("ENOTFOUND", "there is no such host")) };

describe("the phase that an attempt ended in is the one to blame (H-06)", () => {
  it.each<[title: string, code: string, phase: string, scheme: "http" | "https", port: () => Promise<number>]>([
    ["nobody listens", "ECONNREFUSED", "tcp", "http", freePort],
    ["nobody listens, for TLS", "ECONNREFUSED", "tcp", "https", freePort],
    [
      "a reset after the hello",
      "ECONNRESET",
      "tls",
      "https",
      () => handling((socket) => void socket.once("data", () => socket.resetAndDestroy())),
    ],
    ["a close after the hello", "ECONNRESET", "tls", "https", () => handling((socket) => void socket.once("data", () => socket.end()))],
    ["plain HTTP on the port", "EPROTO", "tls", "https", () => answering("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["a banner on the port", "EPROTO", "tls", "https", () => handling((socket) => void socket.write("220 mail ESMTP\r\n"))],
    ["an alert that the name is unknown (SNI)", "EPROTO", "tls", "https", () => answering(Buffer.from([0x15, 3, 3, 0, 2, 2, 112]))],
    [
      "a version of long ago",
      "EPROTO",
      "tls",
      "https",
      () => tlsPort({ minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }),
    ],
    ["no cipher in common", "EPROTO", "tls", "https", () => tlsPort({ maxVersion: "TLSv1.2", ciphers: "PSK" })],
    ["an expired certificate", "CERT_HAS_EXPIRED", "firstByte", "https", () => tlsPort(certificates.pair("expired"))],
    ["a certificate for others", "ERR_TLS_CERT_ALTNAME_INVALID", "firstByte", "https", () => tlsPort(certificates.pair("wrongHost"))],
    ["a client certificate wanted", "EPROTO", "firstByte", "https", () => tlsPort({ requestCert: true, rejectUnauthorized: true })],
    [
      "a reset after the request",
      "ECONNRESET",
      "firstByte",
      "http",
      () => handling((socket) => void socket.once("data", () => socket.resetAndDestroy())),
    ],
    [
      "a close after the request",
      "ECONNRESET",
      "firstByte",
      "http",
      () => handling((socket) => void socket.once("data", () => socket.end())),
    ],
    ["garbage", "EPROTO", "download", "http", () => answering("SSH-2.0-OpenSSH_9.2\r\n")],
    ["a body cut short", "ECONNRESET", "download", "http", () => answering("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")],
  ])("%s: %s in %s", async (_title, code, phase, scheme, port) => {
    const seen = await run({ url: `${scheme}://localhost:${await port()}/` });
    expect([seen.failure?.code, endedIn(seen), seen.failure?.side]).toEqual([code, phase, "target"]);
    expect(seen.result).toMatchObject({ response: null, requestError: expect.stringMatching(`^${code}: `) });
    expect(seen.result.connection === null).toBe(false);
  });

  it("a name that does not exist: ENOTFOUND in dns", async () => {
    const seen = await run({ url: "http://nowhere.test/" }, { resolver: notFound });
    expect([seen.failure?.code, endedIn(seen)]).toEqual(["ENOTFOUND", "dns"]);
  });

  it("an address that is not allowed: EPOLICY in tcp, where nothing was sent", async () => {
    const seen = await run({ url: "http://169.254.169.254/" });
    expect([seen.failure?.code, endedIn(seen), seen.result.connection]).toEqual(["EPOLICY", "tcp", null]);
  });

  it("a redirect to a port of another protocol: EPROTO, after the first hop (H-04)", async () => {
    const other = await handling((socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n"));
    const first = await answering(`HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${other}/\r\n\r\n`);
    const seen = await run({ url: `http://127.0.0.1:${first}/` });
    expect(seen).toMatchObject({
      failure: { code: "EPROTO" },
      statusCode: null,
      result: { redirects: [{ status: 302 }], connection: { remotePort: other } },
    });
  });
});

describe("a step that takes too long (H-01)", () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[step: string, phase: string, scheme: "http" | "https", isSilentFrom: "the start" | "the accept"]>([
    ["TCP connect", "tcp", "http", "the start"],
    ["TLS handshake", "tls", "https", "the accept"],
    ["headers of the response", "firstByte", "http", "the accept"],
  ])("is named: %s, ETIMEDOUT in %s", async (step, phase, scheme, isSilentFrom) => {
    let isThere = isSilentFrom === "the start";
    const port = await (isThere ? portOf(silentPort("127.0.0.1")) : handling((socket) => void socket.once("data", () => (isThere = true))));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const running = run({ url: `${scheme}://127.0.0.1:${port}/` });
    await turnsUntil(() => isThere);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(10_001);
    const seen = await running;
    expect([seen.failure?.code, endedIn(seen)]).toEqual(["ETIMEDOUT", phase]);
    expect(seen.failure?.message).toMatch(new RegExp(`^${step}.* took longer than 10000 ms$`));
    expect(vi.getTimerCount()).toBe(0);
  });
});
