import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseHosts } from "../../../src/agent/net/hosts-file.ts";
import { createOsResolver } from "../../../src/agent/net/os-resolver.ts";
import { createStubResolver, type StubResolverOptions } from "../../../src/agent/net/resolver.ts";
import { candidateNames, parseResolvConf } from "../../../src/agent/net/resolver-settings.ts";
import { dnsServer } from "../../support/dns-server.ts";

const folder = mkdtempSync(join(tmpdir(), "resolver-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const noFile = join(folder, "missing");
const stub = (options: StubResolverOptions = {}) => createStubResolver({ hostsPath: noFile, resolvConfPath: noFile, ...options });
const { signal } = new AbortController();

describe("the stub resolver", () => {
  it.each([
    ["127.0.0.1", 4, ["127.0.0.1"]],
    ["::1", 4, ["::1"]],
    ["localhost", 4, ["127.0.0.1"]],
    ["LOCALHOST", 6, ["::1"]],
    ["app.localhost", 4, ["127.0.0.1"]],
  ] as const)("knows %s (IPv%i) without asking anybody", async (host, family, expected) => {
    expect(await stub({ servers: [] }).resolve(host, family, signal)).toEqual(expected);
  });

  it("reads the hosts file before it asks", async () => {
    await using server = await dnsServer(() => ({ addresses: ["10.9.9.9"] }));
    const resolver = stub({ servers: [server.address], hostsPath: file("hosts", "10.0.0.5 db.internal db # the store\n") });
    expect(await resolver.resolve("DB", 4, signal)).toEqual(["10.0.0.5"]);
    expect(server.asked).toEqual([]);
    expect(await resolver.resolve("other.internal", 4, signal)).toEqual(["10.9.9.9"]);
  });

  it("hands out every address, of the family that was asked for", async () => {
    await using server = await dnsServer((_name, type) => ({ addresses: type === 28 ? ["fd00:0:0:0:0:0:0:1"] : ["10.0.0.1", "10.0.0.2"] }));
    const resolver = stub({ servers: [server.address] });
    expect((await resolver.resolve("two.example", 4, signal)).toSorted()).toEqual(["10.0.0.1", "10.0.0.2"]);
    expect(await resolver.resolve("two.example", 6, signal)).toEqual(["fd00::1"]);
  });

  it("asks anew each time, because the look-up is part of what a check measures", async () => {
    await using server = await dnsServer(() => ({ addresses: ["10.0.0.1"] }));
    const resolver = stub({ servers: [server.address] });
    await resolver.resolve("again.example", 4, signal);
    await resolver.resolve("again.example", 4, signal);
    expect(server.asked).toEqual(["again.example", "again.example"]);
  });

  it.each(["NXDOMAIN", "NODATA"] as const)("calls %s the target's failure", async (rcode) => {
    await using server = await dnsServer(() => ({ rcode }));
    await expect(stub({ servers: [server.address] }).resolve("no.example", 4, signal)).rejects.toMatchObject({
      code: "ENOTFOUND",
      side: "target",
    });
  });

  it.each(["SERVFAIL", "REFUSED"] as const)("calls %s of every server the agent's failure, after a second try", async (rcode) => {
    await using server = await dnsServer(() => ({ rcode }));
    await expect(stub({ servers: [server.address] }).resolve("no.example", 4, signal)).rejects.toMatchObject({
      code: "EDNS",
      side: "agent",
    });
    expect(server.asked).toHaveLength(2);
  });

  it.each(["silence", "wrong id"] as const)("calls %s of every server the agent's failure, within the limit", async (reply) => {
    await using server = await dnsServer(() => reply);
    const resolver = stub({ servers: [server.address], limitMs: 120, tryMs: 50 });
    await expect(resolver.resolve("no.example", 4, signal)).rejects.toMatchObject({
      code: "ETIMEDOUT",
      side: "agent",
      message: expect.stringContaining("DNS"),
    });
  });

  it("calls a server that is not there the agent's failure", async () => {
    const gone = await dnsServer(() => "silence");
    await gone[Symbol.asyncDispose]();
    await expect(stub({ servers: [gone.address], tryMs: 100 }).resolve("no.example", 4, signal)).rejects.toMatchObject({ side: "agent" });
  });

  it.each([{ rcode: "SERVFAIL" }, "silence"] as const)("asks the next server after %j, and that one first from then on", async (reply) => {
    await using bad = await dnsServer(() => reply);
    await using good = await dnsServer(() => ({ addresses: ["10.0.0.7"] }));
    const resolver = stub({ servers: [bad.address, good.address], tryMs: 50 });
    expect(await resolver.resolve("a.example", 4, signal)).toEqual(["10.0.0.7"]);
    const askedOfBad = bad.asked.length;
    expect(await resolver.resolve("b.example", 4, signal)).toEqual(["10.0.0.7"]);
    expect(bad.asked).toHaveLength(askedOfBad);
  });

  it("tries the search domains as resolv.conf says", async () => {
    await using server = await dnsServer((name) => (name === "api.prod.svc" ? { addresses: ["10.0.0.8"] } : { rcode: "NXDOMAIN" }));
    const resolvConfPath = file("resolv.conf", "search dev.svc prod.svc\noptions ndots:5\n");
    expect(await stub({ servers: [server.address], resolvConfPath }).resolve("api", 4, signal)).toEqual(["10.0.0.8"]);
    expect(server.asked).toEqual(["api.dev.svc", "api.prod.svc"]);
  });

  it("stops with the caller's reason", async () => {
    await using server = await dnsServer(() => "silence");
    const run = new AbortController();
    const resolving = stub({ servers: [server.address] }).resolve("slow.example", 4, run.signal);
    run.abort("cancelled");
    await expect(resolving).rejects.toBe("cancelled");
  });
});

describe("the host's resolver", () => {
  it("resolves what the host knows", async () => {
    expect(await createOsResolver(1).resolve("localhost", 4, signal)).toEqual(["127.0.0.1"]);
    expect(await createOsResolver(1).resolve("::1", 4, signal)).toEqual(["::1"]);
  });

  it("serves more callers than it has seats, and drops one that gave up", async () => {
    const resolver = createOsResolver(1);
    const run = new AbortController();
    const all = [
      resolver.resolve("localhost", 4, signal),
      resolver.resolve("localhost", 4, run.signal),
      resolver.resolve("localhost", 4, signal),
    ];
    run.abort("cancelled");
    expect(await Promise.allSettled(all)).toMatchObject([
      { status: "fulfilled" },
      { status: "rejected", reason: "cancelled" },
      { status: "fulfilled" },
    ]);
  });
});

describe("the resolver's files", () => {
  it("hosts: several names, both families, comments, nonsense", () => {
    const hosts = parseHosts("127.0.0.1 A b\n::1 a # c\nnot-an-address d\n10.0.0.1\n127.0.0.1 a\n");
    expect(Object.fromEntries(hosts)).toEqual({ a: { 4: ["127.0.0.1"], 6: ["::1"] }, b: { 4: ["127.0.0.1"], 6: [] } });
  });

  it.each([
    ["", { servers: ["127.0.0.1"], search: [], ndots: 1 }],
    ["nameserver 10.0.0.1\nnameserver 10.0.0.2 ; second\nnameserver bad\n", { servers: ["10.0.0.1", "10.0.0.2"], search: [], ndots: 1 }],
    [
      "domain a.example\nsearch b.example C.example.\noptions rotate ndots:5",
      { servers: ["127.0.0.1"], search: ["b.example", "c.example"], ndots: 5 },
    ],
    ["options ndots:99", { servers: ["127.0.0.1"], search: [], ndots: 15 }],
  ])("resolv.conf %j", (text, expected) => {
    expect(parseResolvConf(text)).toEqual(expected);
  });

  it.each([
    ["api", 1, ["api.a", "api.b", "api"]],
    ["api.x", 1, ["api.x", "api.x.a", "api.x.b"]],
    ["api.x", 5, ["api.x.a", "api.x.b", "api.x"]],
    ["api.", 5, ["api"]],
  ])("%s with ndots %i is asked for as %j", (name, ndots, expected) => {
    expect(candidateNames(name, { search: ["a", "b"], ndots })).toEqual(expected);
  });
});
