import { existsSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparePaths, tracedPath } from "#domain/traceroute-path.ts";
import { type NetworkNamespace, noNamespaces } from "../../../support/namespace.ts";
import { type Diamond, diamond } from "./diamond.ts";
import type { Seen } from "./trace-child.ts";

const missing = noNamespaces ?? (existsSync("/usr/bin/setpriv") ? null : "setpriv is not installed");
if (missing !== null) process.stdout.write(`traceroute checks over routers are skipped: ${missing}\n`);

const families = ["IPv4", "IPv6"] as const;
const kinds = families.flatMap((ipFamily) => (["TCP", "UDP", "ICMP"] as const).map((protocol) => ({ ipFamily, protocol })));

const hopsOf = ({ result }: Seen) => result.response?.hops ?? [];
const routersAt = (seen: Seen, hop: number): string[] => {
  const { addresses = [], alternatives = [] } = hopsOf(seen)[hop - 1] ?? {};
  return [...addresses, ...alternatives].toSorted();
};

describe.skipIf(missing !== null)("a traceroute check over routers, without any right", () => {
  let network: Diamond;
  beforeAll(async () => {
    network = await diamond();
    await network.agent.sysctl("net.ipv4.ping_group_range", "0 2147483647");
  });
  afterAll(() => network?.[Symbol.asyncDispose]());
  const request = (ipFamily: (typeof families)[number], more: object = {}): object => ({
    url: network.path[ipFamily].target,
    ipFamily,
    port: 8080,
    ...more,
  });

  it.each(kinds)("sees every hop of $protocol over $ipFamily, with loss and times", async ({ ipFamily, protocol }) => {
    const { first, left, right, target } = network.path[ipFamily];
    const seen = await network.trace({ ...request(ipFamily), protocol });
    const hops = hopsOf(seen);
    expect(seen.failure).toBeNull();
    expect(hops.map(({ hop, packetLoss, packetsSent }) => ({ hop, packetLoss, enough: packetsSent >= 3 }))).toEqual(
      [1, 2, 3, 4].map((hop) => ({ hop, packetLoss: 0, enough: true })),
    );
    expect([hops[0]?.address, hops[3]?.address]).toEqual([first, target]);
    expect([left, right]).toContain(hops[1]?.address);
    for (const { latency } of hops) {
      expect(latency.min).toBeGreaterThan(0);
      expect(latency.max).toBeGreaterThanOrEqual(latency.avg ?? Number.NaN);
      expect(latency.avg).toBeGreaterThanOrEqual(latency.min ?? Number.NaN);
      expect(latency.stdDev).toBeLessThan(1_000);
    }
    const state = { TCP: "open", UDP: "port unreachable", ICMP: "answers" }[protocol];
    expect(seen.result).toMatchObject({ totalHops: 4, destinationReached: true, response: { destinationState: state, refusal: null } });
    expect(seen.result.response).not.toHaveProperty("truncationReason");
    expect(seen.metrics).toMatchObject({ hopCount: 4, packetLoss: 0, latencyAvg: seen.responseTimeMs });
    expect(seen.result.finalHopLatency?.avg).toBe(seen.responseTimeMs);
  });

  it.each(kinds)("keeps to one of two equal ways, in every run, over $protocol and $ipFamily", async ({ ipFamily, protocol }) => {
    const { seen, leakedDescriptors, uid } = await network.run({ requests: Array(4).fill({ ...request(ipFamily), protocol }) });
    expect(uid).toBe(65_534);
    expect(leakedDescriptors).toBe(0);
    expect(seen.map((one) => hopsOf(one)[1]?.addresses.length)).toEqual([1, 1, 1, 1]);
    expect(new Set(seen.map((one) => hopsOf(one)[1]?.address)).size).toBe(1);
  });

  it.each(families)("finds the other way by other flows, over %s, so that taking it is no change", async (ipFamily) => {
    const { left, right } = network.path[ipFamily];
    const { seen } = await network.run({ requests: Array(6).fill(request(ipFamily)) });
    // Four flows beside its own miss the other way in one run of sixteen: in six of six, once in sixteen million times.
    const both = seen.find((one) => routersAt(one, 2).length > 1);
    if (both === undefined) throw new Error("no run found both ways");
    expect(routersAt(both, 2)).toEqual([left, right].toSorted());
    const other = await network.trace(request(ipFamily, { port: 8081 }));
    const [before, now] = [tracedPath(both.result), tracedPath(other.result)];
    expect(before && now && comparePaths(before, now)).toEqual({ is: "same" });
  });

  it.each(families)("tells a port that nobody listens on: it is reached, over %s", async (ipFamily) => {
    const { failure, result } = await network.trace(request(ipFamily, { port: 9 }));
    expect(failure).toBeNull();
    expect(result).toMatchObject({ destinationReached: true, totalHops: 4, response: { destinationState: "refused", packetLoss: 0 } });
  });

  it.each(families)("goes on beyond a silent hop, over %s", async (ipFamily) => {
    await using _left = await rules(network.left, "output", "icmp type time-exceeded drop; icmpv6 type time-exceeded drop");
    await using _right = await rules(network.right, "output", "icmp type time-exceeded drop; icmpv6 type time-exceeded drop");
    const seen = await network.trace(request(ipFamily));
    expect(seen.failure).toBeNull();
    expect(hopsOf(seen)[1]).toMatchObject({
      address: null,
      hostname: null,
      addresses: [],
      packetsSent: 3,
      packetsReceived: 0,
      packetLoss: 100,
    });
    expect(hopsOf(seen)[1]?.latency).toEqual({ avg: null, min: null, max: null, stdDev: null });
    expect(seen.result).toMatchObject({ totalHops: 4, destinationReached: true });
  });

  it("counts what a hop loses", async () => {
    await using _rules = await rules(network.first, "output", "icmp type time-exceeded numgen inc mod 3 == 1 drop");
    for (const protocol of ["TCP", "UDP", "ICMP"]) {
      const seen = await network.trace({ ...request("IPv4"), protocol });
      expect(hopsOf(seen)[0]).toMatchObject({ packetsSent: 3, packetsReceived: 2, packetLoss: 33.333 }); // one of any three in a row
      expect(hopsOf(seen)[3]?.packetLoss).toBe(0);
    }
  });

  it("counts what is lost at the target, and finds its hop all the same", async () => {
    await using _rules = await rules(network.target, "input", "tcp dport 8080 tcp flags syn numgen inc mod 5 == 0 drop");
    const { failure, result, metrics } = await network.trace(request("IPv4"));
    expect(failure).toBeNull();
    // The first one is lost, the second arrives with a larger number; of those after it the fifth is lost again.
    expect(result).toMatchObject({
      totalHops: 4,
      destinationReached: true,
      response: { finalHopLatency: { min: expect.any(Number) as number } },
    });
    expect(metrics["packetLoss"]).toBe(40);
  });

  it.each([
    { protocol: "TCP", ipFamily: "IPv4" },
    { protocol: "UDP", ipFamily: "IPv6" },
    { protocol: "ICMP", ipFamily: "IPv4" },
  ] as const)("says where silence begins, by $protocol over $ipFamily, after maxUnknownHops", async ({ protocol, ipFamily }) => {
    await using _rules = await rules(network.last, "forward", "drop");
    const last = hopsOf(await network.trace({ ...request(ipFamily), protocol }))[2]?.address;
    const { failure, result, responseTimeMs, metrics } = await network.trace({ ...request(ipFamily), protocol, maxUnknownHops: 2 });
    const message = `${network.path[ipFamily].target} was not reached: silence after hop 3 (${last}) (as many silent hops as maxUnknownHops allows)`;
    expect(failure).toEqual({ code: "ETIMEDOUT", message, side: "target" });
    expect(result).toMatchObject({
      totalHops: 3,
      destinationReached: false,
      finalHopLatency: null,
      response: { truncationReason: "max_unknown_hops", packetLoss: 100, destinationState: null },
    });
    expect(result.response?.hops.map(({ address }) => address === null)).toEqual([false, false, false, true, true]);
    expect({ responseTimeMs, hopCount: metrics["hopCount"] }).toEqual({ responseTimeMs: 0, hopCount: null });
  });

  it.each(families)("names the router that refuses, over %s", async (ipFamily) => {
    await using _rules = await rules(network.last, "forward", "tcp dport 82 reject with icmpx admin-prohibited");
    const { failure, result } = await network.trace(request(ipFamily, { port: 82 }));
    const last = result.response?.hops[2]?.address;
    expect(failure).toMatchObject({ code: "EACCES", side: "target", message: expect.stringContaining(`says ${last}`) as string });
    expect(result.response).toMatchObject({
      totalHops: 3,
      truncationReason: "unreachable",
      refusal: { hop: 4, address: last, says: "administratively prohibited" },
    });
  });

  it("ends at maxHops, and at its timeout, with what it saw", async () => {
    const short = await network.trace(request("IPv4", { maxHops: 2 }));
    expect(short.result).toMatchObject({ totalHops: 2, destinationReached: false, response: { truncationReason: "max_hops" } });
    await using _rules = await rules(network.first, "forward", "drop");
    const late = await network.trace(request("IPv4", { timeout: 1, maxUnknownHops: 30 }));
    expect(late.failure).toMatchObject({ code: "ETIMEDOUT", message: expect.stringContaining("given up after 1 s") as string });
    expect(late.result.response).toMatchObject({ totalHops: 1, truncationReason: "timeout" });
    expect(late.stoppedMs - late.startedMs).toBeLessThan(1_400);
  });

  it("names hops only where it is asked for, as the resolver knows them", async () => {
    const { first, target } = network.path.IPv4;
    const names = { [first]: "first.test", [target]: "target.test" };
    const [asked, notAsked] = (await network.run({ requests: [request("IPv4", { ptrLookup: true }), request("IPv4")], names })).seen;
    expect(asked && hopsOf(asked).map(({ hostname }) => hostname)).toEqual(["first.test", null, null, "target.test"]);
    expect(notAsked && hopsOf(notAsked).map(({ hostname }) => hostname)).toEqual([null, null, null, null]);
  });

  it("says what right is missing for ICMP", async () => {
    await network.agent.sysctl("net.ipv4.ping_group_range", "1 0");
    const { failure, result } = await network.trace({ ...request("IPv4"), protocol: "ICMP" });
    await network.agent.sysctl("net.ipv4.ping_group_range", "0 2147483647");
    expect(failure).toMatchObject({ code: "ECAPABILITY", side: "agent", message: expect.stringContaining("ping_group_range") as string });
    expect(result).toMatchObject({ response: null, destinationReached: false });
  });

  it("sends nothing where the egress policy forbids it, or this host's firewall", async () => {
    const denied = await network.trace(request("IPv4"), { denyCidrs: ["198.18.0.0/15"] });
    expect(denied.failure).toMatchObject({ code: "EPOLICY" });
    await using _rules = await rules(network.agent, "output", "udp dport 8080 drop");
    const { failure } = await network.trace({ ...request("IPv4"), protocol: "UDP" });
    expect(failure).toMatchObject({ code: "EPERM", side: "agent", message: expect.stringContaining("no probe to") as string });
  });
});

/** Rules at a hook of a namespace, as long as they are held. */
async function rules(place: NetworkNamespace, hook: "input" | "output" | "forward", text: string): Promise<AsyncDisposable> {
  const table = `held_${hook}`;
  await place.nft(`table inet ${table} {\n chain held {\n type filter hook ${hook} priority 0\n ${text}\n }\n}\n`);
  return {
    async [Symbol.asyncDispose]() {
      await place.nft(`delete table inet ${table}\n`);
    },
  };
}
