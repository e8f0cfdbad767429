import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { type NetworkNamespace, networkNamespace, noNamespaces } from "../../../support/namespace.ts";
import { ping, setPingRange } from "./pinging.ts";

/** Every address of 127.0.0.0/8 is this host, so each rule has its own target. */
const rules = `table inet loss {
  counter quarter { }
  counter six { }
  chain in {
    type filter hook input priority 0
    ip daddr 127.0.1.1 icmp type echo-request numgen random mod 4 == 0 counter name quarter drop
    ip6 daddr fd18:1::1 icmpv6 type echo-request numgen random mod 4 == 0 counter name six drop
    ip daddr 127.0.1.2 icmp type echo-request drop
    ip daddr 127.0.1.3 icmp type echo-request reject with icmp type host-unreachable
    ip daddr 127.0.1.4 icmp type echo-request reject with icmp type admin-prohibited
    ip daddr 127.0.1.6 icmp type echo-request limit rate over 1/day burst 1 packets reject with icmp type net-unreachable
    ip6 daddr fd18:1::2 icmpv6 type echo-request reject with icmpv6 type no-route
  }
  chain out {
    type filter hook output priority 0
    ip daddr 127.0.1.5 icmp type echo-request drop
  }
}
`;

describe("an ICMP check in a network that loses packets", () => {
  let namespace: NetworkNamespace | undefined;
  beforeAll(async () => {
    if (noNamespaces !== null) return;
    namespace = await networkNamespace();
    for (const address of ["fd18:1::1", "fd18:1::2"]) await namespace.run("ip", ["-6", "address", "add", `${address}/128`, "dev", "lo"]);
    await namespace.nft(rules);
  });
  afterAll(async () => namespace?.[Symbol.asyncDispose]());
  const made = (context: TestContext): NetworkNamespace => {
    if (noNamespaces !== null) context.skip(`skipped: ${noNamespaces}`);
    return namespace ?? expect.fail("there is no namespace");
  };

  it.for([
    ["datagram", "all", "none"],
    ["raw", "none", "raw"],
  ] as const)("tells exactly the loss that the firewall's counter tells, over %s sockets", async ([path, range, rights], context) => {
    const target = made(context);
    await setPingRange(target, range);
    const before = await target.counters();
    const { ability, observations } = await ping(target, rights, {
      checks: [
        { hostname: "127.0.1.1", pingCount: 5, times: 100 },
        { hostname: "fd18:1::1", ipFamily: "IPv6", pingCount: 5, times: 100 },
      ],
    });
    const after = await target.counters();
    expect(ability.path).toBe(path);
    for (const [counter, family] of [
      ["quarter", "IPv4"],
      ["six", "IPv6"],
    ] as const) {
      const answers = observations.flatMap(({ result: { response } }) => (response?.ipFamily === family ? [response] : []));
      const lost = answers.reduce((sum, { packetsSent, packetsReceived }) => sum + packetsSent - packetsReceived, 0);
      expect(lost).toBe((after[counter]?.packets ?? 0) - (before[counter]?.packets ?? 0));
      // The rule itself: 500 requests, a quarter of them, within four standard deviations (one run in 15,000 is outside).
      expect(Math.abs(lost - 125)).toBeLessThan(4 * Math.sqrt(500 * 0.25 * 0.75));
      expect(answers.reduce((sum, { packetLoss }) => sum + packetLoss, 0) / answers.length).toBeCloseTo(lost / 5, 6);
    }
  });

  it.for([
    ["silence", "127.0.1.2", "IPv4", "ETIMEDOUT", null, null, "target"],
    ["a host that is unreachable", "127.0.1.3", "IPv4", "EHOSTUNREACH", 3, 1, "target"],
    ["a prohibition", "127.0.1.4", "IPv4", "EACCES", 3, 13, "target"],
    ["no route, by IPv6", "fd18:1::2", "IPv6", "ENETUNREACH", 1, 0, "target"],
    ["a firewall of the agent's own host", "127.0.1.5", "IPv4", "EPERM", null, null, "agent"],
  ] as const)("names %s, and still tells every request", async ([_name, hostname, ipFamily, code, type, icmpCode, side], context) => {
    const target = made(context);
    for (const [range, rights] of [
      ["all", "none"],
      ["none", "raw"],
    ] as const) {
      await setPingRange(target, range);
      const { observations, leakedDescriptors, leakedTimers } = await ping(target, rights, {
        checks: [{ hostname, ipFamily, pingCount: 2 }],
      });
      const [seen] = observations;
      expect(seen?.failure).toMatchObject({ code, side });
      expect(seen?.result.requestError).toBe(`${code}: ${seen?.failure?.message}`);
      const told = [1, 2].map((sequence) => ({ sequence, type, code: icmpCode, success: false, rtt: null, ttl: null }));
      expect(seen?.result.response).toMatchObject({ packetLoss: 100, packetsReceived: 0, pingResults: told });
      expect(seen?.metrics).toMatchObject({ packetLoss: 100, latencyAvg: null });
      expect(seen?.responseTimeMs).toBe(0);
      expect({ leakedDescriptors, leakedTimers }).toEqual({ leakedDescriptors: 0, leakedTimers: 0 });
    }
  });

  it("tells an error of one request beside the replies to others, and does not fail for it", async (context) => {
    const target = made(context);
    await setPingRange(target, "all");
    const { observations } = await ping(target, "none", { checks: [{ hostname: "127.0.1.6", pingCount: 3 }] });
    expect(observations[0]?.failure).toBeNull();
    expect(observations[0]?.result.response).toMatchObject({
      packetLoss: 66.667,
      pingResults: [
        { success: true, type: 0, code: 0, ttl: 64 },
        { success: false, type: 3, code: 0, ttl: null, rtt: null },
        { success: false, type: 3, code: 0, ttl: null, rtt: null },
      ],
    });
  });
});

describe("an ICMP check through a router", () => {
  it("sees the time to live shrink, and who refuses the way", async (context) => {
    if (noNamespaces !== null) context.skip(`skipped: ${noNamespaces}`);
    await using near = await networkNamespace();
    await using router = await networkNamespace({ from: near });
    await using far = await networkNamespace({ from: router });
    await router.sysctl("net.ipv4.ip_forward", "1");
    await router.sysctl("net.ipv6.conf.all.forwarding", "1");
    await near.run("ip", ["route", "add", `${far.inside.ipv4}/32`, "via", router.inside.ipv4]);
    await near.run("ip", ["-6", "route", "add", `${far.inside.ipv6}/128`, "via", router.inside.ipv6]);
    await setPingRange(near, "all");
    const checks = [
      { hostname: far.inside.ipv4, pingCount: 2 },
      { hostname: far.inside.ipv6, ipFamily: "IPv6", pingCount: 2 },
    ] as const;
    const open = await ping(near, "none", { checks });
    for (const { result } of open.observations) expect(result.response?.pingResults.map(({ ttl }) => ttl)).toEqual([63, 63]);
    expect(open.observations.map(({ failure }) => failure)).toEqual([null, null]);
    await router.nft(`table inet closed {
      chain forward {
        type filter hook forward priority 0
        icmp type echo-request reject with icmp type admin-prohibited
        icmpv6 type echo-request reject with icmpv6 type admin-prohibited
      }
    }
    `);
    for (const [range, rights] of [
      ["all", "none"],
      ["none", "raw"],
    ] as const) {
      await setPingRange(near, range);
      const [four, six] = (await ping(near, rights, { checks })).observations;
      expect(four?.failure).toMatchObject({ code: "EACCES", side: "target" });
      expect(four?.failure?.message).toContain(`says ${router.inside.ipv4}`);
      expect(six?.failure).toMatchObject({ code: "EACCES", side: "target" });
      expect(six?.failure?.message).toContain(`says ${router.inside.ipv6}`);
    }
  });
});
