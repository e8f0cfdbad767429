import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Trail } from "../../../src/agent/runners/check-runner.ts";
import { noNamespaces } from "../../support/namespace.ts";
import { type ThreeHops, threeHops } from "./three-hops.ts";
import { noTshark, tshark } from "./tshark.ts";

const missing = noNamespaces ?? (existsSync("/usr/bin/setpriv") ? null : "setpriv is not installed");
if (missing !== null) process.stdout.write(`evidence over three hops is skipped: ${missing}\n`);
if (noTshark !== null) process.stdout.write(`captures are not read back: ${noTshark}\n`);

/** Lines of a traceroute: number, address, what it said; round trips are left out. */
const hops = (text = ""): string[] =>
  text
    .split("\n\n")[0]
    ?.split("\n")
    .slice(1)
    .map((line) => line.replace(/ {2}[\d.]+ ms/, "").trim()) ?? [];
const lastLine = (text = ""): string | undefined =>
  text
    .split("\n\n")
    .find((part) => /^(reached|silence|hop|a router|this host)/.test(part))
    ?.trim();

describe.skipIf(missing !== null)("evidence over three hops", () => {
  let network: ThreeHops;
  beforeAll(async () => {
    network = await threeHops();
  });
  afterAll(() => network[Symbol.asyncDispose]());

  const trail = (family: "IPv4" | "IPv6", port: number, more: Partial<Trail> = {}): Trail => {
    const address = network.path[family][2] ?? "";
    return { host: address, port, ipFamily: family, address, tls: false, code: "ECONNREFUSED", ...more };
  };

  it.each(["IPv4", "IPv6"] as const)("finds a closed port without any right, over %s", async (family) => {
    const [first, second, target] = network.path[family];
    const { texts, pcap, capability, uid, tookMs } = await network.collect({ trail: trail(family, 9) }, "nobody");
    expect(uid).toBe(65_534);
    expect(hops(texts["traceroute.txt"])).toEqual([`1  ${first}`, `2  ${second}`, `3  ${target}  refused`]);
    expect(lastLine(texts["traceroute.txt"])).toBe(`reached ${target} in 3 hops: port 9 is closed`);
    expect(texts["traceroute.txt"]).toContain("packet capture: none, because the agent lacks the capability NET_RAW");
    expect({ pcap, capability }).toEqual({ pcap: null, capability: "traceroute, transcripts; no capture" });
    expect(tookMs).toBeLessThan(2_000);
  });

  it.each(["IPv4", "IPv6"] as const)("tells a firewall that drops from a dead network, over %s", async (family) => {
    await using _rules = await rulesIn(network, "tcp dport 81 drop");
    const [first, second, target] = network.path[family];
    const { texts, tookMs } = await network.collect({ trail: trail(family, 81, { code: "ETIMEDOUT" }) }, "nobody");
    expect(hops(texts["traceroute.txt"])).toEqual([`1  ${first}`, `2  ${second}`, "3-30  *"]);
    expect(lastLine(texts["traceroute.txt"])).toBe(
      `silence after hop 2 (${second}); UDP reaches ${target} in 3 hops, so TCP to port 81 is filtered`,
    );
    expect(texts["traceroute.txt"]).toContain("net.ipv4.ping_group_range");
    expect(tookMs).toBeLessThan(2_000);
  });

  it("sends echo requests, too, where the host allows them", async () => {
    await using _rules = await rulesIn(network, "meta l4proto { tcp, udp } drop");
    await network.agent.sysctl("net.ipv4.ping_group_range", "0 2147483647");
    const [, second, target] = network.path.IPv4;
    const { texts } = await network.collect({ trail: trail("IPv4", 81, { code: "ETIMEDOUT" }) }, "nobody");
    await network.agent.sysctl("net.ipv4.ping_group_range", "1 0");
    expect(lastLine(texts["traceroute.txt"])).toBe(
      `silence after hop 2 (${second}); ICMP reaches ${target} in 3 hops, so TCP to port 81 is filtered`,
    );
  });

  it.each(["IPv4", "IPv6"] as const)("names the router that rejects, over %s", async (family) => {
    await using _rules = await rulesIn(network, "tcp dport 82 reject with icmpx admin-prohibited");
    const [, second] = network.path[family];
    const { texts } = await network.collect({ trail: trail(family, 82, { code: "EHOSTUNREACH" }) }, "nobody");
    expect(lastLine(texts["traceroute.txt"])).toBe(`hop 2 (${second}) says: administratively prohibited`);
  });

  it("names the router that has no route", async () => {
    const address = "198.51.100.7";
    const [first] = network.path.IPv4;
    await network.agent.run("ip", ["route", "add", address, "via", first ?? ""]);
    await network.routers[0].run("ip", ["route", "add", "unreachable", address]);
    const { texts } = await network.collect({ trail: { ...trail("IPv4", 80), host: address, address } }, "nobody");
    // A router says so to few packets a second: it may be that only a later one is told.
    const sayings = [
      `hop 1 (${first}) says`,
      `a router on the way (${first}) says`,
      `silence from the first hop on; UDP is told by ${first}`,
    ];
    expect(sayings.map((saying) => `${saying}: host unreachable`)).toContain(lastLine(texts["traceroute.txt"]));
  });

  it("shows plain HTTP on a TLS port", async () => {
    const { texts } = await network.collect({ trail: trail("IPv4", 8443, { tls: true, code: "EPROTO" }) }, "nobody");
    expect(texts["tls.txt"]).toContain('no TLS: "HTTP/1.1 400 Bad Request');
    expect(texts["tls.txt"]).toMatch(/the peer does not speak TLS on this port\n$/);
    expect(lastLine(texts["traceroute.txt"])).toMatch(/port 8443 is open now$/);
  });

  it("shows a reset in the handshake, in the transcript and in the capture", async (context) => {
    const { texts, pcap } = await network.collect({ trail: trail("IPv4", 8444, { tls: true, code: "ECONNRESET" }) }, "root");
    expect(texts["tls.txt"]).toMatch(/->\s+ClientHello: TLS 1.3/);
    expect(texts["tls.txt"]).toMatch(/<-\s+reset/);
    expect(texts["tls.txt"]).toMatch(/the handshake failed: reset by the peer\n$/);
    if (noTshark !== null) return context.skip(noTshark);
    const [hello] = await tshark(pcap, "tcp.dstport == 8444 && tcp.len > 0", ["tcp.payload"]);
    expect(hello).toMatch(/^160301/);
    expect((hello ?? "").length / 2).toBeLessThanOrEqual(256);
    const resets = await tshark(pcap, "tcp.flags.reset == 1 && tcp.srcport == 8444", ["ip.src"]);
    expect(new Set(resets)).toEqual(new Set([network.path.IPv4[2]]));
  });

  it.each(["IPv4", "IPv6"] as const)("captures the attempt and its own probes for tshark, but no payload, over %s", async (family) => {
    const sends = "GET / HTTP/1.1\r\nHost: target\r\nAuthorization: Bearer hunter2-secret\r\n\r\n";
    const { texts, pcap, capability, uid } = await network.collect({ trail: trail(family, 8080, { code: "ETIMEDOUT" }), sends }, "root");
    expect({ uid, capability }).toEqual({ uid: 0, capability: "traceroute, transcripts, capture" });
    expect(texts["traceroute.txt"]).not.toContain("packet capture");
    const bytes = Buffer.from(pcap ?? "", "base64");
    expect(bytes.length).toBeGreaterThan(24);
    for (const secret of ["hunter2", "Authorization", "GET /", "HTTP/1.1"]) expect(bytes.includes(secret)).toBe(false);
    if (noTshark !== null) return;
    expect(
      (await tshark(pcap, "tcp.flags.syn == 1 && tcp.flags.ack == 0 && tcp.dstport == 8080", ["tcp.len"])).length,
    ).toBeGreaterThanOrEqual(4);
    expect((await tshark(pcap, "tcp.flags.syn == 1 && tcp.flags.ack == 1", ["tcp.srcport"]))[0]).toBe("8080");
    // The request is there by its length; its bytes are not.
    expect(await tshark(pcap, "tcp.dstport == 8080 && tcp.len > 0", ["tcp.len"])).toEqual([String(sends.length)]);
    const exceeded = family === "IPv4" ? "icmp.type == 11" : "icmpv6.type == 3";
    const sources = await tshark(pcap, exceeded, [family === "IPv4" ? "ip.src" : "ipv6.src"]);
    expect(new Set(sources.map((source) => source.split(",")[0]))).toEqual(new Set(network.path[family].slice(0, 2)));
  });
});

/** Rules on what the second router forwards, until they are disposed. */
async function rulesIn(network: ThreeHops, rule: string): Promise<AsyncDisposable> {
  const router = network.routers[1];
  await router.nft(`table inet evidence {\n  chain forward {\n    type filter hook forward priority 0\n    ${rule}\n  }\n}\n`);
  return { [Symbol.asyncDispose]: () => router.nft("delete table inet evidence\n") };
}
