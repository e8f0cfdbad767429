import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import type { CheckSession } from "../../src/contract/check-sessions.ts";
import { Container, noImages, runToEnd, zombiesOf } from "../support/containers.ts";
import { type DnsServer, dnsServer } from "../support/dns-server.ts";
import { freePort, freePorts } from "../support/free-ports.ts";
import { networkNamespace, noNamespaces } from "../support/namespace.ts";
import { type Nginx, noNginx, startNginx } from "../support/nginx.ts";
import { pause, until } from "../support/processes.ts";

const missing = noImages ?? noNginx;
if (missing !== null) process.stdout.write(`containers are not tested: ${missing}\n`);
if (noNamespaces !== null) process.stdout.write(`pings of containers are not tested: ${noNamespaces}\n`);

/** Undefined when nobody answers. */
async function statusOf(url: string): Promise<number | undefined> {
  try {
    const reply = await fetch(url, { headers: { connection: "close" }, signal: AbortSignal.timeout(5_000) });
    await reply.text();
    return reply.status;
  } catch {
    return undefined;
  }
}

describe.skipIf(missing !== null)("containers without rights, on a root file system that cannot be written", () => {
  let nginx: Nginx;
  let names: DnsServer;
  let echo: Server;
  let echoPort: number;
  let controlPlane: Container;
  let agent: Container;
  let base: string;
  let health: string;
  let apiKey: string;
  let locationKey: string;

  beforeAll(async () => {
    nginx = await startNginx();
    names = await dnsServer(() => ({ addresses: ["192.0.2.80"] }));
    const [port = 0, healthPort = 0, freeEchoPort = 0] = await freePorts(3);
    echoPort = freeEchoPort;
    echo = createServer((socket) => void socket.on("error", () => undefined).end("hello")).listen(echoPort, "127.0.0.1");
    base = `http://127.0.0.1:${port}`;
    health = `http://127.0.0.1:${healthPort}`;
    controlPlane = new Container("control-plane", [], { env: { PORT: String(port) } });
    await until("a control plane", async () => (await statusOf(`${base}/-/readiness`)) === 200);
    apiKey = controlPlane.exec("outpost", "keys", "create", "--role", "OWNER").stdout.trim();
    locationKey = controlPlane.exec("outpost", "location-key", "--create", "berlin").stdout.trim();
    agent = new Container("agent-uptime", [], { env: { API_KEY: locationKey, API_URL: base, AGENT_HEALTH_PORT: String(healthPort) } });
    await until("a ready agent", async () => (await statusOf(`${health}/-/readiness`)) === 200);
  }, 120_000);

  afterAll(async () => {
    for (const container of [agent, controlPlane]) container.remove();
    echo.close();
    await names[Symbol.asyncDispose]();
    await nginx[Symbol.asyncDispose]();
  });

  async function api<T>(method: string, path: string, body?: object): Promise<T> {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
    const reply = await fetch(`${base}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  }

  async function run(type: string, request: object, settings: object = {}): Promise<CheckResult> {
    const check = { name: type, privateLocations: ["berlin"], frequency: 1440, retryStrategy: null, request, ...settings };
    const { id } = await api<{ id: string }>("POST", `/v1/checks/${type}`, check);
    await api<{ sessions: CheckSession[] }>("POST", "/v2/check-sessions/trigger", { target: { checkId: [id] } });
    return until("a result", async () => {
      await pause(2_000); // results may be asked for 60 times a minute, by all tests of this account
      const { entries } = await api<{ entries: CheckResult[] }>("GET", `/v2/check-results/${id}`);
      return entries[0];
    });
  }

  it("run checks of every type that needs no right", async () => {
    const [nameServer = "", port = ""] = names.address.split(":");
    const url = `http://127.0.0.1:${nginx.httpPort}/teapot`;
    const teapot = [{ source: "STATUS_CODE", comparison: "EQUALS", target: "418" }];
    const sslConfig = {
      hostname: "localhost",
      port: nginx.tlsPorts.selfSigned,
      skipChainValidation: true,
      alertDaysBeforeExpiry: 1,
      securityBaseline: { enabled: false },
    };
    const results = await Promise.all([
      run("api", { method: "GET", url, assertions: teapot }),
      run("url", { url, assertions: teapot }),
      run("tcp", { hostname: "127.0.0.1", port: echoPort }),
      run("dns", { query: "www.example.test", recordType: "A", nameServer, port: Number(port) }),
      run("ssl", { sslConfig }),
    ]);
    expect(results.map(({ hasErrors, hasFailures }) => [hasErrors, hasFailures])).toEqual(results.map(() => [false, false]));
  });

  it.skipIf(noNamespaces !== null)(
    "run ICMP checks where the network's ping_group_range has the agent's group, as in Docker, and say so where not",
    async () => {
      await using network = await networkNamespace();
      const key = controlPlane.exec("outpost", "location-key", "--create", "pings").stdout.trim();
      const env = { API_KEY: key, API_URL: `http://${network.outside.ipv4}:${new URL(base).port}` };
      await using container = new Container("agent-uptime", [], { env, network: network.name });
      const ping = { hostname: network.outside.ipv4, pingCount: 2 };
      expect((await run("icmp", ping, { privateLocations: ["pings"] })).icmpCheckResult?.requestError).toMatch(
        /^ECAPABILITY.*ping_group_range/s,
      );
      await network.sysctl("net.ipv4.ping_group_range", "65532 65532");
      const { icmpCheckResult } = await run("icmp", ping, { privateLocations: ["pings"] });
      expect(icmpCheckResult?.response).toMatchObject({ packetsSent: 2, packetsReceived: 2 });
      expect(container.exec("outpost", "doctor").code).toBe(0);
    },
  );

  it("find themselves healthy", () => {
    expect(agent.exec("outpost", "healthcheck")).toMatchObject({ code: 0 });
    expect(controlPlane.exec("outpost", "healthcheck")).toMatchObject({ code: 0 });
    expect(agent.exec("outpost", "doctor").stdout).toContain("control plane");
  });

  it("leave no dead children behind: what is orphaned inside is waited for", async () => {
    const orphaning = `require("node:child_process").spawn(process.execPath, ["-e", "setTimeout(() => {}, 300)"], { detached: true, stdio: "ignore" }).unref()`;
    const init = agent.pid();
    for (let i = 0; i < 5; i += 1) expect(agent.exec("node", "-e", orphaning).code).toBe(0);
    await until("no orphans, no zombies", () => zombiesOf(init).length === 0 && agent.exec("node", "-p", "1").code === 0);
  });

  it("answer the three addresses from start to exit; a drain ends with 0 and loses nothing", async () => {
    const [port = 0] = await freePorts(1);
    const probes = `http://127.0.0.1:${port}`;
    const key = controlPlane.exec("outpost", "location-key", "--create", "drained").stdout.trim();
    await using drained = new Container("agent-uptime", [], { env: { API_KEY: key, API_URL: base, AGENT_HEALTH_PORT: String(port) } });
    await until("a ready agent", async () => (await statusOf(`${probes}/-/readiness`)) === 200);
    const stall = createServer((socket) => void socket.on("error", () => undefined)); // accepts, and says nothing for a while
    const stallPort = await freePort();
    stall
      .on("connection", (socket) => setTimeout(() => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), 4_000))
      .listen(stallPort, "127.0.0.1");
    const { id } = await api<{ id: string }>("POST", "/v1/checks/url", {
      name: "in flight",
      privateLocations: ["drained"],
      frequency: 1440,
      retryStrategy: null,
      maxResponseTime: 30_000, // the answer takes 4 s, and longer where processors are busy
      request: { url: `http://127.0.0.1:${stallPort}/` },
    });
    await api("POST", "/v2/check-sessions/trigger", { target: { checkId: [id] } });
    await until("the check in flight", async () =>
      (await (await fetch(`${probes}/metrics`)).text()).includes("outpost_agent_leases_held 1"),
    );
    drained.signal("SIGTERM");
    await until("not ready", async () => (await statusOf(`${probes}/-/readiness`)) === 503);
    expect([await statusOf(`${probes}/-/liveness`), await statusOf(`${probes}/health`)]).toEqual([200, 200]);
    expect(await drained.exited()).toBe(0);
    expect(await statusOf(`${probes}/health`)).toBeUndefined();
    stall.close();
    const { entries } = await api<{ entries: CheckResult[] }>("GET", `/v2/check-results/${id}`);
    expect(entries.map(({ hasFailures, hasErrors }) => [hasFailures, hasErrors])).toEqual([[false, false]]);
  });

  it("say in a sentence what is missing or wrong, with the documented exit code", async () => {
    const none = await runToEnd("agent-uptime", []);
    expect([none.code, none.logs]).toEqual([2, expect.stringContaining("API_URL")]);
    const taken = await runToEnd("agent-uptime", [], {
      env: { API_KEY: locationKey, API_URL: base, AGENT_HEALTH_PORT: new URL(health).port },
    });
    expect([taken.code, taken.logs]).toEqual([2, expect.stringContaining("AGENT_HEALTH_PORT")]);
    const wrongKind = await runToEnd("agent-uptime", [], { env: { API_KEY: apiKey, API_URL: base, AGENT_HEALTH_PORT: "0" } });
    expect([wrongKind.code, wrongKind.logs]).toEqual([2, expect.stringContaining("API_KEY")]);
    expect(`${none.logs}${taken.logs}${wrongKind.logs}`).not.toContain(apiKey);
  });

  it("work without a folder that can be written: results wait in memory, and say so", async () => {
    const [port = 0] = await freePorts(1);
    const env = { API_KEY: locationKey, API_URL: base, AGENT_HEALTH_PORT: String(port), DATA_DIR: "/app/data" };
    await using container = new Container("agent-uptime", [], { env });
    await until("a ready agent", async () => (await statusOf(`http://127.0.0.1:${port}/-/readiness`)) === 200);
    const told = (await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as { outbox: { mode: string } };
    expect(told.outbox.mode).toBe("memory");
    expect(container.logs()).toMatch(/EROFS|read-only|cannot be/i);
  });

  it("bring everything up by `outpost up`", async () => {
    const [port = 0, healthPort = 0] = await freePorts(2);
    await using all = new Container("all", [], { env: { PORT: String(port), AGENT_HEALTH_PORT: String(healthPort) } });
    await until("a ready agent", async () => (await statusOf(`http://127.0.0.1:${healthPort}/-/readiness`)) === 200);
    expect(all.exec("outpost", "healthcheck").code).toBe(0);
    all.signal("SIGTERM");
    expect(await all.exited()).toBe(0);
  });
});
