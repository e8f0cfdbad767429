import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { outpostProgram } from "../support/built-program.ts";
import { FakeControlPlane, fakeJob } from "../support/fake-control-plane.ts";
import { temporaryFolder } from "./agent-under-test.ts";

interface AgentProcess extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

/** `outpost agent` as a process of its own. */
function agentProcess(
  fake: { readonly url: URL; readonly key: string },
  env: Record<string, string> = {},
  flags: readonly string[] = [],
): AgentProcess {
  const folder = temporaryFolder();
  const child = spawn(process.execPath, [...flags, ...outpostProgram(), "agent"], {
    cwd: folder.path,
    env: {
      PATH: "/usr/bin",
      API_KEY: fake.key,
      API_URL: fake.url.href,
      AGENT_HEALTH_PORT: "0",
      AGENT_HEALTH_HOST: "127.0.0.1",
      DATA_DIR: folder.path,
      SHUTDOWN_GRACE_SECONDS: "5",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, "close").then(([code]) => code as number | null);
  return {
    child,
    output: () => text,
    ended,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await ended;
      folder[Symbol.dispose]();
    },
  };
}

describe("the agent's process", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("drains on %s and ends with 0", async (signal) => {
    await using fake = await FakeControlPlane.start();
    await using agent = agentProcess(fake);
    fake.enqueue(fakeJob(`${fake.url.href}nothing`));
    await fake.until(() => fake.reports.length === 1, 20_000);
    agent.child.kill(signal);
    expect(await agent.ended).toBe(0);
    expect(agent.output()).toContain("agent stopped");
    expect(agent.output()).not.toContain(fake.key);
  });

  it("ends with 0 when the control plane is away", async () => {
    const fake = await FakeControlPlane.start();
    await using agent = agentProcess(fake, { SHUTDOWN_GRACE_SECONDS: "2" });
    await fake.until(() => fake.seen("leaseJobs").length > 0, 20_000);
    await fake[Symbol.asyncDispose]();
    agent.child.kill("SIGTERM");
    expect(await agent.ended).toBe(0);
  });

  it("ends at once with 1 on the second signal (P-03)", async () => {
    await using fake = await FakeControlPlane.start();
    await using hanging = await hangingTarget();
    await using agent = agentProcess(fake, { SHUTDOWN_GRACE_SECONDS: "60" });
    fake.enqueue(fakeJob(hanging.url));
    await hanging.reached;
    agent.child.kill("SIGTERM");
    await fake.until(() => fake.heartbeats.at(-1)?.state === "draining", 20_000);
    agent.child.kill("SIGTERM");
    expect(await agent.ended).toBe(1);
  });

  it("ends with 3 when the control plane does not speak its protocol (L-14)", async () => {
    await using fake = await FakeControlPlane.start();
    fake.failAlways({ kind: "answer", status: 426, body: '{"message":"protocol 1 is too old"}' }, ["openAgentSession"]);
    await using agent = agentProcess(fake);
    expect(await agent.ended).toBe(3);
    expect(agent.output()).toContain("protocol 1 is too old");
  });

  it("reports a bug without what it was about, keeps to its drain and ends with 1 (P-05)", async () => {
    await using fake = await FakeControlPlane.start();
    const bug =
      "data:text/javascript,process.on('SIGUSR2', () => Promise.reject(new Error('broke at https://secret.test/x for pl_0123456789abcdef')))";
    await using agent = agentProcess(fake, {}, ["--import", bug]);
    await fake.until(() => fake.seen("leaseJobs").length > 0, 20_000);
    agent.child.kill("SIGUSR2");
    expect(await agent.ended).toBe(1);
    expect(fake.errorEvents).toHaveLength(1);
    expect(fake.errorEvents[0]?.message).toBe("Error: broke at [url] for ********");
    expect(agent.output()).not.toContain("pl_0123456789abcdef");
    expect(agent.output()).toContain("agent stopped");
  });

  it("ends with 2 and names the variable when it cannot start (P-09)", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    await using fake = await FakeControlPlane.start();
    await using agent = agentProcess(fake, { AGENT_HEALTH_PORT: String((taken.address() as AddressInfo).port) });
    expect(await agent.ended).toBe(2);
    expect(agent.output()).toContain("AGENT_HEALTH_PORT");
    taken.close();
  });
});

/** Accepts and never answers. */
async function hangingTarget(): Promise<AsyncDisposable & { readonly url: string; readonly reached: Promise<unknown> }> {
  const server = createServer((socket) => socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const reached = once(server, "connection");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    reached,
    async [Symbol.asyncDispose]() {
      const [socket] = (await reached) as [{ destroy(): void }];
      socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
