import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createErrorEvents, type ErrorEvents, eventOf } from "../../src/agent/contact/error-events.ts";
import type { ControlPlane } from "../../src/agent/contact/retrying-client.ts";
import { systemClock } from "../../src/agent/host/clock.ts";
import { createKnownSecrets } from "../../src/agent/runs/known-secrets.ts";
import type { ErrorEvent, LeasedJob } from "../../src/contract/agent-protocol.ts";
import { Secret } from "../../src/daemon/secret.ts";
import { FakeControlPlane, fakeJob } from "../support/fake-control-plane.ts";
import { findSecret } from "../support/find-secret.ts";
import { networkNamespace, noNamespaces } from "../support/namespace.ts";
import { OutpostProcess } from "../support/processes.ts";
import { logOf } from "./agent-under-test.ts";

const asIs = (text: string): string => text;

describe("an error event", () => {
  it("has message, frames, versions and platform, and nothing else", () => {
    expect(eventOf(new TypeError("Cannot read properties of undefined (reading 'headers')"), asIs)).toEqual({
      message: "TypeError: Cannot read properties of undefined (reading 'headers')",
      stack: expect.stringMatching(/^ {4}at .*error-events\.test\.ts:\d+:\d+/) as unknown,
      agentVersion: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
      platform: `${process.platform} ${process.arch}`,
      runtimeVersion: `node ${process.versions.node}`,
    });
  });

  it.each([
    ["a URL", new Error("GET https://me:pw@shop.example/orders?id=7 failed"), "Error: GET [url] failed"],
    ["a host", new Error("no route to db.internal.example"), "Error: no route to [host]"],
    ["addresses", new Error("10.1.2.3:5432 and fd00::1:2 are gone"), "Error: [address] and [address] are gone"],
    [
      "a body",
      new SyntaxError(`Unexpected token '<', "<b>hi "Jane"</b>" is not valid JSON`),
      "SyntaxError: Unexpected token [text], [text] is not valid JSON",
    ],
    [
      "a short body",
      new SyntaxError(`Unexpected token 'h', "hunter2" is not valid JSON`),
      "SyntaxError: Unexpected token 'h', [text] is not valid JSON",
    ],
    [
      "a host without a dot, as system calls tell it",
      Object.assign(new Error("getaddrinfo ENOTFOUND payroll-db"), { code: "ENOTFOUND", syscall: "getaddrinfo" }),
      "Error: getaddrinfo ENOTFOUND",
    ],
    [
      "a path",
      Object.assign(new Error("ENOENT: no such file, open '/home/jane/key'"), { code: "ENOENT", syscall: "open" }),
      "Error: open ENOENT",
    ],
    ["a thrown text", "just a text", "just a text"],
    ["a thrown object", { token: "hunter2" }, "a value of type object was thrown"],
    ["an error without a stack", Object.assign(new Error("bare"), { stack: undefined }), "Error: bare"],
  ])("leaves out %s", (_what, error, message) => {
    expect(eventOf(error, asIs).message).toBe(message);
  });

  it("tells our own files without the folder that they are in", () => {
    const error = Object.assign(new Error("x"), {
      stack: "Error: x\n    at run (file:///opt/outpost/agent/chunks/agent-x.js:1:2)\n    at https://shop.example/a.js:1:1",
    });
    expect(eventOf(error, asIs).stack).toBe("    at run (chunks/agent-x.js:1:2)\n    at [url]");
  });
});

describe("createErrorEvents", () => {
  function events(call: (events: ErrorEvent[]) => Promise<void>): ErrorEvents {
    const controlPlane = { call: (_operation: unknown, body: { events: ErrorEvent[] }) => call(body.events) } as unknown as ControlPlane;
    return createErrorEvents({ controlPlane, clock: systemClock, log: logOf().log, scrub: asIs, againMs: 5 });
  }

  it("sends the first at once, and those that come meanwhile together", async () => {
    const sent: string[][] = [];
    const first = Promise.withResolvers<void>();
    const reports = events(async (batch) => {
      sent.push(batch.map(({ message }) => message));
      if (sent.length === 1) await first.promise;
    });
    for (const name of ["a", "b", "c", "b"]) reports.report(new Error(name));
    first.resolve();
    await reports.flush(new AbortController().signal);
    expect(sent).toEqual([["Error: a"], ["Error: b", "Error: c"]]);
  });

  it("keeps what the control plane did not take, and tries again by itself", async () => {
    const sent: number[] = [];
    const done = Promise.withResolvers<void>();
    const reports = events(async (batch) => {
      sent.push(batch.length);
      if (sent.length < 3) throw new Error("away");
      done.resolve();
    });
    reports.report(new Error("a"));
    await done.promise;
    expect(sent).toEqual([1, 1, 1]);
  });

  it("reports 20 an hour", async () => {
    let sent = 0;
    const reports = events(async (batch) => void (sent += batch.length));
    for (let count = 0; count < 100; count += 1) reports.report(new Error(`number ${count}`));
    await reports.flush(new AbortController().signal);
    expect(sent).toBe(20);
  });
});

describe("createKnownSecrets", () => {
  const proxy = (url: string): Secret => new Secret(url);

  it("masks keys, passwords of proxies, the agent's own secrets and those of runs", () => {
    const known = createKnownSecrets({ https: proxy("http://me:pr%40xy-pw@proxy:1"), http: null, noProxy: [] }, () => ["from-the-agent"]);
    known.remember(new Secret("pl_0123456789abcdef"));
    using run = known.hold(() => ["of-the-run"]);
    expect(run).toBeDefined();
    const text = `pr%40xy-pw pr@xy-pw ${btoa("me:pr@xy-pw")} from-the-agent of-the-run pl_0123456789abcdef as_ffffffffffff`;
    expect(known.mask(text)).toBe("******** ******** ******** ******** ******** ******** ********");
  });

  it("tells nothing where there are more secrets than are looked for", () => {
    const known = createKnownSecrets({ https: null, http: null, noProxy: [] });
    using _run = known.hold(() => Array.from({ length: 2_001 }, (_, index) => `secret number ${index}`));
    expect(known.mask("the run failed with secret number 7")).toBe("********");
  });

  it("masks what two runs have in common place as one", () => {
    const known = createKnownSecrets({ https: null, http: null, noProxy: [] });
    using _first = known.hold(() => ["abcdefgh"]);
    using _second = known.hold(() => ["efghijkl"]);
    expect(known.mask("-abcdefghijkl-")).toBe("-********-");
  });

  it("knows a run's secrets a while longer, and not for ever", () => {
    const known = createKnownSecrets({ https: null, http: null, noProxy: [] });
    known.hold(() => ["the-first-run"])[Symbol.dispose]();
    expect(known.mask("the-first-run")).toBe("********");
    for (let count = 0; count < 40; count += 1) known.hold(() => [`run-number-${count}`])[Symbol.dispose]();
    expect(known.mask("the-first-run run-number-39")).toBe("the-first-run ********");
  });
});

const canaries = ["cnry-Agent/1+secret", "cnry-Header/2+secret", "cnry-Variable/3+secret", "cnry-Proxy/4+secret"] as const;
const [ofAgent, ofHeader, ofVariable, ofProxy] = canaries;

function jobWithSecrets(url: string): LeasedJob {
  const request = { method: "GET", url, headers: [{ key: "Authorization", value: `Bearer ${ofHeader}`, locked: false }] };
  const job = fakeJob(url, { settings: { request, degradedResponseTime: 5_000, maxResponseTime: 20_000 } });
  const variables = [{ key: "TOKEN", value: ofVariable, isSecret: true }];
  const material = { setup: [], teardown: [], snippets: {}, variables, groupBaseUrl: null, certificates: [] };
  return { ...job, payload: { ...job.payload, proxyUrl: null, material } };
}

/** An agent whose bug strikes on SIGUSR2. */
function crashingAgent(
  fake: FakeControlPlane,
  env: Record<string, string> = {},
  through: readonly string[] = [],
): { agent: OutpostProcess; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), "outpost-crash-"));
  const agent = new OutpostProcess(
    ["agent"],
    {
      API_KEY: fake.key,
      API_URL: fake.url.href,
      AGENT_HEALTH_PORT: "0",
      AGENT_HEALTH_HOST: "127.0.0.1",
      DATA_DIR: folder,
      LOG_LEVEL: "DEBUG",
      HTTPS_PROXY: `http://me:${encodeURIComponent(ofProxy)}@127.0.0.1:9`,
      SERVICE_SECRET_MINE: ofAgent,
      NODE_OPTIONS: `--import=${import.meta.resolve("./throw-on-signal.ts")}`,
      TEST_CANARIES: [...canaries, fake.key].join(" "),
      ...env,
    },
    folder,
    through,
  );
  onTestFinished(async () => {
    await agent[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });
  return { agent, folder };
}

async function hangingTarget(): Promise<{ url: string; reached: Promise<unknown> }> {
  const server = createServer((socket) => void socket.on("error", () => undefined)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, reached: once(server, "connection") };
}

describe("a crash of the agent during a job with secrets (M-05)", () => {
  it("leaves no secret in the event, on the disk, in the output, and no core", async () => {
    await using fake = await FakeControlPlane.start(0, `pl_${"5eC3e7".toLowerCase()}${"0".repeat(26)}`);
    const target = await hangingTarget();
    const { agent, folder } = crashingAgent(fake);
    fake.enqueue(jobWithSecrets(target.url));
    await target.reached;
    expect(readFileSync(`/proc/${agent.pid}/limits`, "utf8")).toMatch(/^Max core file size +0 +0 /m);
    process.kill(agent.pid, "SIGUSR2");
    await fake.until(() => fake.errorEvents.length > 0);
    expect(await agent.exit()).toBe(1);
    expect(fake.errorEvents[0]).toMatchObject({ message: expect.stringContaining("nobody thought of this") as unknown });
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    expect(files.map(({ name }) => name).filter((name) => name.startsWith("core"))).toEqual([]);
    const places = {
      events: Buffer.from(JSON.stringify(fake.errorEvents)),
      output: Buffer.from(agent.stdout + agent.stderr),
      ...Object.fromEntries(files.map((file) => [file.name, readFileSync(join(file.parentPath, file.name))])),
    };
    for (const [place, bytes] of Object.entries(places))
      for (const canary of [...canaries, fake.key]) expect([place, findSecret(bytes, canary)]).toEqual([place, []]);
    expect(agent.stderr).toContain("unexpected error in the agent");
  }, 120_000);
});

if (noNamespaces !== null) process.stdout.write(`the count of packets with error events is skipped: ${noNamespaces}\n`);

describe.skipIf(noNamespaces !== null)("EXTERNAL_OBSERVABILITY (M-06)", () => {
  it.each([
    ["on", 1],
    ["off", 0],
  ])(
    "%s: so many packets go to the endpoint of error events: %d",
    async (observability, expected) => {
      await using namespace = await networkNamespace();
      await using fake = await FakeControlPlane.start(0, undefined, namespace.outside.ipv4);
      // The first bytes of what a packet carries: POST /agent/v1/error-events and POST /agent/v1/jobs/lease differ in the 16th.
      await namespace.nft(`
      table inet probe {
        counter events {}
        counter leases {}
        chain out {
          type filter hook output priority 0; policy accept;
          tcp dport ${fake.url.port} @ih,0,128 0x${Buffer.from("POST /agent/v1/e").toString("hex")} counter name "events"
          tcp dport ${fake.url.port} @ih,0,128 0x${Buffer.from("POST /agent/v1/j").toString("hex")} counter name "leases"
        }
      }`);
      const [program, words] = namespace.command("", []);
      const { agent } = crashingAgent(fake, { EXTERNAL_OBSERVABILITY: observability }, [program, ...words.slice(0, -1)]);
      await fake.until(() => fake.seen("leaseJobs").length > 0, 40_000);
      process.kill(agent.pid, "SIGUSR2");
      expect(await agent.exit()).toBe(1);
      const { events, leases } = await namespace.counters();
      expect(leases?.packets).toBeGreaterThan(0);
      expect(events?.packets).toBe(expected);
      expect(fake.errorEvents).toHaveLength(expected);
      expect(agent.stderr).toContain("agent stopped");
    },
    60_000,
  );
});
