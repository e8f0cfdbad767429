import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { typeNumber } from "../../../src/agent/net/dns/registry.ts";
import { parseHosts } from "../../../src/agent/net/hosts-file.ts";
import { createOsResolver } from "../../../src/agent/net/os-resolver.ts";
import { candidateNames, parseResolvConf } from "../../../src/agent/net/resolver-settings.ts";
import { createStubResolver, type StubResolverOptions } from "../../../src/agent/net/stub-resolver.ts";
import { addressRecord, answerTo, dnsServer, resourceRecord, wireName } from "../../support/dns-server.ts";
import { freePort } from "../../support/free-ports.ts";

const folder = mkdtempSync(join(tmpdir(), "resolver-"));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const noFile = join(folder, "missing");
const stub = (options: StubResolverOptions = {}) => createStubResolver({ hostsPath: noFile, resolvConfPath: noFile, ...options });
const { signal } = new AbortController();

/** True once in ten calls, the same way each time (Numerical Recipes' generator). */
function oneInTen(): () => boolean {
  let state = 20_261_120;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 < 0.1;
  };
}

describe("the stub resolver (H-07)", () => {
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
    const gone = await freePort();
    await expect(stub({ servers: [`127.0.0.1:${gone}`], tryMs: 100 }).resolve("no.example", 4, signal)).rejects.toMatchObject({
      side: "agent",
    });
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

  it("asks another server first each time where resolv.conf says rotate, but not one that failed", async () => {
    await using one = await dnsServer(() => ({ addresses: ["10.0.0.1"] }));
    await using two = await dnsServer(() => ({ addresses: ["10.0.0.2"] }));
    await using bad = await dnsServer(() => ({ rcode: "SERVFAIL" }));
    const resolvConfPath = file("rotate.conf", "options rotate\n");
    const resolver = stub({ servers: [one.address, two.address, bad.address], resolvConfPath });
    const seen = [];
    for (let turn = 0; turn < 6; turn += 1) seen.push(...(await resolver.resolve("a.example", 4, signal)));
    expect(seen).toEqual(["10.0.0.1", "10.0.0.2", "10.0.0.1", "10.0.0.1", "10.0.0.2", "10.0.0.1"]);
    expect(bad.asked).toHaveLength(1);
  });

  it("asks as often as resolv.conf says, and over TCP where it says so", async () => {
    await using server = await dnsServer(() => ({ rcode: "SERVFAIL" }));
    const resolvConfPath = file("attempts.conf", "options attempts:3 use-vc\n");
    await expect(stub({ servers: [server.address], resolvConfPath }).resolve("a.example", 4, signal)).rejects.toMatchObject({
      code: "EDNS",
      message: `DNS: no server could answer for a.example (SERVFAIL from ${server.address})`,
    });
    expect(server.questions.map(({ transport }) => transport)).toEqual(["TCP", "TCP", "TCP"]);
  });

  it("goes on to the next search domain after SERVFAIL, and does not call the name missing then", async () => {
    await using server = await dnsServer((name) => (name === "api.bad" ? { rcode: "SERVFAIL" } : { rcode: "NXDOMAIN" }));
    const resolvConfPath = file("servfail.conf", "search bad good\n");
    await expect(stub({ servers: [server.address], resolvConfPath }).resolve("api", 4, signal)).rejects.toMatchObject({ code: "EDNS" });
    expect(server.asked).toEqual(["api.bad", "api.bad", "api.good", "api"]);
  });

  it("tells a name as it was given, so that a secret in it is found and masked", async () => {
    await using server = await dnsServer(() => ({ rcode: "NXDOMAIN" }));
    const looking = stub({ servers: [server.address] }).resolve("tcp://u:CaNary@db.test", 4, signal);
    await expect(looking).rejects.toMatchObject({ message: expect.stringContaining("tcp://u:CaNary@db.test") });
  });

  it("takes no escapes of zone files, which would spell a name that the egress policy was not asked about", async () => {
    await using server = await dnsServer(() => ({ addresses: ["10.0.0.1"] }));
    const resolver = createStubResolver({ servers: [server.address] });
    for (const host of [String.raw`d\098.test`, String.raw`d\b.test`, "db.test\\"])
      await expect(resolver.resolve(host, 4, new AbortController().signal)).rejects.toMatchObject({ code: "ENOTFOUND" });
    expect(server.asked).toEqual([]);
  });

  describe("with aliases", () => {
    const alias = (from: string, to: string): Buffer => resourceRecord(typeNumber("CNAME"), wireName(to), from);
    const soa = resourceRecord(typeNumber("SOA"), Buffer.concat([wireName("ns"), wireName("host"), Buffer.alloc(20)]), "example");

    it("follows them inside an answer, whatever their order, and takes only the addresses at their end", async () => {
      await using server = await dnsServer((_name, _type, { packet }) => ({
        packets: [
          answerTo(packet, {
            answers: [
              addressRecord("10.0.0.3", "C.example"),
              alias("b.example", "c.EXAMPLE"),
              alias("a.example", "B.example"),
              addressRecord("10.6.6.6", "x.example"),
            ],
          }),
        ],
      }));
      expect(await stub({ servers: [server.address] }).resolve("A.example", 4, signal)).toEqual(["10.0.0.3"]);
      expect(server.asked).toHaveLength(1);
    });

    it("asks on where an answer ends in one", async () => {
      await using server = await dnsServer((name, _type, { packet }) =>
        name === "a.example"
          ? { packets: [answerTo(packet, { answers: [alias("a.example", "b.example")] })] }
          : { addresses: ["10.0.0.4"] },
      );
      expect(await stub({ servers: [server.address] }).resolve("a.example", 4, signal)).toEqual(["10.0.0.4"]);
      expect(server.asked).toEqual(["a.example", "b.example"]);
    });

    it("does not ask on where the server says that there is no more", async () => {
      await using server = await dnsServer((_name, _type, { packet }) => ({
        packets: [answerTo(packet, { answers: [alias("a.example", "b.example")], authorities: [soa] })],
      }));
      await expect(stub({ servers: [server.address] }).resolve("a.example", 6, signal)).rejects.toMatchObject({
        code: "ENOTFOUND",
        message: "a.example has no IPv6 address",
      });
      expect(server.asked).toHaveLength(1);
    });

    it.each([
      [
        "inside one answer",
        1,
        (packet: Buffer) => answerTo(packet, { answers: [alias("a.example", "b.example"), alias("b.example", "a.example")] }),
      ],
      ["to itself", 1, (packet: Buffer) => answerTo(packet, { answers: [alias("a.example", "a.example")] })],
      [
        "from answer to answer",
        2,
        (packet: Buffer, name: string) => answerTo(packet, { answers: [alias(name, name === "a.example" ? "b.example" : "a.example")] }),
      ],
      ["without end", 17, (packet: Buffer, name: string) => answerTo(packet, { answers: [alias(name, `x${name}`)] })],
    ])("tells a circle %s", async (_where, questions, answer) => {
      await using server = await dnsServer((name, _type, { packet }) => ({ packets: [answer(packet, name)] }));
      await expect(stub({ servers: [server.address] }).resolve("a.example", 4, signal)).rejects.toMatchObject({
        code: "ECNAMELOOP",
        side: "target",
      });
      expect(server.asked.length).toBeLessThanOrEqual(questions);
    });
  });

  it("loses less than one look-up in a thousand where every tenth packet is lost each way", async () => {
    const isLost = oneInTen();
    // Lost on the way there or on the way back: the server stays silent.
    await using server = await dnsServer(() => (isLost() || isLost() ? "silence" : { addresses: ["10.0.0.1"] }));
    const resolver = stub({ servers: [server.address] });
    let failed = 0;
    const lookUps = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await resolver.resolve(`n${turn}.example`, 4, signal).catch(() => (failed += 1));
    };
    await Promise.all(Array.from({ length: 100 }, lookUps));
    expect(failed).toBeLessThan(2);
    expect(server.asked.length).toBeGreaterThan(2_300);
  });

  it("answers for a healthy name at once while 200 names get no answer", async () => {
    await using server = await dnsServer((name) => (name.startsWith("hole") ? "silence" : { addresses: ["10.0.0.1"] }));
    const resolver = stub({ servers: [server.address] });
    const run = new AbortController();
    const holes = Array.from({ length: 200 }, (_, index) => resolver.resolve(`hole${index}.example`, 4, run.signal));
    const settled = Promise.allSettled(holes);
    let open = holes.length;
    for (const hole of holes) hole.catch(() => undefined).finally(() => (open -= 1));
    expect(await resolver.resolve("healthy.example", 4, signal)).toEqual(["10.0.0.1"]);
    expect(open).toBe(200);
    run.abort("enough");
    expect(await settled).toEqual(Array(200).fill({ status: "rejected", reason: "enough" }));
    // Nothing is asked any more: the sockets are closed and their timers gone.
    const asked = server.asked.length;
    await resolver.resolve("last.example", 4, signal);
    expect(server.asked.length).toBe(asked + 1);
  });

  it("calls a name that is none not found, without asking", async () => {
    await using server = await dnsServer(() => "silence");
    await expect(stub({ servers: [server.address] }).resolve("a..b", 4, signal)).rejects.toMatchObject({
      code: "ENOTFOUND",
      side: "target",
    });
    expect(server.asked).toEqual([]);
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

  it("survives names that Node.js throws at, and its seats do too", async () => {
    const resolver = createOsResolver(1);
    for (const host of ["", "a\0b", "127.0.0.1\0.test"])
      await expect(resolver.resolve(host, 4, signal)).rejects.toMatchObject({ code: "ENOTFOUND", side: "target" });
    expect(await resolver.resolve("localhost", 4, signal)).toEqual(["127.0.0.1"]);
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

  const defaults = { servers: ["127.0.0.1"], search: [], ndots: 1, timeoutMs: null, attempts: 2, rotates: false, usesTcp: false };
  it.each([
    ["", {}],
    ["nameserver 10.0.0.1\nnameserver 10.0.0.2 ; second\nnameserver bad\n", { servers: ["10.0.0.1", "10.0.0.2"] }],
    [
      "domain a.example\nsearch b.example C.example.\noptions rotate ndots:5",
      { search: ["b.example", "c.example"], ndots: 5, rotates: true },
    ],
    ["options ndots:99 timeout:0 attempts:99", { ndots: 15, timeoutMs: 1_000, attempts: 5 }],
    ["options timeout:7 attempts:1\noptions use-vc", { timeoutMs: 7_000, attempts: 1, usesTcp: true }],
    ["options timeout:x attempts:-1 attempts:0 ndots:", { attempts: 1 }],
  ])("resolv.conf %j", (text, expected) => {
    expect(parseResolvConf(text)).toEqual({ ...defaults, ...expected });
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

describe("the names of an address", () => {
  const pointer = (name: string): Buffer => resourceRecord(typeNumber("PTR"), wireName(name));

  it("are what PTR records say, cleaned", async () => {
    await using server = await dnsServer((_name, _type, { packet }) => ({
      packets: [answerTo(packet, { answers: [pointer("Core-1.example"), pointer("<b>.example")] })],
    }));
    const resolver = stub({ servers: [server.address] });
    expect(await resolver.namesOf?.("192.0.2.7", signal)).toEqual(["core-1.example"]);
    expect(await resolver.namesOf?.("2001:db8::7", signal)).toEqual(["core-1.example"]);
  });

  it("come from the hosts file first", async () => {
    const resolver = stub({ servers: [], hostsPath: file("reverse-hosts", "192.0.2.8 Printer printer.home\n") });
    expect(await resolver.namesOf?.("192.0.2.8", signal)).toEqual(["printer", "printer.home"]);
  });

  it("are none where no server can say", async () => {
    await using server = await dnsServer(() => ({ rcode: "SERVFAIL" }));
    expect(await stub({ servers: [server.address] }).namesOf?.("192.0.2.9", signal)).toEqual([]);
  });

  it("are the system's where it resolves", async () => {
    expect(await createOsResolver().namesOf?.("127.0.0.1", signal)).toContain("localhost");
    expect(await createOsResolver().namesOf?.("no address", signal)).toEqual([]);
  });
});
