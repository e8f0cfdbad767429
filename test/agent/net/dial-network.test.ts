import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RawServer, rawServer } from "../../support/http-servers/raw-server.ts";
import { type NetworkNamespace, networkNamespace, noNamespaces } from "../../support/namespace.ts";
import type { ChildDial, ChildOutcome } from "./dial-child.ts";

if (noNamespaces !== null) process.stdout.write(`dials in networks of their own are skipped: ${noNamespaces}\n`);

const nodeFlags = ["--disable-warning=ExperimentalWarning", "--conditions=source"];
const child = join(import.meta.dirname, "dial-child.ts");

describe.skipIf(noNamespaces !== null)("dial in a network that is not well", () => {
  let network: NetworkNamespace;
  let server: RawServer;

  async function dialled(target: Partial<ChildDial> & Pick<ChildDial, "addresses">): Promise<ChildOutcome> {
    const asked: ChildDial = { host: "app.test", port: server.port, ipFamily: "IPv4", ...target };
    const { stdout, stderr } = await network.run(process.execPath, [...nodeFlags, child, JSON.stringify(asked)]);
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout) as ChildOutcome;
  }

  /** Loses what leaves and matches one of these. */
  function drops(...matches: readonly string[]): Promise<void> {
    const rules = matches.map((match) => `${match} drop`).join("\n");
    return network.nft(`table inet sick {\nchain out {\ntype filter hook output priority 0\n${rules}\n}\n}\n`);
  }

  beforeAll(async () => {
    network = await networkNamespace();
    server = await rawServer(() => undefined, "::");
  });
  beforeEach(() => network.nft("flush ruleset\n"));
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await network?.[Symbol.asyncDispose]();
  });

  it("reaches both families where both are well", async () => {
    const { ipv4, ipv6 } = network.outside;
    const addresses = { 4: [ipv4], 6: [ipv6] };
    expect(await dialled({ addresses })).toMatchObject({ code: null, address: ipv4 });
    expect(await dialled({ addresses, ipFamily: "IPv6" })).toMatchObject({ code: null, address: ipv6, ipFamily: "IPv6" });
  });

  it("does not give up an address that answers only to the second packet, a second later", async () => {
    const { ipv4 } = network.outside;
    await drops("tcp flags & (syn|ack) == syn numgen inc mod 2 == 0");
    const seen = await dialled({ addresses: { 4: [ipv4, "198.18.255.254"], 6: [] } });
    expect(seen).toMatchObject({ code: null, address: ipv4 });
    expect(seen.connectMs).toBeGreaterThan(800);
  });

  it("goes on from a dead address to a slow one, and dead IPv6 costs an IPv4 check nothing (H-08)", async () => {
    const { ipv4, ipv6 } = network.outside;
    const dead = "192.0.2.1";
    await drops(`ip daddr ${dead}`, "meta nfproto ipv6", `ip daddr ${ipv4} tcp flags & (syn|ack) == syn numgen inc mod 2 == 0`);
    const seen = await dialled({ addresses: { 4: [dead, ipv4], 6: [ipv6] } });
    expect(seen).toMatchObject({ code: null, address: ipv4, ipFamily: "IPv4" });
    expect(seen.connectMs).toBeGreaterThan(3_800);
  });

  it("says that IPv6 is dead to a check of IPv6 that has it (H-08)", async () => {
    const { ipv4, ipv6 } = network.outside;
    await drops("meta nfproto ipv6");
    const seen = await dialled({ addresses: { 4: [ipv4], 6: [ipv6] }, ipFamily: "IPv6" });
    expect(seen).toMatchObject({ code: "ETIMEDOUT", side: "target", address: ipv6, ipFamily: "IPv6" });
  });

  it("tells a target that the network refuses from one that refuses itself", async () => {
    const { ipv4 } = network.outside;
    await network.run("ip", ["route", "add", "unreachable", "198.51.100.0/24"]);
    expect(await dialled({ addresses: { 4: ["198.51.100.1"], 6: [] } })).toMatchObject({ code: "EHOSTUNREACH", side: "target" });
    await network.run("ip", ["route", "del", "unreachable", "198.51.100.0/24"]);
    expect(await dialled({ addresses: { 4: [ipv4], 6: [] }, port: 1 })).toMatchObject({ code: "ECONNREFUSED", side: "target" });
  });

  it("without a route for IPv6 goes over IPv4, and says so (H-08)", async () => {
    const { ipv4, ipv6 } = network.outside;
    await network.run("ip", ["-6", "route", "del", "default"]);
    const seen = await dialled({ addresses: { 4: [ipv4], 6: ["2001:db8::1"] }, ipFamily: "IPv6" });
    expect(seen).toMatchObject({ code: null, address: ipv4, ipFamily: "IPv4" });
    await network.run("ip", ["-6", "route", "add", "default", "via", ipv6]);
  });

  it("without IPv6 on the host goes over IPv4, and says so (H-08)", async () => {
    const { ipv4, ipv6 } = network.outside;
    await network.sysctl("net.ipv6.conf.all.disable_ipv6", "1");
    const seen = await dialled({ addresses: { 4: [ipv4], 6: [ipv6] }, ipFamily: "IPv6" });
    expect(seen).toMatchObject({ code: null, address: ipv4, ipFamily: "IPv4" });
  });
});
