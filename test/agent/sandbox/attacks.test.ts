import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../../support/free-ports.ts";
import { attacks } from "./attacks.ts";
import { reachableLevels, SandboxUnderTest } from "./sandbox-under-test.ts";

const { levels, limitations } = await reachableLevels();
for (const limitation of limitations) process.stdout.write(`attacks on the sandbox are skipped at ${limitation}\n`);

/** A process of this user like the agent: with a canary in its environment, and an inspector that a signal would open. */
let victim: ChildProcess;
let port: number;
const sockets: Server[] = [];
const folder = mkdtempSync(join(tmpdir(), "outpost-attacked-"));
const aims = (): Record<string, string> => ({
  PID: String(victim.pid),
  PORT: String(port),
  FILE: join(folder, "key"),
  SOCKET: join(folder, "socket"),
  ABSTRACT: `outpost-attacked-${process.pid}`,
  FOLDER: folder,
});

beforeAll(async () => {
  port = await freePort();
  victim = spawn(process.execPath, [`--inspect-port=${port}`, "-e", "console.log(1); setInterval(() => {}, 1000)"], {
    env: { SECRET: "outpost-canary" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (victim.stdout !== null) await once(victim.stdout, "data");
  writeFileSync(join(folder, "key"), "pl_key", { mode: 0o600 });
  chmodSync(folder, 0o700);
  for (const path of [aims()["SOCKET"], `\0${aims()["ABSTRACT"]}`]) {
    const server = createServer((connection) => connection.destroy()).listen(path);
    await once(server, "listening");
    sockets.push(server);
  }
  chmodSync(join(folder, "socket"), 0o777);
  chmodSync(folder, 0o711);
});
afterAll(() => {
  victim.kill("SIGKILL");
  for (const server of sockets) server.close();
  rmSync(folder, { recursive: true });
});

describe.each(levels)("at level %d", (level) => {
  let tested: SandboxUnderTest;
  beforeAll(async () => {
    tested = await SandboxUnderTest.start({ highest: level });
  });
  afterAll(() => tested[Symbol.asyncDispose]());

  it.each(attacks)("a script that $title is refused ($id)", async ({ code, withstood }) => {
    expect(await tested.said(code, { env: aims() })).toMatch(withstood);
    expect(victim.exitCode).toBeNull();
    expect(victim.signalCode).toBeNull();
  });

  it("the script of another check sees nothing of what one changed (B-15)", async () => {
    const poison = `require("semver").valid = () => "yes"; Object.prototype.poisoned = "yes"; Array.prototype.map = () => "yes"; globalThis.left = "yes"; process.env.LEFT = "yes";`;
    expect((await tested.run(poison)).failure).toBeNull();
    const look = `request.body = [({}).poisoned, globalThis.left, process.env.LEFT, require("semver").valid("x"), [1].map(String)].join()`;
    expect(await tested.said(look)).toBe(",,,,1");
  });

  it("a poisoned prototype does not reach this process (B-15)", async () => {
    const { request, env, failure } = await tested.run(
      `request.headers = JSON.parse('{"__proto__": "evil", "constructor": "evil"}'); process.env.__proto__ = "evil";`,
    );
    expect(failure).toBeNull();
    expect(({} as Record<string, unknown>)["evil"]).toBeUndefined();
    expect(Object.getPrototypeOf(request.headers)).toBeNull();
    expect(Object.getPrototypeOf(env)).toBeNull();
    expect(request.headers["constructor"]).toBe("evil");
  });
});
