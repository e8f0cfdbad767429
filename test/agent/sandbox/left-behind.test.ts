import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { reachableLevels, SandboxUnderTest } from "./sandbox-under-test.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`what is left behind is not looked for at ${limitation}\n`);

/** Scripts tell here that they run. */
let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

/** Says so and never ends: with or without turns of its loop. */
const endless = (last: string): string =>
  `await new Promise((resolve) => require("net").connect(${port}, "127.0.0.1", resolve).on("error", () => {})); ${last}`;
const endings = [
  ["waits", "await new Promise(() => setInterval(() => {}, 1000))"],
  ["does not end when it is told to", 'for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, () => {}); for (;;) {}'],
] as const;

async function connected(): Promise<Socket> {
  const [socket] = (await once(server, "connection")) as [Socket];
  return socket.on("error", () => {}).resume();
}

/** The processes below one, as the kernel lists them. */
function descendants(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(path)) return [];
  const children = readFileSync(path, "utf8").trim().split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Those that have not ended; who has ended and is not yet waited for is none of them. */
function living(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    const path = `/proc/${pid}/stat`;
    return existsSync(path) && !/\) [ZX] /.test(readFileSync(path, "utf8"));
  });
}

/** An agent's part that runs one script, as a process of its own; `file` is a descriptor that it inherits. */
function agentThatRuns(code: string, highest: number, file?: number): ChildProcess {
  const settings = JSON.stringify({ wanted: "auto", highest, lacksLandlock: false, code });
  const words = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(import.meta.dirname, "sandbox-child.ts"), settings];
  const inherited = file === undefined ? [] : Array.from({ length: 12 }, () => file);
  const agent = spawn(process.execPath, words, { env: { PATH: "/usr/bin:/bin" }, stdio: ["ignore", "pipe", "inherit", ...inherited] });
  onTestFinished(() => void agent.kill("SIGKILL"));
  return agent;
}

describe.each(levels)("at level %d", (level) => {
  it.each(endings)("a killed agent leaves neither a script that %s nor children that wait (B-09)", async (_what, last) => {
    const agent = agentThatRuns(endless(last), level);
    const connection = await connected();
    const left = descendants(agent.pid ?? 0);
    expect(left.length).toBeGreaterThanOrEqual(2);
    const isOver = once(connection, "close");
    agent.kill("SIGKILL");
    await isOver;
    await expect.poll(() => living(left), { timeout: 10_000 }).toEqual([]);
  });

  it("closing ends a script that runs and children that wait (B-09)", async () => {
    await using tested = await SandboxUnderTest.start({ highest: level, concurrency: 3 });
    const before = descendants(process.pid);
    await Promise.all([tested.run("1"), tested.run("1")]);
    const ended = Promise.allSettled([tested.run(endless("for (;;) {}"))]);
    await connected();
    const started = descendants(process.pid).filter((pid) => !before.includes(pid));
    expect(started.length).toBeGreaterThanOrEqual(2);
    await tested.sandbox.close();
    expect(await ended).toMatchObject([{ status: "rejected", reason: { code: "cancelled" } }]);
    await expect.poll(() => living(started)).toEqual([]); // bubblewrap's are not ours to wait for
  });

  it("descriptors that the agent got from whoever started it do not reach scripts (B-02)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "outpost-inherited-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "key");
    writeFileSync(path, "outpost-canary");
    const file = openSync(path, "r");
    onTestFinished(() => closeSync(file));
    const code = `const fs = require("fs"); const found = [];
      for (let fd = 3; fd < 256; fd++) { try { if (fs.fstatSync(fd).isFile()) found.push(fd); } catch {} }
      request.body = "files: " + found.join();`;
    const agent = agentThatRuns(code, level, file);
    const chunks: Buffer[] = [];
    agent.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(agent, "close");
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({ level, said: "files: " });
  });
});
