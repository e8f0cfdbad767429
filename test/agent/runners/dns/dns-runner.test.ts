import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { afterAll, describe, expect, it } from "vitest";
import { createEgressPolicy } from "../../../../src/agent/net/egress-policy.ts";
import { ProbeError } from "../../../../src/agent/net/probe-error.ts";
import { createTrust } from "../../../../src/agent/net/tls.ts";
import { createDnsRunner } from "../../../../src/agent/runners/dns/dns-runner.ts";
import type { DnsRequest } from "../../../../src/contract/checks/dns.ts";
import { AppError } from "../../../../src/domain/app-error.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { addressRecord, answerTo, dnsServer, framed } from "../../../support/dns-server.ts";
import { freePort } from "../../../support/free-ports.ts";
import { rawServer } from "../../../support/http-servers/raw-server.ts";
import { fixedResolver, runContext } from "../../../support/run-context.ts";
import { dnsSettings } from "./dns-check.ts";

const folder = mkdtempSync(join(tmpdir(), "dns-runner-"));
const certificates = makeCertificates();
afterAll(() => {
  rmSync(folder, { recursive: true });
  certificates[Symbol.dispose]();
});
const trust = createTrust([certificates.ca]);

/** Runs a monitor on a host whose resolv.conf names these servers. */
function run(request: Partial<DnsRequest>, context = runContext(), systemServers: readonly string[] = []) {
  const resolvConfPath = join(folder, `resolv-${systemServers.length}.conf`);
  writeFileSync(resolvConfPath, systemServers.map((server) => `nameserver ${server}\n`).join(""));
  return createDnsRunner(() => trust, resolvConfPath).run(dnsSettings(request), context);
}

describe("a DNS monitor with the system's servers", () => {
  it("asks the next one after SERVFAIL, and tells whom it tried", async () => {
    await using bad = await dnsServer(() => ({ rcode: "SERVFAIL" }));
    await using good = await dnsServer(() => ({ addresses: ["10.0.0.1"] }), { host: "127.0.0.2", port: bad.port });
    const { failure, result } = await run({ port: bad.port }, runContext(), ["127.0.0.1", "127.0.0.2"]);
    expect(failure).toBeNull();
    expect(result.response).toMatchObject({
      responseCode: "NOERROR",
      server: good.address,
      tried: [{ server: bad.address, error: "SERVFAIL" }],
    });
    expect(result.request).toMatchObject({ nameServer: null });
  });

  it("asks the next one after silence", async () => {
    await using silent = await dnsServer(() => "silence");
    await using good = await dnsServer(() => ({ addresses: ["10.0.0.1"] }), { host: "127.0.0.2", port: silent.port });
    const { result, responseTimeMs } = await run({ port: silent.port }, runContext(), ["127.0.0.1", "127.0.0.2"]);
    expect(result.response).toMatchObject({ server: good.address, tried: [{ server: silent.address, error: "ETIMEDOUT" }] });
    // The wait for the silent one is part of what the resolution took.
    expect(responseTimeMs).toBeGreaterThan(1_900);
  });

  it("takes SERVFAIL for the answer where nobody has a better one", async () => {
    await using bad = await dnsServer(() => ({ rcode: "SERVFAIL" }));
    const { failure, facts, result } = await run({ port: bad.port }, runContext(), ["127.0.0.1", "127.0.0.3"]);
    expect({ failure, code: facts.responseCode }).toEqual({ failure: null, code: "SERVFAIL" });
    expect(result.response).toMatchObject({ server: bad.address, tried: [{ server: `127.0.0.3:${bad.port}`, error: "ECONNREFUSED" }] });
  });

  it("blames the agent where none of them answers", async () => {
    const gone = await freePort();
    const { failure, result, metrics } = await run({ port: gone }, runContext(), ["127.0.0.1", "127.0.0.2"]);
    expect(failure).toMatchObject({ code: "ECONNREFUSED", side: "agent" });
    expect(failure?.message).toContain(`127.0.0.2:${gone} refused`);
    expect(result).toMatchObject({ response: null, requestError: `ECONNREFUSED: ${failure?.message}` });
    expect(metrics).toEqual({ total: null });
  });
});

describe("a DNS monitor and other ports of the system's servers", () => {
  it("asks the egress policy, so that nobody talks to the agent's own listeners or scans its resolver's host", async () => {
    await using own = await rawServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [own.port] });
    for (const protocol of ["TCP", "DOT", "DOH"] as const) {
      const { failure } = await run({ protocol, port: own.port }, runContext({ egress }), ["127.0.0.1"]);
      expect(failure).toMatchObject({ code: "EPOLICY" });
    }
    for (const protocol of ["UDP", "TCP"] as const) {
      expect((await run({ protocol, port: 80 }, runContext(), ["169.254.169.254"])).failure).toMatchObject({ code: "EPOLICY" });
    }
    expect(own.connections()).toBe(0);
  });
});

describe("a DNS monitor with a name server of its own", () => {
  it("asks no other one after SERVFAIL", async () => {
    await using bad = await dnsServer(() => ({ rcode: "SERVFAIL" }));
    const { facts } = await run({ nameServer: "127.0.0.1", port: bad.port }, runContext(), ["127.0.0.1", "127.0.0.2"]);
    expect(facts.responseCode).toBe("SERVFAIL");
    expect(bad.asked).toHaveLength(1);
  });

  it("blames the target where it does not answer", async () => {
    const gone = await freePort();
    expect((await run({ nameServer: "127.0.0.1", port: gone })).failure).toMatchObject({ code: "ECONNREFUSED", side: "target" });
  });

  it("gives up on silence in time for its own limit", async () => {
    await using silent = await dnsServer(() => "silence");
    const { failure, responseTimeMs } = await run({ nameServer: "127.0.0.1", port: silent.port });
    expect(failure).toMatchObject({
      code: "ETIMEDOUT",
      side: "target",
      message: `${silent.address} did not answer over UDP within 5000 ms`,
    });
    expect(responseTimeMs).toBeGreaterThan(4_900);
    expect(silent.asked.length).toBeGreaterThan(3);
  });

  it("resolves its name, IPv6 where there is no IPv4, and does not count that", async () => {
    await using server = await dnsServer(() => ({ addresses: ["10.0.0.1"] }));
    const asked: number[] = [];
    const resolver = {
      async resolve(_host: string, family: 4 | 6) {
        asked.push(family);
        await new Promise((resolve) => setTimeout(resolve, 300));
        if (family === 4) throw new ProbeError("ENOTFOUND", "no IPv4 address");
        return ["127.0.0.1"];
      },
    };
    const begunMs = performance.now();
    const { result, startedMs, stoppedMs, responseTimeMs } = await run(
      { nameServer: "dns.test", port: server.port },
      runContext({ resolver }),
    );
    expect(asked).toEqual([4, 6]);
    expect(result.response).toMatchObject({ server: server.address });
    expect(responseTimeMs).toBeLessThan(performance.now() - begunMs - 590);
    expect(responseTimeMs).toBeCloseTo(stoppedMs - startedMs, 2);
  });

  it("blames whoever the resolver blames for its name", async () => {
    const resolver = { resolve: () => Promise.reject(new ProbeError("EDNS", "no server could answer", { side: "agent" })) };
    expect((await run({ nameServer: "dns.test" }, runContext({ resolver }))).failure).toMatchObject({ code: "EDNS", side: "agent" });
  });

  it("asks the egress policy for its address before the first packet", async () => {
    await using server = await dnsServer(() => ({ addresses: ["10.0.0.1"] }));
    const checked: unknown[] = [];
    const egress = {
      check: (...what: unknown[]) => {
        checked.push(what);
        throw new ProbeError("EPOLICY", "not allowed");
      },
      checkName: () => undefined,
    };
    const resolver = fixedResolver({ "dns.test": ["127.0.0.1"] });
    const { failure } = await run({ nameServer: "dns.test", port: server.port }, runContext({ egress, resolver }));
    expect(failure?.code).toBe("EPOLICY");
    expect(checked).toEqual([["127.0.0.1", server.port, "dns.test"]]);
    expect(server.asked).toEqual([]);
  });

  it("denies metadata addresses by the usual policy", async () => {
    expect((await run({ nameServer: "169.254.169.254" })).failure?.code).toBe("EPOLICY");
    expect((await run({ nameServer: "https://[::ffff:169.254.169.254]/dns-query", protocol: "DOH" })).failure?.code).toBe("EPOLICY");
  });

  it.each([
    [{ query: "a..b", nameServer: "127.0.0.1" }, "EBADNAME"],
    [{ nameServer: "http://127.0.0.1/dns-query", protocol: "DOH" }, "EBADURL"],
  ] as const)("tells what is wrong with %j", async (request, code) => {
    expect((await run(request)).failure).toMatchObject({ code, side: "target" });
  });

  it("fails by the run's own deadline, and throws another abort's reason", async () => {
    await using silent = await dnsServer(() => "silence");
    const abortedBy = (reason: unknown) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 20);
      return run({ nameServer: "127.0.0.1", port: silent.port }, runContext({ signal: controller.signal }));
    };
    const { failure } = await abortedBy(new AppError("deadline_exceeded", "the check took longer than 30 s"));
    expect(failure?.code).toBe("ETIMEDOUT");
    await expect(abortedBy("cancelled")).rejects.toBe("cancelled");
  });
});

describe("a DNS monitor and what its name server is called", () => {
  it("asks the policy about the name that is looked up, whatever alphabet it was written in", async () => {
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: [], denyDomains: ["*.corp.test"], mode: "default", ownPorts: [] });
    const resolver = fixedResolver({ "db.corp.test": ["127.0.0.1"] });
    const { failure } = await run({ nameServer: "\uff44b\u3002corp.test" }, runContext({ egress, resolver }));
    expect(failure).toMatchObject({ code: "EPOLICY", message: expect.stringContaining("db.corp.test") });
  });

  it.each(["https://user:canary-4711@127.0.0.1:1/q", "HTTPS://canary-4711@127.0.0.1:1/q", "https://user:canary-4711@[broken/q"])(
    "does not tell the credentials in %s",
    async (nameServer) => {
      const { failure, result } = await run({ nameServer, protocol: "DOH" });
      expect(failure).not.toBeNull();
      expect(JSON.stringify([failure, result])).not.toContain("canary");
      expect(result.request.nameServer).toMatch(/^https:\/\/(127|\[broken)/i);
    },
  );
});

describe("a DNS monitor over TLS and HTTPS", () => {
  const tlsOptions = { ...certificates.pair("good"), ALPNProtocols: ["dot"] };

  async function tlsServer(onConnection: (socket: TLSSocket) => void, options: object = tlsOptions) {
    const sockets = new Set<TLSSocket>();
    const server = createTlsServer(options, (socket) => {
      sockets.add(socket.on("error", () => undefined));
      onConnection(socket);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    return {
      port: (server.address() as AddressInfo).port,
      async [Symbol.asyncDispose]() {
        for (const socket of sockets) socket.destroy();
        await once(server.close(), "close");
      },
    };
  }

  it("offers the protocol of DNS over TLS", async () => {
    let alpn: unknown;
    await using server = await tlsServer((socket) => {
      alpn = socket.alpnProtocol;
      socket.once("data", (bytes: Buffer) => socket.write(framed(answerTo(bytes.subarray(2), { answers: [addressRecord("10.0.0.1")] }))));
    });
    const { result } = await run({ protocol: "DOT", nameServer: "127.0.0.1", port: server.port });
    expect(result.response).toMatchObject({ protocolUsed: "DOT", responseCode: "NOERROR" });
    expect(alpn).toBe("dot");
  });

  it.each([
    ["expired", "CERT_HAS_EXPIRED"],
    ["wrongHost", "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["selfSigned", "DEPTH_ZERO_SELF_SIGNED_CERT"],
  ] as const)("does not ask a server whose certificate is %s", async (name, code) => {
    let bytes = 0;
    await using server = await tlsServer((socket) => socket.on("data", (part: Buffer) => (bytes += part.length)), certificates.pair(name));
    const { failure } = await run({ protocol: "DOT", nameServer: "127.0.0.1", port: server.port });
    expect(failure).toMatchObject({ code, side: "target" });
    expect(bytes).toBe(0);
  });

  it("calls what is no TLS by its name", async () => {
    await using server = await rawServer((socket) => socket.end("220 hello\r\n"));
    expect((await run({ protocol: "DOT", nameServer: "127.0.0.1", port: server.port })).failure?.code).toBe("EPROTO");
  });

  it.each([
    ["a good answer", 200, "application/dns-message", (query: Buffer) => answerTo(query, { answers: [addressRecord("10.0.0.1")] }), null],
    ["another status", 503, "text/plain", () => Buffer.from("later"), "EDNSHTTP"],
    ["another type", 200, "text/html", () => Buffer.from("<h1>hello</h1>"), "EDNSFORMAT"],
    ["a body that is none", 200, "application/dns-message", () => Buffer.from("hello"), "EDNSFORMAT"],
    ["an answer to something else", 200, "application/dns-message", (query: Buffer) => answerTo(query, { id: 7 }), "EDNSFORMAT"],
    ["more than a message may have", 200, "application/dns-message", () => Buffer.alloc(70_000), "EDNSFORMAT"],
  ] as const)("over HTTP/1.1 and a server with %s comes to its code", async (_what, status, type, body, code) => {
    const requests: (string | undefined)[] = [];
    const server = createHttpsServer({ ...certificates.pair("good"), ALPNProtocols: ["http/1.1"] }, (request, response) => {
      requests.push(request.method, request.url, request.headers["content-type"], request.headers["user-agent"]);
      request.once("data", (query: Buffer) => response.writeHead(status, { "content-type": type }).end(body(query)));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const { failure, result } = await run({ protocol: "DOH", nameServer: "127.0.0.1", port });
    expect({ code: failure?.code ?? null, hasResponse: result.response !== null }).toEqual({ code, hasResponse: code === null });
    expect(requests).toEqual(["POST", "/dns-query", "application/dns-message", "outpost/test"]);
    await once(server.close(), "close");
  });

  it("over HTTP/2 and a server that breaks its rules fails with EPROTO", async () => {
    await using server = await tlsServer((socket) => socket.write("this is no frame of HTTP/2, however long it is read\n".repeat(20)), {
      ...certificates.pair("good"),
      ALPNProtocols: ["h2"],
    });
    expect((await run({ protocol: "DOH", nameServer: "127.0.0.1", port: server.port })).failure).toMatchObject({
      code: "EPROTO",
      side: "target",
    });
  });

  it("over HTTP/2 and a server that closes fails with ECONNRESET", async () => {
    await using server = await tlsServer((socket) => socket.once("data", () => socket.destroy()), {
      ...certificates.pair("good"),
      ALPNProtocols: ["h2"],
    });
    expect((await run({ protocol: "DOH", nameServer: "127.0.0.1", port: server.port })).failure).toMatchObject({ code: "ECONNRESET" });
  });
});
