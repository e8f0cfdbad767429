import { describe, expect, it } from "vitest";
import { TracerouteCheckResult, TracerouteCheckSettings } from "#contract/checks/traceroute.ts";
import { AppError } from "#domain/app-error.ts";
import type { Observation, RunContext } from "../../../../src/agent/runners/check-runner.ts";
import { traceHost, traceRequest } from "../../../../src/agent/runners/traceroute/request.ts";
import { createTracerouteRunner } from "../../../../src/agent/runners/traceroute/traceroute-runner.ts";
import { freePorts } from "../../../support/free-ports.ts";
import { fixedResolver, runContext } from "../../../support/run-context.ts";

const settings = (request: object): TracerouteCheckSettings =>
  TracerouteCheckSettings.parse({ request, degradedResponseTime: null, maxResponseTime: null });

async function run(request: object, context: Partial<RunContext> = {}): Promise<Observation<"TRACEROUTE">> {
  const seen = await createTracerouteRunner().run(settings(request), runContext(context));
  TracerouteCheckResult.parse(seen.result);
  return seen;
}

describe("the request of a traceroute check", () => {
  const all = { protocol: null, port: null, ipFamily: null, maxHops: null, maxUnknownHops: null, ptrLookup: null, timeout: null };

  it.each([
    [{}, { protocol: "TCP", port: 443, ipFamily: "IPv4", maxHops: 30, maxUnknownHops: 15, ptrLookup: false, timeout: 10 }],
    [{ protocol: "UDP" }, { port: 33_434, maxUnknownHops: 10 }],
    [
      { protocol: "ICMP", port: 80 },
      { port: null, maxUnknownHops: 10 },
    ],
    [
      { protocol: "UDP", port: 53, maxUnknownHops: 3, ptrLookup: true },
      { port: 53, maxUnknownHops: 3, ptrLookup: true },
    ],
  ] as const)("%j has its defaults", (given, expected) => {
    expect(traceRequest({ url: "host.test", assertions: [], ...all, ...given })).toMatchObject(expected);
  });

  it.each([
    ["host.test", "host.test"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["https://host.test:8443/path", "host.test"],
    ["tcp://[::1]:80", "::1"],
  ])("%s asks for %s", (url, host) => {
    expect(traceHost({ ...traceRequest({ url, assertions: [], ...all }) })).toBe(host);
  });

  it.each(["https://", "host.test/path", "a b", " "])("%j is no host", (url) => {
    expect(() => traceHost({ ...traceRequest({ url, assertions: [], ...all }) })).toThrow(
      expect.objectContaining({ code: "EBADURL" }) as Error,
    );
  });

  it.each([
    [{ url: "" }, "url"],
    [{ url: "a\nb" }, "url"],
    [{ url: "a", port: 0 }, "port"],
    [{ url: "a", protocol: "GRE" }, "protocol"],
    [{ url: "a", maxHops: 65 }, "maxHops"],
    [{ url: "a", maxUnknownHops: 31 }, "maxUnknownHops"],
    [{ url: "a", timeout: 31 }, "timeout"],
  ])("%j is refused by the name of its field", (request, field) => {
    const { error } = TracerouteCheckSettings.safeParse({ request, degradedResponseTime: null, maxResponseTime: null });
    expect(error?.issues.map(({ path }) => path.join("."))).toEqual([`request.${field}`]);
  });
});

describe("a traceroute check", () => {
  it("says that SCTP is not spoken", async () => {
    const { failure, result } = await run({ url: "127.0.0.1", protocol: "SCTP" });
    expect(failure).toMatchObject({ code: "EPROTONOSUPPORT", side: "target" });
    expect(result.requestError).toBe(`EPROTONOSUPPORT: ${failure?.message}`);
  });

  it("says that a name does not resolve within its timeout, and waits no longer", async () => {
    const resolver = {
      resolve: (_host: string, _family: 4 | 6, signal: AbortSignal) =>
        new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
    };
    const { failure } = await run({ url: "slow.test", timeout: 1 }, { resolver });
    expect(failure).toMatchObject({ code: "ETIMEDOUT", side: "agent" });
  });

  it("ends with the reason of an abort that is not its own", async () => {
    const controller = new AbortController();
    const reason = new AppError("lease_lost", "gone");
    const running = run({ url: "name.test" }, { signal: controller.signal, resolver: fixedResolver({ "name.test": ["127.0.0.1"] }) });
    controller.abort(reason);
    await expect(running).rejects.toBe(reason);
  });

  it.skipIf(process.platform !== "linux")("sees a closed port of this host in one hop", async () => {
    const [port = 0] = await freePorts(1);
    const { failure, result, facts } = await run({ url: "127.0.0.1", port });
    expect(failure).toBeNull();
    expect(result).toMatchObject({ totalHops: 1, destinationReached: true, response: { destinationState: "refused" } });
    expect(facts).toMatchObject({ hopCount: 1, packetLoss: 0 });
  });
});
