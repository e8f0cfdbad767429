import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { createHealthServer, type HealthServer } from "../../src/agent/health/health-server.ts";
import { withOlderNames } from "../../src/agent/health/older-names.ts";
import { ConfigError } from "../../src/daemon/env.ts";
import { logOf } from "./agent-under-test.ts";

async function started(
  overrides: Partial<Parameters<typeof createHealthServer>[1]> = {},
): Promise<AsyncDisposable & { server: HealthServer; url: string }> {
  const server = createHealthServer(
    { port: 0, host: "127.0.0.1" },
    {
      isReady: () => true,
      isAlive: () => true,
      detail: () => ({ state: "connected" }),
      metrics: async () => ({ type: "text/plain", body: "outpost_agent_ready 1\n" }),
      ...overrides,
    },
    logOf().log,
  );
  await server.start();
  return { server, url: `http://127.0.0.1:${server.port()}`, [Symbol.asyncDispose]: () => server.stop() };
}

describe("metrics under their older names", () => {
  it("repeat each line of the agent's own, and no other", () => {
    const text = [
      "# HELP outpost_agent_ready 1 when ready",
      "# TYPE outpost_agent_ready gauge",
      "outpost_agent_ready 1",
      'outpost_agent_build_info{version="1.0.0"} 1',
      "process_cpu_seconds_total 2",
      "",
    ].join("\n");
    expect(withOlderNames(text)).toBe(`${text}# HELP agent_ready 1 when ready\n# TYPE agent_ready gauge\nagent_ready 1\n`);
  });
});

describe("the probes (spec 4.17)", () => {
  it.each([
    ["/-/readiness", 200],
    ["/-/liveness", 200],
    ["/health", 200],
    ["/metrics", 200],
    ["/nothing", 404],
  ])("GET %s is %d when all is well", async (path, status) => {
    await using probes = await started();
    expect((await fetch(probes.url + path)).status).toBe(status);
  });

  it("are 503 for readiness and 200 for /health while the agent is not ready, with the same detail", async () => {
    await using probes = await started({ isReady: () => false });
    const readiness = await fetch(`${probes.url}/-/readiness`);
    expect(readiness.status).toBe(503);
    expect(await readiness.json()).toEqual({ state: "connected" });
    expect((await fetch(`${probes.url}/health`)).status).toBe(200);
  });

  it("say that an agent which makes no progress is not alive", async () => {
    await using probes = await started({ isAlive: () => false });
    expect((await fetch(`${probes.url}/-/liveness`)).status).toBe(503);
  });

  it("answer while a hundred slow clients hold connections (P-09)", async () => {
    await using probes = await started();
    const slow = Array.from({ length: 100 }, () => connect(probes.server.port(), "127.0.0.1"));
    await Promise.all(slow.map((socket) => once(socket, "connect")));
    for (const socket of slow) socket.on("error", () => undefined).write("GET /-/live");
    expect((await fetch(`${probes.url}/-/liveness`)).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  it("cut a client that does not finish its request", async () => {
    await using probes = await started();
    const slow = connect(probes.server.port(), "127.0.0.1");
    slow.write("GET / HTTP/1.1\r\n");
    slow.resume();
    await once(slow, "close");
    expect(slow.destroyed).toBe(true);
  });

  it("tell which variable to change when the port is taken", async () => {
    await using probes = await started();
    const second = createHealthServer(
      { port: probes.server.port(), host: "127.0.0.1" },
      { isReady: () => true, isAlive: () => true, detail: () => ({}), metrics: async () => ({ type: "", body: "" }) },
      logOf().log,
    );
    await expect(second.start()).rejects.toThrow(ConfigError);
    await expect(second.start()).rejects.toThrow(/AGENT_HEALTH_PORT: port \d+ of 127\.0\.0\.1 is taken/);
    await second.stop();
  });
});
