import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { z } from "zod";
import { type CheckType, checkTypes, isScriptType, type ProbeType } from "#contract/checks/index.ts";
import { CheckV1, CheckV2, CheckV3, checkWrites } from "#contract/checks/operations.ts";
import { checkTypeNames } from "#contract/primitives.ts";
import { requests, smallest } from "../bodies.ts";

type TypedType = CheckType & keyof typeof checkWrites;
/** The others are written by the forms for all types. */
const isTyped = (type: CheckType): boolean => Object.hasOwn(checkWrites, type);
const types = Object.keys(checkTypes) as CheckType[];
const body = (type: CheckType, extra: object = {}) => ({ name: "shop", ...smallest[type], ...extra });
const request = (type: ProbeType, extra: object) => body(type, { request: { ...requests[type], ...extra } });
const paths = (schema: z.ZodType, given: unknown): string[] =>
  schema.safeParse(given).error?.issues.map((issue) => issue.path.join(".")) ?? [];

const defaults: { readonly [T in CheckType]: object } = {
  API: { degradedResponseTime: 5000, maxResponseTime: 20_000 },
  URL: { degradedResponseTime: 3000, maxResponseTime: 5000 },
  TCP: { degradedResponseTime: 3000, maxResponseTime: 5000 },
  DNS: { degradedResponseTime: 500, maxResponseTime: 1000 },
  ICMP: { degradedPacketLossThreshold: 10, maxPacketLossThreshold: 20 },
  SSL: { degradedResponseTime: 3000, maxResponseTime: 10_000 },
  GRPC: { degradedResponseTime: null, maxResponseTime: null },
  TRACEROUTE: { degradedResponseTime: null, maxResponseTime: null },
  MULTI_STEP: {},
  BROWSER: {},
  PLAYWRIGHT: {},
  AGENTIC: {},
};

describe.each(types)("creation of a check of type %s", (type) => {
  const { create, update, readV1: read } = checkTypes[type].schemas;

  it("fills in the type and its limits (behaviour 2.3)", () => {
    expect(create.parse(body(type))).toMatchObject({ checkType: type, frequency: 10, shouldFail: false, ...defaults[type] });
  });

  it.skipIf(!isTyped(type))("has its own operations at its own address", () => {
    const { create: post, update: put } = checkWrites[type as TypedType];
    const path = `/v1/checks/${type.toLowerCase().replace("_", "")}`;
    expect([post.path, put.path]).toEqual([path, `${path}/{id}`]);
    expect(checkTypeNames).toContain(type);
  });

  it("ignores keys of other types, at any depth", () => {
    // An API check gives back what clients send with it.
    const scripts = type === "API" ? { sslCheckDomain: null } : { script: "1", environmentVariables: [], sslCheckDomain: null };
    const ofScripts = isScriptType(type) ? { request: 1 } : scripts;
    const foreign = { id: "x", heartbeat: { period: 0 }, anything: [1], ...ofScripts };
    const noisy = { ...body(type, foreign), ...(!isScriptType(type) && { request: { ...requests[type], foreign: 1 } }) };
    expect(create.parse(noisy)).toEqual(create.parse(body(type)));
  });

  it("refuses another type's name, naming the field", () => {
    expect(paths(create, body(type, { checkType: type === "API" ? "TCP" : "API" }))).toEqual(["checkType"]);
  });

  it.each(Object.keys(defaults[type]))("takes null and 0 for %s, and nothing below", (limit) => {
    expect(paths(create, body(type, { [limit]: null }))).toEqual([]);
    expect(paths(create, body(type, { [limit]: 0 }))).toEqual([]);
    expect(paths(create, body(type, { [limit]: -1 }))).toEqual([limit]);
  });

  it("gives back what it took", () => {
    const created = create.parse(body(type));
    const stored = { ...created, ...readOnly, retryStrategy: null };
    expect(read.parse(stored)).toEqual(stored);
    for (const union of [CheckV1, CheckV2]) expect(union.parse(stored)).toEqual(stored);
    expect(CheckV3.parse({ ...stored, intent: null })).toEqual(stored);
  });

  it("is changed field by field: an update fills in nothing", () => {
    expect(update.parse({})).toEqual({});
    expect(update.parse({ muted: true })).toEqual({ muted: true });
    const known = Object.keys(create.shape);
    expect(Object.keys(update.shape)).toEqual(expect.arrayContaining(known));
    const others = Object.keys(update.shape).filter((name) => !known.includes(name));
    expect(update.parse(Object.fromEntries(others.map((name) => [name, 1])))).toEqual({});
  });
});

const readOnly = {
  id: "0d3f4b2e-6c1a-4f7e-9a51-1f2e3d4c5b6a",
  frequencyOffset: 5,
  privateLocations: [],
  alertChannelSubscriptions: [],
  triggerIncident: null,
  alertChannels: { email: [], webhook: [], slack: [], sms: [] },
  created_at: "2026-05-01T00:00:00.000Z",
  updated_at: null,
};

describe("a creation refuses what is out of bounds, naming the field", () => {
  const assertion = (extra: object) => ({ assertions: [{ source: "RESPONSE_TIME", comparison: "EQUALS", target: "1", ...extra }] });
  it.each<{ type: CheckType; given: object; path: string }>([
    { type: "URL", given: body("URL", { degradedResponseTime: 30_001 }), path: "degradedResponseTime" },
    { type: "URL", given: request("URL", { method: "POST" }), path: "request.method" },
    { type: "URL", given: request("URL", { url: "x".repeat(2049) }), path: "request.url" },
    { type: "URL", given: request("URL", assertion({})), path: "request.assertions.0.source" },
    { type: "TCP", given: body("TCP", { maxResponseTime: 5001 }), path: "maxResponseTime" },
    { type: "TCP", given: body("TCP", { request: { port: 1 } }), path: "request.hostname" },
    { type: "TCP", given: request("TCP", { port: 0 }), path: "request.port" },
    { type: "TCP", given: request("TCP", { port: 65_536 }), path: "request.port" },
    { type: "TCP", given: request("TCP", { data: "" }), path: "request.data" },
    { type: "TCP", given: request("TCP", { startTls: "ftp" }), path: "request.startTls" },
    { type: "TCP", given: request("TCP", { expect: "x".repeat(2001) }), path: "request.expect" },
    { type: "TCP", given: request("TCP", assertion({ comparison: "HAS_KEY" })), path: "request.assertions.0.comparison" },
    { type: "DNS", given: body("DNS", { maxResponseTime: 5001 }), path: "maxResponseTime" },
    { type: "DNS", given: request("DNS", { query: "x".repeat(101) }), path: "request.query" },
    { type: "DNS", given: request("DNS", { recordType: "ANY" }), path: "request.recordType" },
    { type: "DNS", given: request("DNS", { nameServer: "x".repeat(101) }), path: "request.nameServer" },
    { type: "DNS", given: request("DNS", { protocol: "TLS" }), path: "request.protocol" },
    { type: "DNS", given: request("DNS", { port: 70_000 }), path: "request.port" },
    { type: "ICMP", given: body("ICMP", { maxPacketLossThreshold: 101 }), path: "maxPacketLossThreshold" },
    { type: "ICMP", given: request("ICMP", { pingCount: 51 }), path: "request.pingCount" },
    { type: "ICMP", given: request("ICMP", { pingCount: 0 }), path: "request.pingCount" },
    { type: "ICMP", given: request("ICMP", { ipFamily: "IPv5" }), path: "request.ipFamily" },
    { type: "SSL", given: body("SSL", { maxResponseTime: 30_001 }), path: "maxResponseTime" },
    { type: "SSL", given: request("SSL", { sslConfig: {} }), path: "request.sslConfig.hostname" },
    { type: "SSL", given: request("SSL", { sslConfig: { hostname: "a\nb" } }), path: "request.sslConfig.hostname" },
    { type: "GRPC", given: body("GRPC", { maxResponseTime: 30_001 }), path: "maxResponseTime" },
    { type: "GRPC", given: request("GRPC", { port: 70_000 }), path: "request.port" },
    { type: "GRPC", given: request("GRPC", { timeout: 301 }), path: "request.timeout" },
    { type: "GRPC", given: request("GRPC", { timeout: 0 }), path: "request.timeout" },
    { type: "GRPC", given: request("GRPC", { url: "" }), path: "request.url" },
    { type: "GRPC", given: request("GRPC", { grpcConfig: { mode: "PING" } }), path: "request.grpcConfig.mode" },
    {
      type: "GRPC",
      given: request("GRPC", { grpcConfig: { metadata: [{ key: "", value: "" }] } }),
      path: "request.grpcConfig.metadata.0.key",
    },
    {
      type: "SSL",
      given: request("SSL", { sslConfig: { hostname: "a", handshakeTimeoutMs: 999 } }),
      path: "request.sslConfig.handshakeTimeoutMs",
    },
    {
      type: "SSL",
      given: request("SSL", { sslConfig: { hostname: "a", securityBaseline: { minKeySizeBits: { value: 512 } } } }),
      path: "request.sslConfig.securityBaseline.minKeySizeBits.value",
    },
  ])("$type: $path", ({ type, given, path }) => {
    expect(paths(checkTypes[type].schemas.create, given)).toEqual([path]);
  });
});

describe("the request of a TCP check", () => {
  const { create, update } = checkTypes.TCP.schemas;
  const names = fc.constantFrom<{ hostname?: string; url?: string }>({ hostname: "a" }, { url: "a" }, { hostname: "a", url: "b" });
  const texts = fc.constantFrom<{ data?: string | null; body?: string | null }>({ data: "x" }, { body: "x" }, { data: "x", body: "y" });

  it("comes back under both names, the first one winning", () => {
    fc.assert(
      fc.property(names, texts, (host, text) => {
        expect(create.parse(body("TCP", { request: { port: 1, ...host, ...text } })).request).toMatchObject({
          hostname: "a",
          url: "a",
          data: "x",
          body: "x",
        });
      }),
    );
  });

  it("is changed under either name", () => {
    const changed = (given: object) => update.parse({ request: { port: 1, ...given } }).request;
    expect(changed({ url: "b" })).toMatchObject({ hostname: "b" });
    expect(changed({ body: "x" })).toMatchObject({ data: "x" });
    expect(changed({ body: null })).toMatchObject({ data: null, body: null });
    expect(changed({})).not.toHaveProperty("data");
  });
});

describe("what a runner gets", () => {
  it.each(types)("of a stored check of type %s is read from its definition", (type) => {
    const created = checkTypes[type].schemas.create.parse(body(type));
    expect(checkTypes[type].settings.parse(created)).toMatchObject(defaults[type]);
  });

  it("has no empty name server and no empty server name", () => {
    const dns = checkTypes.DNS.settings.parse({ ...request("DNS", { nameServer: "" }), ...defaults.DNS });
    expect(dns.request.nameServer).toBeUndefined();
    const ssl = checkTypes.SSL.settings.parse({ ...request("SSL", { sslConfig: { hostname: "a", serverName: "" } }), ...defaults.SSL });
    expect(ssl.request.sslConfig.serverName).toBeNull();
  });
});

describe("the update of an SSL monitor", () => {
  const { create, update } = checkTypes.SSL.schemas;

  it("fills in nothing below its configuration either", () => {
    const sslConfig = { hostname: "a", securityBaseline: { minTLSVersion: { value: "TLS1.3" } } };
    const parsed = update.parse({ request: { sslConfig } }).request?.sslConfig;
    expect(Object.keys(parsed ?? {}).toSorted()).toEqual(["hostname", "securityBaseline"]);
    expect(parsed?.securityBaseline?.minTLSVersion).toEqual({ value: "TLS1.3" });
    expect(Object.values(parsed?.securityBaseline ?? {}).filter((rule) => Object.keys(rule as object).length > 0)).toHaveLength(1);
  });

  it("knows every rule that creation knows", () => {
    const created = create.parse(body("SSL")).request.sslConfig.securityBaseline;
    const changed = update.parse({ request: { sslConfig: { hostname: "a", securityBaseline: created } } });
    expect(changed.request?.sslConfig.securityBaseline).toEqual(created);
  });
});
