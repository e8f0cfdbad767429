import { afterEach, describe, expect, it, vi } from "vitest";
import { newDialTrace } from "../../../src/agent/net/connection.ts";
import { type DialTarget, dial } from "../../../src/agent/net/dial.ts";
import { createEgressPolicy, type EgressPolicy } from "../../../src/agent/net/egress-policy.ts";
import type { Resolver } from "../../../src/agent/net/resolver.ts";
import { StepWatch } from "../../../src/agent/net/step-watch.ts";
import { freePort } from "../../support/free-ports.ts";
import { rawServer } from "../../support/http-servers/raw-server.ts";
import { silentPort } from "../../support/http-servers/silent-port.ts";
import { fixedResolver, openPolicy } from "../../support/run-context.ts";
import { turnsUntil } from "../../support/turns.ts";

interface Dialling {
  readonly resolver?: Resolver;
  readonly egress?: EgressPolicy;
  readonly signal?: AbortSignal;
}

function dialling(target: Partial<DialTarget> & { port: number }, { resolver, egress, signal }: Dialling = {}) {
  const trace = newDialTrace();
  const context = {
    resolver: resolver ?? fixedResolver({}),
    egress: egress ?? openPolicy,
    monotonicMs: () => performance.now(),
    watch: new StepWatch(signal ?? new AbortController().signal),
  };
  return { trace, done: dial({ host: "127.0.0.1", ipFamily: "IPv4", tls: null, ...target }, context, trace) };
}

describe("dial", () => {
  afterEach(() => void vi.useRealTimers());

  it("stamps each step in order and says what it reached", async () => {
    await using server = await rawServer(() => undefined);
    const { trace, done } = dialling({ host: "app.test", port: server.port }, { resolver: fixedResolver({ "app.test": ["127.0.0.1"] }) });
    (await done).destroy();
    expect(trace.connection).toEqual({ remoteAddress: "127.0.0.1", remotePort: server.port, ipFamily: "IPv4", tls: null });
    expect(trace.socketMs).toBeLessThanOrEqual(trace.lookupMs ?? 0);
    expect(trace.lookupMs).toBeLessThan(trace.connectMs ?? 0);
    expect(trace.secureConnectMs).toBeNull();
  });

  it("tries the next address when one refuses", async () => {
    await using server = await rawServer(() => undefined);
    const { trace, done } = dialling(
      { host: "two.test", port: server.port },
      { resolver: fixedResolver({ "two.test": ["127.0.0.3", "127.0.0.1"] }) },
    );
    (await done).destroy();
    expect(trace.connection?.remoteAddress).toBe("127.0.0.1");
  });

  it("does not knock at every one of a thousand addresses that a name has", async () => {
    const gone = await freePort();
    const addresses = Array.from({ length: 1_000 }, (_, index) => `127.1.${index >> 8}.${index & 255}`);
    const { trace, done } = dialling({ host: "many.test", port: gone }, { resolver: fixedResolver({ "many.test": addresses }) });
    await expect(done).rejects.toMatchObject({ code: "ECONNREFUSED" });
    expect(trace.connection?.remoteAddress).toBe("127.1.0.19");
  });

  it("gives a silent address 3 seconds while others follow, and not less", async () => {
    await using server = await rawServer(() => undefined);
    await using silent = await silentPort("127.0.0.2", server.port);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { trace, done } = dialling(
      { host: "two.test", port: silent.port },
      { resolver: fixedResolver({ "two.test": ["127.0.0.2", "127.0.0.1"] }) },
    );
    await turnsUntil(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(2_990);
    await new Promise((resolve) => setImmediate(resolve));
    expect(trace.connection?.remoteAddress).toBe("127.0.0.2");
    vi.advanceTimersByTime(20);
    (await done).destroy();
    expect(trace.connection?.remoteAddress).toBe("127.0.0.1");
  });

  it("gives up a silent target after 10 seconds, naming the step and the limit", async () => {
    await using silent = await silentPort("127.0.0.1");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { trace, done } = dialling({ port: silent.port });
    const failure = done.catch((error: unknown) => error);
    await turnsUntil(() => vi.getTimerCount() > 0);
    vi.advanceTimersByTime(10_001);
    expect(await failure).toMatchObject({
      code: "ETIMEDOUT",
      side: "target",
      message: expect.stringMatching(/^TCP connect to 127.0.0.1:\d+ took longer than \d+ ms$/),
    });
    expect(trace.connectMs).toBeNull();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tells a refused connection, with what was reached", async () => {
    const gone = await freePort();
    const { trace, done } = dialling({ port: gone });
    await expect(done).rejects.toMatchObject({ code: "ECONNREFUSED", side: "target" });
    expect(trace).toMatchObject({ connectMs: null, connection: { remoteAddress: "127.0.0.1" } });
  });

  it("reaches IPv6 by literal and by name, and does not fall back where the host has IPv6", async () => {
    await using server = await rawServer(() => undefined, "::1");
    for (const host of ["::1", "localhost"]) {
      const { trace, done } = dialling({ host, port: server.port, ipFamily: "IPv6" }, { resolver: fixedResolver({ localhost: ["::1"] }) });
      (await done).destroy();
      expect(trace.connection?.ipFamily).toBe("IPv6");
    }
  });

  it("takes a literal's own family whatever the check says", async () => {
    await using server = await rawServer(() => undefined, "::1");
    const { trace, done } = dialling({ host: "::1", port: server.port, ipFamily: "IPv4" });
    (await done).destroy();
    expect(trace.connection?.ipFamily).toBe("IPv6");
  });

  it("stops with the caller's reason", async () => {
    await using silent = await silentPort("127.0.0.1");
    const run = new AbortController();
    const { done } = dialling({ port: silent.port }, { signal: run.signal });
    setImmediate(() => run.abort("cancelled"));
    await expect(done).rejects.toBe("cancelled");
  });

  it.each([
    ["a literal", "127.0.0.1", {}],
    ["a name", "inner.test", { "inner.test": ["127.0.0.1"] }],
    ["a name with one denied address among allowed ones", "mixed.test", { "mixed.test": ["127.0.0.2", "127.0.0.1"] }],
    ["a mapped literal", "::ffff:127.0.0.1", {}],
  ])("sends not one packet to what the policy denies: %s", async (_title, host, names) => {
    await using server = await rawServer(() => undefined);
    const egress = createEgressPolicy({ allowCidrs: [], denyCidrs: ["127.0.0.1"], mode: "default", ownPorts: [] });
    await expect(dialling({ host, port: server.port }, { resolver: fixedResolver(names), egress }).done).rejects.toMatchObject({
      code: "EPOLICY",
    });
    expect(server.connections()).toBe(0);
  });
});
