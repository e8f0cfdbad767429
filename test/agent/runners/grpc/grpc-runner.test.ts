import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { GrpcAssertion } from "#contract/checks/grpc.ts";
import { evaluateAssertions } from "#domain/assertions/evaluate.ts";
import { createEgressPolicy } from "../../../../src/agent/net/egress-policy.ts";
import { framed } from "../../../../src/agent/runners/grpc/message-reader.ts";
import { makeCertificates } from "../../../support/certificates.ts";
import { proxyServer } from "../../../support/http-servers/proxy-server.ts";
import { fixedResolver, responseOf } from "../../../support/run-context.ts";
import { grpcChecks } from "./grpc-check.ts";
import { answer, http2Server, ok, order, shopMessage, shopServer } from "./grpc-server.ts";
import { shopProto } from "./shop-proto.ts";

const certificates = makeCertificates();
afterAll(() => certificates[Symbol.dispose]());
const check = grpcChecks([certificates.ca]);
const get = { service: "shop.v1.Orders", method: "Get", protoContent: shopProto, message: '{"id":"42"}' };

describe("the gRPC runner with a proto file", () => {
  it("makes a unary call and tells its message, status, metadata and phases", async () => {
    await using server = await shopServer((id) => ({
      id,
      state: "PAID",
      lines: [{ sku: "a", cents: "12" }],
      bySku: { a: { sku: "a" } },
      at: "2026-01-02T03:04:05Z",
    }));
    const seen = await check({ port: server.port, ...get });
    const response = responseOf(seen);
    expect(seen.failure).toBeNull();
    expect(JSON.parse(response.responseMessage)).toMatchObject({
      id: "42",
      state: "PAID",
      lines: [{ sku: "a", cents: "12" }],
      bySku: { a: { sku: "a", cents: "0" } },
      at: "2026-01-02T03:04:05Z",
      numbers: [],
    });
    expect(response).toMatchObject({
      grpcMode: "BEHAVIOR",
      grpcMethod: "shop.v1.Orders/Get",
      grpcStatusCode: 0,
      grpcStatusName: "OK",
      grpcStatusMessage: "",
      healthStatus: null,
      healthStatusLabel: "",
      resolvedIp: "127.0.0.1",
      port: server.port,
      truncated: false,
      discoveredMethods: null,
    });
    expect(response.metadata).toContainEqual({ key: "x-served-by", value: "one", trailer: true });
    expect(seen.result).toMatchObject({ grpcStatusCode: 0, requestError: null, connection: { remoteAddress: "127.0.0.1", tls: null } });
    const { total, ...phases } = response.timingPhases;
    expect(Object.values(phases).reduce((sum, length) => sum + length, 0)).toBeCloseTo(total, 2);
    expect(seen.responseTimeMs).toBe(total);
    expect(seen.metrics).toEqual({ ...phases, tls: 0, reflection: 0 });
  });

  it("sends what gRPC wants, and the metadata of the check", async () => {
    const sent: unknown[] = [];
    await using server = await http2Server((stream, headers, message) => {
      sent.push({ ...headers }, message.toString("hex"));
      answer(stream, order({}), ok);
    });
    const metadata = [
      { key: "X-Tenant", value: "shop" },
      { key: "x-tenant", value: "two" },
      { key: "trace-bin", value: "AAEC" },
    ];
    await check({ port: server.port, ...get, metadata, timeout: 7 });
    expect(sent[0]).toMatchObject({
      ":method": "POST",
      ":scheme": "http",
      ":path": "/shop.v1.Orders/Get",
      ":authority": `127.0.0.1:${server.port}`,
      te: "trailers",
      "content-type": "application/grpc",
      "grpc-accept-encoding": "identity,gzip,deflate",
      "grpc-timeout": expect.stringMatching(/^[67]\d{3}m$/),
      "user-agent": "outpost/test",
      "x-tenant": "shop, two",
      "trace-bin": "AAEC",
    });
    expect(sent[1]).toBe(Buffer.from(shopMessage("GetRequest", { id: "42" })).toString("hex"));
  });

  it("takes a status other than OK as an answer, with its decoded message", async () => {
    await using server = await http2Server((stream) => answer(stream, null, { "grpc-status": "5", "grpc-message": "no %C3%B6rder%20%zz" }));
    const seen = await check({ port: server.port, ...get });
    expect(seen.failure).toBeNull();
    expect(responseOf(seen)).toMatchObject({
      grpcStatusCode: 5,
      grpcStatusName: "NOT_FOUND",
      grpcStatusMessage: "no örder %zz",
      responseMessage: "",
    });
    expect(seen.facts).toMatchObject({ grpc: { statusCode: 5, healthStatus: null }, headers: { "grpc-message": "no örder %zz" } });
  });

  it("takes a status that comes in the headers, alone", async () => {
    await using server = await http2Server((stream) =>
      stream.respond(
        { ":status": 200, "content-type": "application/grpc", "grpc-status": "16", "grpc-message": "who" },
        { endStream: true },
      ),
    );
    expect(responseOf(await check({ port: server.port, ...get }))).toMatchObject({
      grpcStatusCode: 16,
      grpcStatusName: "UNAUTHENTICATED",
      grpcStatusMessage: "who",
    });
  });

  it.each(["gzip", "deflate"])("unpacks a message in %s", async (encoding) => {
    const plain = Buffer.from(shopMessage("Order", { id: "packed" }));
    const { deflateSync } = await import("node:zlib");
    const bytes = framed(encoding === "gzip" ? gzipSync(plain) : deflateSync(plain));
    bytes[0] = 1;
    await using server = await http2Server((stream) => answer(stream, bytes, ok, { "grpc-encoding": encoding }));
    const { responseMessage, messageBytes } = responseOf(await check({ port: server.port, ...get }));
    expect(JSON.parse(responseMessage)).toMatchObject({ id: "packed" });
    expect(messageBytes).toBe(plain.length);
  });

  it("reads a message of almost 4 MB, and stores its first 256 KB", async () => {
    await using server = await shopServer(() => ({ id: "é".repeat(2 * 1024 * 1024 - 10) }));
    const seen = await check({ port: server.port, ...get });
    const response = responseOf(seen);
    expect(response).toMatchObject({ truncated: true, grpcStatusCode: 0 });
    expect(Buffer.byteLength(response.responseMessage)).toBeLessThanOrEqual(256 * 1024);
    expect(seen.facts.text()).toContain("é".repeat(1_000_000));
  });

  it("gives assertions the status, the message, the metadata and the time", async () => {
    await using server = await shopServer((id) => ({ id, state: "PAID", numbers: [1, 2] }));
    const { facts } = await check({ port: server.port, ...get });
    const assertions = [
      { source: "GRPC_STATUS_CODE", comparison: "EQUALS", target: "OK" },
      { source: "GRPC_STATUS_CODE", comparison: "EQUALS", target: "0" },
      { source: "GRPC_RESPONSE", property: "$.state", comparison: "EQUALS", target: "PAID" },
      { source: "GRPC_RESPONSE", property: "$.numbers[*]", comparison: "GREATER_THAN", target: "0" },
      { source: "TEXT_BODY", property: '"id":"(\\d+)"', comparison: "EQUALS", target: "42" },
      { source: "GRPC_METADATA", property: "X-Served-By", comparison: "EQUALS", target: "one" },
      { source: "GRPC_METADATA", comparison: "HAS_KEY", target: "X-Served-By" },
      { source: "RESPONSE_TIME", comparison: "LESS_THAN", target: "30000" },
      { source: "GRPC_STATUS_CODE", comparison: "EQUALS", target: "UNAVAILABLE" },
      { source: "GRPC_METADATA", property: "x-none", comparison: "EQUALS", target: "one" },
    ].map((one) => GrpcAssertion.parse(one));
    const errors = evaluateAssertions(assertions, facts).map(({ error }) => error);
    expect(errors.slice(0, 8)).toEqual(Array.from({ length: 8 }, () => undefined));
    expect(errors.slice(8)).toEqual([
      'expected the gRPC status code to equal "UNAVAILABLE", got "0"',
      'expected the metadata "x-none" to equal "one", there is no such metadata',
    ]);
  });

  it("takes the port from a template that was filled in", async () => {
    await using server = await shopServer(() => ({}));
    expect((await check({ ...get, port: String(server.port) })).failure).toBeNull();
  });
});

describe("the gRPC runner and the health service", () => {
  const health = (status: number) =>
    http2Server((stream, headers, message) => {
      if (headers[":path"] !== "/grpc.health.v1.Health/Check") return answer(stream, null, { "grpc-status": "12" });
      if (message.toString("latin1").includes("gone"))
        return answer(stream, null, { "grpc-status": "5", "grpc-message": "unknown service" });
      answer(stream, framed(Buffer.from(status === 0 ? [] : [8, status])), ok);
    });

  it.each([
    [0, "UNKNOWN"],
    [1, "SERVING"],
    [2, "NOT_SERVING"],
    [3, "SERVICE_UNKNOWN"],
    [77, "UNKNOWN"],
  ])("tells the serving status %i", async (status, healthStatusLabel) => {
    await using server = await health(status);
    const seen = await check({ port: server.port, mode: "HEALTH", service: "shop" });
    expect(responseOf(seen)).toMatchObject({
      grpcMode: "HEALTH",
      healthStatus: status,
      healthStatusLabel,
      grpcMethod: "grpc.health.v1.Health/Check",
    });
    expect(seen.result.healthStatus).toBe(status);
    const told = GrpcAssertion.parse({ source: "GRPC_HEALTHCHECK_STATUS", comparison: "EQUALS", target: String(status) });
    expect(evaluateAssertions([told], seen.facts)[0]?.error).toBeUndefined();
  });

  it("has no serving status where the server knows no such service", async () => {
    await using server = await health(1);
    expect(responseOf(await check({ port: server.port, mode: "HEALTH", service: "gone" }))).toMatchObject({
      grpcStatusName: "NOT_FOUND",
      healthStatus: null,
    });
  });

  it("compares the status by its name, too", async () => {
    await using server = await health(2);
    const { facts } = await check({ port: server.port, mode: "HEALTH" });
    const wanted = GrpcAssertion.parse({ source: "GRPC_HEALTHCHECK_STATUS", comparison: "EQUALS", target: "SERVING" });
    expect(evaluateAssertions([wanted], facts)[0]).toMatchObject({ target: 1, actual: 2 });
  });
});

describe("the gRPC runner over TLS", () => {
  const tls = () => certificates.pair("good");

  it("trusts a private authority, asks for the name, and tells what TLS agreed on", async () => {
    const names: unknown[] = [];
    await using server = await shopServer(() => ({}), { tls: { ...tls(), SNICallback: (name, done) => (names.push(name), done(null)) } });
    const seen = await check({ url: "localhost", port: server.port, ...get, tls: true });
    expect(seen.failure).toBeNull();
    expect(names).toEqual(["localhost"]);
    expect(seen.result.connection?.tls).toMatchObject({ authorized: true, protocol: "TLSv1.3", trustError: null });
    expect(seen.metrics["tls"]).toBeGreaterThan(0);
  });

  it.each(["expired", "wrongHost", "selfSigned"] as const)("refuses a certificate that is %s, unless it is told not to", async (name) => {
    await using server = await shopServer(() => ({}), { tls: certificates.pair(name) });
    const seen = await check({ url: "localhost", port: server.port, ...get, tls: true });
    expect(seen.failure?.code).toMatch(/^(CERT_HAS_EXPIRED|ERR_TLS_CERT_ALTNAME_INVALID|DEPTH_ZERO_SELF_SIGNED_CERT)$/);
    expect(seen.result).toMatchObject({ response: null, connection: { tls: { authorized: false } } });
    expect((await check({ url: "localhost", port: server.port, ...get, tls: true, skipSSL: true })).failure).toBeNull();
  });

  it("shows a client certificate to its host", async () => {
    const { cert, key } = tls();
    await using server = await shopServer(() => ({}), {
      tls: { ...tls(), ca: certificates.ca, requestCert: true, rejectUnauthorized: true },
    });
    const input = { url: "localhost", port: server.port, ...get, tls: true };
    const certificate = { host: "localhost", cert, key, ca: null, passphrase: null };
    expect((await check(input, { certificates: [certificate as never] })).failure).toBeNull();
    expect((await check(input)).failure).toMatchObject({ code: "EPROTO", message: expect.stringContaining("certificate") });
  });

  it("says so where the server does not agree on HTTP/2", async () => {
    const { createServer } = await import("node:tls");
    const { serve } = await import("../../../support/http-servers/raw-server.ts");
    await using server = await serve(createServer(tls()), "secureConnection", (socket) => void socket.on("error", () => undefined));
    expect((await check({ url: "localhost", port: server.port, ...get, tls: true })).failure).toMatchObject({ code: "EALPN" });
  });
});

describe("the gRPC runner on its way", () => {
  it("asks the egress policy", async () => {
    await using server = await shopServer(() => ({}));
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: ["127.0.0.0/8"], mode: "default", ownPorts: [] });
    expect((await check({ port: server.port, ...get }, { egress })).failure).toMatchObject({ code: "EPOLICY" });
    expect(server.connections()).toBe(0);
  });

  it("goes through the location's proxy by a tunnel, in the clear too", async () => {
    await using server = await shopServer(() => ({ id: "x" }));
    await using proxy = await proxyServer();
    const seen = await check({ port: server.port, ...get }, { proxyUrl: `http://127.0.0.1:${proxy.port}` });
    expect(responseOf(seen).grpcStatusCode).toBe(0);
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${server.port}`]);
  });

  it("resolves names by the agent's own resolver", async () => {
    await using server = await shopServer(() => ({}));
    const seen = await check(
      { url: "orders.test", port: server.port, ...get },
      { resolver: fixedResolver({ "orders.test": ["127.0.0.1"] }) },
    );
    expect(responseOf(seen)).toMatchObject({ host: "orders.test", resolvedIp: "127.0.0.1" });
  });
});
