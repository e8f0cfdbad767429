import { afterEach, beforeEach, describe, expect, it, type TestContext } from "vitest";
import { type NetworkNamespace, networkNamespace, noNamespaces } from "../../../support/namespace.ts";
import { ping, responder, setPingRange } from "./pinging.ts";

describe("an ICMP check", () => {
  let namespace: NetworkNamespace | undefined;
  beforeEach(async () => {
    if (noNamespaces === null) namespace = await networkNamespace();
  });
  afterEach(async () => namespace?.[Symbol.asyncDispose]());
  const made = (context: TestContext): NetworkNamespace => {
    if (noNamespaces !== null) context.skip(`skipped: ${noNamespaces}`);
    return namespace ?? expect.fail("there is no namespace");
  };

  it.for([
    ["datagram", "all", "none"],
    ["raw", "none", "raw"],
  ] as const)(
    "takes only whole answers to its own requests from its target, and each once, over %s sockets",
    async ([path, range, rights], context) => {
      const target = made(context);
      await setPingRange(target, range);
      await using _responder = await responder(target, "forge");
      const { ability, observations } = await ping(target, rights, { checks: [{ hostname: "127.0.0.1", pingCount: 7 }], isCold: true });
      expect(ability.path).toBe(path);
      const response = observations[0]?.result.response;
      expect(response?.pingResults.map(({ success }) => success)).toEqual([false, false, false, true, false, false, false]);
      expect(response).toMatchObject({ packetsSent: 7, packetsReceived: 1 });
    },
  );

  it("times a reply by the kernel, however busy the agent is", async (context) => {
    const target = made(context);
    await setPingRange(target, "all");
    await using answering = await responder(target, "hold", "15");
    const { observations, timerErrorMs } = await ping(target, "none", { checks: [{ hostname: "127.0.0.1", pingCount: 10 }], busyMs: 40 });
    const pings = observations[0]?.result.response?.pingResults ?? [];
    // The first request told here is that of the check; the child's trial run and the start of stamps come before it.
    const held = answering.held.slice(-10);
    const errors = pings.map(({ rtt, sequence }) => Math.abs((rtt ?? 0) - (held.find((one) => one.sequence === sequence)?.heldMs ?? 0)));
    expect(pings.every(({ success }) => success)).toBe(true);
    expect(errors.toSorted((one, other) => one - other)[5]).toBeLessThan(timerErrorMs / 10);
    expect(timerErrorMs).toBeGreaterThan(10);
  });

  it("is one of thousands at once, and loses nothing", async (context) => {
    const target = made(context);
    await setPingRange(target, "all");
    const checks = [{ hostname: "127.0.0.1", pingCount: 3, times: 2_000 }];
    const { observations, leakedDescriptors, leakedTimers } = await ping(target, "none", { checks });
    expect(observations).toHaveLength(2_000);
    expect(observations.filter(({ result }) => result.response?.packetLoss !== 0)).toEqual([]);
    expect({ leakedDescriptors, leakedTimers }).toEqual({ leakedDescriptors: 0, leakedTimers: 0 });
  });

  it("ends at once when its deadline passes, and leaves nothing open", async (context) => {
    const target = made(context);
    await setPingRange(target, "all");
    const checks = [{ hostname: "127.0.0.1", pingCount: 50, times: 200 }];
    const { observations, leakedDescriptors, leakedTimers } = await ping(target, "none", { checks, abortAfterMs: 700 });
    expect(new Set(observations.map(({ failure }) => failure?.code))).toEqual(new Set(["ETIMEDOUT"]));
    for (const { startedMs, stoppedMs } of observations) expect(stoppedMs - startedMs).toBeLessThan(5_000);
    expect({ leakedDescriptors, leakedTimers }).toEqual({ leakedDescriptors: 0, leakedTimers: 0 });
  });

  it("that asks for IPv6 goes over IPv4 on a host without it, and says so", async (context) => {
    const target = made(context);
    await setPingRange(target, "all");
    await target.sysctl("net.ipv6.conf.all.disable_ipv6", "1");
    const names = { "app.test": { 4: [target.outside.ipv4], 6: [target.outside.ipv6] } };
    const { observations } = await ping(target, "none", { names, checks: [{ hostname: "app.test", ipFamily: "IPv6", pingCount: 1 }] });
    expect(observations[0]?.result).toMatchObject({
      request: { hostname: "app.test", ipFamily: "IPv6" },
      response: { ipFamily: "IPv4", resolvedIp: target.outside.ipv4, packetLoss: 0 },
    });
  });

  it("of an IPv6 address fails on a host without it, by the agent's fault", async (context) => {
    const target = made(context);
    await setPingRange(target, "all");
    const { ipv6 } = target.outside;
    await target.sysctl("net.ipv6.conf.all.disable_ipv6", "1");
    const { observations } = await ping(target, "none", { checks: [{ hostname: ipv6, ipFamily: "IPv6", pingCount: 2 }] });
    expect(observations[0]?.failure?.code).toMatch(/^(ENETUNREACH|EADDRNOTAVAIL)$/);
    expect(observations[0]?.failure?.side).toBe("agent");
  });
});
