import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest";
import { type NetworkNamespace, networkNamespace, noNamespaces } from "../../../support/namespace.ts";
import { ping, setPingRange, unprivileged } from "./pinging.ts";

describe("as a user who is not root, an ICMP check", () => {
  let namespace: NetworkNamespace | undefined;
  beforeAll(async () => {
    if (noNamespaces === null) namespace = await networkNamespace();
  });
  afterAll(async () => namespace?.[Symbol.asyncDispose]());
  const made = (context: TestContext): NetworkNamespace => {
    if (noNamespaces !== null) context.skip(`skipped: ${noNamespaces}`);
    return namespace ?? expect.fail("there is no namespace");
  };
  const bothFamilies = ({ outside }: NetworkNamespace) =>
    ({
      checks: [
        { hostname: outside.ipv4, pingCount: 3 },
        { hostname: outside.ipv6, ipFamily: "IPv6", pingCount: 3 },
      ],
    }) as const;

  it.for([
    ["over datagram sockets, without any capability, where ping_group_range allows it", "all", "none", "datagram"],
    ["over raw sockets where it has the capability NET_RAW", "none", "raw", "raw"],
  ] as const)("pings IPv4 and IPv6 %s", async ([_name, range, rights, path], context) => {
    const target = made(context);
    await setPingRange(target, range);
    const { ability, observations } = await ping(target, rights, bothFamilies(target));
    expect(ability).toEqual({ path, advice: null });
    const [four, six] = observations;
    const replies = (type: number): object[] => [1, 2, 3].map((sequence) => ({ sequence, type, code: 0, success: true, ttl: 64 }));
    expect(four?.result.response).toMatchObject({
      ipFamily: "IPv4",
      resolvedIp: target.outside.ipv4,
      packetLoss: 0,
      pingResults: replies(0),
    });
    expect(six?.result.response).toMatchObject({
      ipFamily: "IPv6",
      resolvedIp: target.outside.ipv6,
      packetLoss: 0,
      pingResults: replies(129),
    });
    expect(four?.failure ?? six?.failure).toBeNull();
    expect(four?.responseTimeMs).toBe(four?.metrics["latencyAvg"]);
  });

  it("runs the system's ping where that has the rights which the agent lacks", async (context) => {
    const target = made(context);
    await setPingRange(target, "none");
    const works = await target.run("setpriv", [...unprivileged, "ping", "-c", "1", "127.0.0.1"]);
    if (works.exitCode !== 0) context.skip(`skipped: this user's ping cannot send (${works.stderr.trim()})`);
    const { ability, observations, children } = await ping(target, "none", bothFamilies(target), unprivileged);
    expect(ability.path).toBe("ping");
    expect(observations.map(({ result }) => result.response)).toMatchObject([
      { ipFamily: "IPv4", packetsSent: 3, packetsReceived: 3, pingResults: [{ ttl: 64, type: 0 }, {}, {}] },
      { ipFamily: "IPv6", packetsSent: 3, packetsReceived: 3, pingResults: [{ ttl: 64, type: 129 }, {}, {}] },
    ]);
    expect(children).toBe(0);
  });

  it("ends the system's ping at once when it is aborted", async (context) => {
    const target = made(context);
    await setPingRange(target, "none");
    const works = await target.run("setpriv", [...unprivileged, "ping", "-c", "1", "127.0.0.1"]);
    if (works.exitCode !== 0) context.skip(`skipped: this user's ping cannot send (${works.stderr.trim()})`);
    const checks = [{ hostname: target.outside.ipv4, pingCount: 50 }];
    const { observations, children, leakedDescriptors } = await ping(target, "none", { checks, abortAfterMs: 300 }, unprivileged);
    expect(observations[0]?.failure).toMatchObject({ code: "ETIMEDOUT" });
    expect({ children, leakedDescriptors }).toEqual({ children: 0, leakedDescriptors: 0 });
    expect(await target.pids()).toEqual([]);
  });

  it("says what to set where it has no right at all, and does not call it loss", async (context) => {
    const target = made(context);
    await setPingRange(target, "none");
    const { ability, observations, leakedDescriptors } = await ping(target, "none", bothFamilies(target));
    expect(ability.path).toBe("none");
    for (const { failure, result, metrics } of observations) {
      expect(failure).toMatchObject({ code: "ECAPABILITY", side: "agent" });
      expect(failure?.message).toContain('net.ipv4.ping_group_range="0 2147483647"');
      expect(failure?.message).toContain("NET_RAW");
      expect(result.response).toBeNull();
      expect(metrics["packetLoss"]).toBeNull();
    }
    expect(observations).toHaveLength(2);
    expect(leakedDescriptors).toBe(0);
  });
});
