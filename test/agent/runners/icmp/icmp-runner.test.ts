import { readdirSync, readlinkSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { IcmpCheckResult, IcmpCheckSettings } from "#contract/checks/icmp.ts";
import { AppError } from "#domain/app-error.ts";
import { createEgressPolicy } from "../../../../src/agent/net/egress-policy.ts";
import { icmpAbility } from "../../../../src/agent/net/icmp/icmp-ability.ts";
import { ProbeError } from "../../../../src/agent/net/probe-error.ts";
import type { Observation, RunContext } from "../../../../src/agent/runners/check-runner.ts";
import { createIcmpRunner } from "../../../../src/agent/runners/icmp/icmp-runner.ts";
import { fixedResolver, runContext } from "../../../support/run-context.ts";

const noPings = icmpAbility().path === "none" ? "this user may not ping" : null;
if (noPings !== null) process.stdout.write(`ICMP checks of this host are skipped: ${noPings}\n`);

async function check(request: object, context: Partial<RunContext> = {}): Promise<Observation<"ICMP">> {
  const settings = IcmpCheckSettings.parse({ request, degradedPacketLossThreshold: null, maxPacketLossThreshold: null });
  const seen = await createIcmpRunner().run(settings, runContext(context));
  IcmpCheckResult.parse(seen.result);
  return seen;
}

describe("an ICMP check that sends nothing", () => {
  it.each([
    ["an address that the policy forbids", "169.254.169.254", {}, "EPOLICY", "target"],
    ["one forbidden address among others", "app.test", { "app.test": ["127.0.0.1", "169.254.169.254"] }, "EPOLICY", "target"],
  ] as const)("says why of %s", async (_name, hostname, names, code, side) => {
    const { failure, result, metrics, responseTimeMs } = await check({ hostname }, { resolver: fixedResolver(names) });
    expect(failure).toMatchObject({ code, side });
    expect(result).toMatchObject({ request: { hostname, ipFamily: "IPv4", pingCount: 10 }, response: null });
    expect(result.requestError).toBe(`${code}: ${failure?.message}`);
    expect(metrics).toEqual({ packetLoss: null, latencyMin: null, latencyMax: null, latencyAvg: null, latencyStdDev: null });
    expect(responseTimeMs).toBe(0);
  });

  it("hands the resolver's failure on, with its side", async () => {
    const resolve = (): Promise<never> => Promise.reject(new ProbeError("EDNS", "DNS: no server could answer", { side: "agent" }));
    const { failure } = await check({ hostname: "app.test" }, { resolver: { resolve } });
    expect(failure).toEqual({ code: "EDNS", message: "DNS: no server could answer", side: "agent" });
  });

  it("asks the policy about the name that is looked up, whatever alphabet it was written in, and before it is looked up", async () => {
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: [], denyDomains: ["db.corp.test"], mode: "default", ownPorts: [] });
    const { failure } = await check({ hostname: "\uff44b\u3002corp.test" }, { resolver: fixedResolver({}), egress });
    expect(failure).toMatchObject({ code: "EPOLICY", message: expect.stringContaining("db.corp.test") });
  });

  it("takes an address in brackets for what it is", async () => {
    expect((await check({ hostname: "[fe80::1]", ipFamily: "IPv6" })).failure).toMatchObject({ code: "EPOLICY" });
  });

  it("asks the policy with port 0 and the name", async () => {
    const asked: unknown[][] = [];
    const deny = (...question: unknown[]): never => {
      asked.push(question);
      throw new ProbeError("EPOLICY", "no");
    };
    const names = { "app.test": ["198.18.0.1"] };
    await check({ hostname: "app.test" }, { resolver: fixedResolver(names), egress: { check: deny, checkName: () => undefined } });
    expect(asked).toEqual([["198.18.0.1", 0, "app.test"]]);
  });
});

describe.skipIf(noPings !== null)("an ICMP check of this host", () => {
  it("tells every request, the latency to a microsecond, and what assertions read", async () => {
    const seen = await check({ hostname: "localhost", pingCount: 3 });
    const { response } = seen.result;
    expect(response).toMatchObject({ hostname: "localhost", resolvedIp: "127.0.0.1", packetSize: 56, packetsSent: 3, packetsReceived: 3 });
    expect(seen.stoppedMs - seen.startedMs).toBeGreaterThanOrEqual(1_000);
    const { avg, min, max, stdDev } = response?.latency ?? { avg: null, min: null, max: null, stdDev: null };
    expect(max).toBeGreaterThanOrEqual(avg ?? Number.POSITIVE_INFINITY);
    expect(seen.metrics).toEqual({ packetLoss: 0, latencyMin: min, latencyMax: max, latencyAvg: avg, latencyStdDev: stdDev });
    expect(seen.facts.fields).toEqual({ LATENCY: { avg, min, max, stdDev } });
    expect(seen.facts.json?.()).toBe(response);
    expect(JSON.parse(seen.facts.text())).toEqual(response);
    expect(seen.responseTimeMs).toBe(avg);
  });

  it("ends with the reason of an abort that is not its deadline", async () => {
    const controller = new AbortController();
    const reason = new AppError("lease_lost", "another agent has it");
    const running = check({ hostname: "127.0.0.1", pingCount: 50 }, { signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    await expect(running).rejects.toBe(reason);
  });

  it("does not begin when it is aborted already", async () => {
    const reason = new AppError("lease_lost", "another agent has it");
    await expect(check({ hostname: "127.0.0.1", pingCount: 1 }, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it("leaves no descriptor, whether it passes, fails or is aborted", async (context) => {
    if (process.platform !== "linux") context.skip("skipped: descriptors are counted on Linux");
    await check({ hostname: "127.0.0.1", pingCount: 1 });
    const before = new Set(descriptors()); // connections of other tests may end meanwhile
    const own = (): number => descriptors().filter((one) => !before.has(one)).length;
    const abort = new AbortController();
    const aborted = Array.from({ length: 50 }, () => check({ hostname: "127.0.0.1", pingCount: 50 }, { signal: abort.signal }));
    const passed = Array.from({ length: 50 }, () => check({ hostname: "127.0.0.1", pingCount: 1 }));
    const unsent = Array.from({ length: 50 }, () => check({ hostname: "240.0.0.1", pingCount: 1 }));
    await Promise.all([...passed, ...unsent]);
    expect(own()).toBeGreaterThanOrEqual(50);
    abort.abort(new AppError("cancelled", "the run was cancelled"));
    await Promise.allSettled(aborted);
    expect(own()).toBe(0);
  });
});

/** Sockets and pipes that are open, each by what no other one ever has. */
function descriptors(): readonly string[] {
  return readdirSync("/proc/self/fd").flatMap((fd) => {
    try {
      const what = readlinkSync(`/proc/self/fd/${fd}`);
      return /^(?:socket|pipe):/.test(what) ? [what] : [];
    } catch {
      return []; // the folder's own
    }
  });
}
