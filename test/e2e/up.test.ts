import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CheckResult } from "../../src/contract/check-results.ts";
import { browser } from "../control-plane/console/browser.ts";
import { freePort, freePorts } from "../support/free-ports.ts";
import { noPlaywright, runtimesFolder } from "../support/playwright-runtime.ts";
import { OutpostProcess, until } from "../support/processes.ts";
import { missingPrograms } from "../support/programs.ts";

interface Credentials {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly apiKey: string;
  readonly privateLocation: { readonly id: string; readonly slugName: string; readonly apiKey: string };
}

interface Up extends AsyncDisposable {
  readonly process: OutpostProcess;
  readonly port: number;
  readonly healthPort: number;
}

const noCurl = missingPrograms("the printed lines of outpost up are", "curl");

describe("outpost up", () => {
  let folder: string;
  let dataDir: string;
  const credentialsFile = (): string => join(dataDir, "credentials.json");
  const readCredentials = async (): Promise<Credentials> => JSON.parse(await readFile(credentialsFile(), "utf8")) as Credentials;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "outpost-up-"));
    dataDir = join(folder, "data");
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Starts it on the file's folder and ports of its own. */
  async function start(...flags: readonly string[]): Promise<Up> {
    const [port = 0, healthPort = 0] = await freePorts(2);
    const process = new OutpostProcess(
      ["up", "--data-dir", dataDir, "--port", String(port), ...flags],
      { AGENT_HEALTH_PORT: String(healthPort), RATE_LIMIT_RESULTS: "100000/60", RUNTIMES_DIR: runtimesFolder },
      folder,
    );
    return { process, port, healthPort, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
  }

  async function summaryOf({ process }: Up): Promise<string> {
    await until("the summary", () => process.stdout.includes("See results:"), 40_000);
    return process.stdout;
  }

  async function finals(credentials: Credentials, checkId: string): Promise<CheckResult[]> {
    const reply = await fetch(`${credentials.baseUrl}/v2/check-results/${checkId}?limit=100`, {
      headers: { authorization: `Bearer ${credentials.apiKey}` },
    });
    if (reply.status !== 200) throw new Error(`${reply.status} ${await reply.text()}`);
    return ((await reply.json()) as { entries: CheckResult[] }).entries;
  }

  /** Waits for a FINAL of the demo check beside the ones that are there. */
  async function newFinals(credentials: Credentials, summary: string, known = 0): Promise<CheckResult[]> {
    const checkId = /demo check +(\S+),/.exec(summary)?.[1] ?? "";
    return until(
      "a final result of the demo check",
      async () => {
        const found = await finals(credentials, checkId);
        return found.length > known && found;
      },
      40_000,
    );
  }

  let first: { credentials: Credentials; results: CheckResult[] };

  it("makes everything at the first start, runs the demo check, and drains at Ctrl-C", async () => {
    await using up = await start();
    const summary = await summaryOf(up);
    const credentials = await readCredentials();
    const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    expect(credentials).toEqual({
      baseUrl: `http://127.0.0.1:${up.port}`,
      accountId: uuid,
      apiKey: expect.any(String) as string,
      privateLocation: { id: uuid, slugName: "local", apiKey: expect.stringMatching(/^pl_/) as string },
    });
    const modes = await Promise.all(
      ["credentials.json", "agent.key", "pepper"].map(async (file) => (await stat(join(dataDir, file))).mode & 0o777),
    );
    expect(modes).toEqual([0o600, 0o600, 0o600]);
    expect(summary).toContain(credentials.baseUrl);
    expect(summary).not.toContain(credentials.apiKey);

    const results = await newFinals(credentials, summary);
    expect(results[0]).toMatchObject({ resultType: "FINAL", hasFailures: false, hasErrors: false, runLocation: "local" });
    first = { credentials, results };

    await expectPagesOf(up);
    up.process.signalGroup("SIGINT");
    expect(await up.process.exit()).toBe(0);
    expect(up.process.logLines().map(({ msg }) => msg)).toContain("agent stopped");
    expect(up.process.stderr).not.toContain("second signal");
    expect(up.process.stderr).not.toContain(credentials.apiKey);
    expect(up.process.stderr).not.toContain(credentials.privateLocation.apiKey);
  }, 80_000);

  it.skipIf(noCurl !== null)(
    "shows an alert when one runs the lines that it prints",
    async () => {
      const receiverPort = await freePort();
      await using up = await start();
      const summary = await summaryOf(up);
      const lines = summary
        .slice(summary.indexOf("See an alert:"))
        .split("\n")
        .filter((line) => /^ {2}(node|curl) /.test(line))
        .map((line) => line.replaceAll(/\b9000\b/g, String(receiverPort)));
      expect(lines).toHaveLength(3);
      const [listen = "", subscribe = "", fail = ""] = lines;
      await using receiver = shell(listen);
      await until("the receiver", () => accepts(receiverPort));
      for (const line of [subscribe, fail]) expect(JSON.parse(await outputOf(line))).not.toHaveProperty("statusCode");
      await until("the failure", () => receiver.output().includes("ALERT_FAILURE"), 40_000);
      await outputOf(fail.replace("/gone", "/health"));
      await until("the recovery", () => receiver.output().includes("ALERT_RECOVERY"), 40_000);
    },
    120_000,
  );

  it("goes on with the same account, keys and results", async () => {
    await using up = await start();
    const summary = await summaryOf(up);
    const again = await readCredentials();
    expect({ ...again, baseUrl: "" }).toEqual({ ...first.credentials, baseUrl: "" });
    const results = await newFinals(again, summary, first.results.length);
    expect(results.map(({ id }) => id)).toEqual(expect.arrayContaining(first.results.map(({ id }) => id)));

    await using second = await start();
    expect(await second.process.exit()).toBe(2);
    expectOneSentence(second, /another Outpost uses this data folder/);

    up.process.signal("SIGKILL");
    await until("the agent to drain when its parent died", () => up.process.logLines().some(({ msg }) => msg === "agent stopped"), 20_000);
  }, 80_000);

  it.skipIf(noPlaywright !== null)("looks at its own console in a browser where it is asked to", { timeout: 120_000 }, async () => {
    // As in a checkout: a relative folder, below settings of programs that a run may not read.
    for (const name of ["package.json", "tsconfig.json"]) await writeFile(join(folder, name), '{ "type": "module" }');
    dataDir = "with-browser";
    await using up = await start("--demo-browser");
    const summary = await summaryOf(up);
    dataDir = join(folder, dataDir);
    const token = await until("the address to sign in", () => /\/set-up\?token=(\w+)/.exec(up.process.stdout)?.[1], 10_000);
    const owner = browser(`http://127.0.0.1:${up.port}`); // whose page to sign in hides the field for a key
    await owner.get(`/set-up?token=${token}`);
    await owner.post("/set-up", { name: "Ada", email: "ada@example.com", password: "correct horse battery", token });
    const id = /browser demo +([0-9a-f-]{36})/.exec(summary)?.[1] ?? "";
    const credentials = await readCredentials();
    const [result] = await until(
      "a run of the browser demo",
      async () => {
        const found = await finals(credentials, id);
        return found.length > 0 && found;
      },
      90_000,
    );
    expect([result?.errorMessage, result?.hasFailures]).toEqual([null, false]);
  });

  it.each([
    { what: "a taken port", env: async (port: number) => ({ PORT: String(port) }), says: /PORT.*taken|taken.*PORT|in use/i },
    { what: "a folder that cannot be written", env: async () => ({ DATA_DIR: "/dev/null/x" }), says: /DATA_DIR|\/dev\/null\/x/ },
    {
      what: "a taken port of the agent's probes",
      env: async (port: number) => ({ PORT: "0", AGENT_HEALTH_PORT: String(port) }),
      says: /AGENT_HEALTH_PORT/,
    },
  ])(
    "says in a sentence what is wrong with $what, and exits with 2",
    async ({ env, says }) => {
      await using taken = new OutpostProcess(["control-plane"], { DATA_DIR: join(folder, randomUUID()), PORT: "0" }, folder);
      const { address } = await taken.logged("control plane is ready");
      const given = {
        DATA_DIR: join(folder, randomUUID()),
        PORT: "0",
        AGENT_HEALTH_PORT: "0",
        ...(await env(Number(new URL(String(address)).port))),
      };
      await using process = new OutpostProcess(["up"], given, folder);
      expect(await process.exit()).toBe(2);
      expectOneSentence({ process }, says);
    },
    40_000,
  );

  it("names every bad variable of both parts at once", async () => {
    const bad = { PORT: "99999", JOB_CONCURRENCY: "many", LOG_LEVEL: "LOUD", LEASE_SECONDS: "1", HTTPS_PROXY: "s3cret-not-a-url" };
    await using process = new OutpostProcess(["up", "--data-dir", join(folder, "never")], bad, folder);
    expect(await process.exit()).toBe(2);
    for (const name of Object.keys(bad)) expect(process.stderr).toContain(`  ${name}: `);
    expect(process.stderr).not.toContain("s3cret");
    expect(process.stderr).not.toMatch(/^\s+at /m);
    expect(process.stdout).toBe("");
  }, 120_000);
});

async function expectPagesOf({ port, healthPort }: Up): Promise<void> {
  const get = async (at: number, path: string): Promise<{ status: number; text: string }> => {
    const reply = await fetch(`http://127.0.0.1:${at}${path}`);
    return { status: reply.status, text: await reply.text() };
  };
  const document = JSON.parse((await get(port, "/openapi.json")).text) as { openapi: string; paths: object };
  expect(document.openapi).toMatch(/^3\./);
  expect(Object.keys(document.paths)).toContain("/v2/check-results/{checkId}");
  expect(await get(port, "/docs")).toMatchObject({ status: 200, text: expect.stringContaining("/v2/check-results/{checkId}") as string });
  expect(await get(port, "/docs/guide/operations/network")).toMatchObject({ status: 200, text: expect.stringContaining("<h1") as string });
  expect(await get(healthPort, "/-/readiness")).toMatchObject({ status: 200 });
  expect(await get(healthPort, "/-/liveness")).toMatchObject({ status: 200 });
  expect(JSON.parse((await get(healthPort, "/health")).text)).toMatchObject({
    ready: true,
    location: { id: "local" },
    outbox: { depth: 0 },
  });
  expect((await get(healthPort, "/metrics")).text).toMatch(/^outpost_agent_reports_total\{outcome="accepted"\} [1-9]/m);
}

/** For lines that are printed for people: with this Node.js as `node`. */
const shellEnv = { ...process.env, PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter) };

async function outputOf(line: string): Promise<string> {
  return (await promisify(execFile)("sh", ["-c", line], { env: shellEnv })).stdout;
}

function shell(line: string): AsyncDisposable & { readonly output: () => string } {
  const child = spawn("sh", ["-c", `exec ${line.trim()}`], { env: shellEnv, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (bytes) => (output += bytes));
  const ended = once(child, "exit");
  return {
    output: () => output,
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}`).then(
    () => true,
    () => false,
  );
}

/** One line for people, no stack; the log's own JSON lines do not count, but for the one that tells with which code the agent ended. */
function expectOneSentence({ process }: { readonly process: OutpostProcess }, says: RegExp): void {
  const plain = process.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  const ofAgent = process.logLines().flatMap((line) => (line["exitCode"] === undefined ? [] : [line.msg]));
  const lines = [...plain, ...ofAgent];
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(says);
  expect(process.stderr).not.toMatch(/^\s+at |"stack"/m);
}
