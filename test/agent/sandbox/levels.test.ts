import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/agent/host/clock.ts";
import { createSandbox } from "../../../src/agent/sandbox/create-sandbox.ts";
import { makeScriptRuntime } from "../../support/script-runtime.ts";
import { emptyPhase, reachableLevels, SandboxUnderTest } from "./sandbox-under-test.ts";

const { levels } = await reachableLevels();
const noLandlock = levels.includes(2) && process.arch === "x64" ? null : "the system calls of Landlock cannot be taken away here";
if (noLandlock !== null) process.stdout.write(`old kernels are not simulated: ${noLandlock}\n`);
const child = join(import.meta.dirname, "sandbox-child.ts");
/** Neither root nor anybody on this machine. */
const stranger = 65_532;
const noOtherUser = otherUserProblem();
if (noOtherUser !== null) process.stdout.write(`an agent without rights is not tested apart from this one: ${noOtherUser}\n`);
const oldNode = "/usr/bin/node";
const hasOldNode = existsSync(oldNode) && levels.includes(2);
if (!hasOldNode) process.stdout.write("a runtime of another Node.js is not tested: there is no /usr/bin/node\n");

function otherUserProblem(): string | null {
  if (process.getuid?.() !== 0) return "not run as root";
  const reads = spawnSync(process.execPath, ["--eval", `require("node:fs").readFileSync(${JSON.stringify(child)})`], {
    uid: stranger,
    gid: stranger,
  });
  return reads.status === 0 ? null : `another user cannot read ${import.meta.dirname}, or start ${process.execPath}`;
}

/** What a process of its own, started in this way, finds out and does. */
async function inProcess(
  wanted: string,
  options: { readonly uid?: number; readonly lacksLandlock?: boolean; readonly wantedWall?: "require"; readonly code?: string } = {},
): Promise<Record<string, unknown>> {
  const { uid: _uid, ...others } = options;
  const settings = JSON.stringify({ wanted, highest: 2, lacksLandlock: false, ...others });
  const flags = ["--disable-warning=ExperimentalWarning", "--conditions=source"];
  const user = options.uid === undefined ? {} : { uid: options.uid, gid: options.uid };
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, child, settings], { ...user, env: { PATH: "/usr/bin:/bin" } });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe.skipIf(noLandlock !== null)("where the kernel has no Landlock (B-10)", () => {
  it("require-2 refuses scripts and says why", async () => {
    const { level, limitation, failure } = await inProcess("require-2", { lacksLandlock: true });
    expect(level).toBe(0);
    expect(limitation).toMatch(/level 2 is not possible: it does not start \(landlock_create_ruleset: ENOSYS\)/);
    expect(failure).toMatch(
      /^forbidden: Scripts of runtime 2026.04 are refused: this machine cannot keep them apart as SCRIPT_SANDBOX=require-2 asks/,
    );
  });

  it("auto runs them at level 1 and warns", async () => {
    const { level, limitation, said, warned } = await inProcess("auto", { lacksLandlock: true });
    expect(level).toBe(1);
    expect(limitation).toMatch(/level 2 is not possible: it does not start \(landlock_create_ruleset: ENOSYS\)/);
    expect(said).toBe("ran");
    expect(warned).toEqual([
      "the script sandbox is weaker than it could be",
      "only Node.js enforces the egress policy for scripts, not the kernel",
    ]);
  });

  it("says that Node.js alone holds the egress policy, and SCRIPT_EGRESS=require refuses scripts", async () => {
    expect(await inProcess("auto", { lacksLandlock: true })).toMatchObject({ egressWall: "process", said: "ran" });
    const { level, failure } = await inProcess("auto", { lacksLandlock: true, wantedWall: "require" });
    expect(level).toBe(0);
    expect(failure).toMatch(
      /SCRIPT_SANDBOX=auto and SCRIPT_EGRESS=require asks \(.+level 1 is not possible: the kernel does not hold its connections/,
    );
  });
});

it.runIf(noOtherUser === null && levels.includes(2))("an agent without rights reaches level 2 too", async () => {
  expect(await inProcess("require-2", { uid: stranger })).toMatchObject({ said: "ran", warned: [] });
});

it.runIf(noOtherUser === null)("an agent without rights withstands the self-test at level 1", async () => {
  expect(await inProcess("require-1", { uid: stranger, lacksLandlock: noLandlock === null })).toMatchObject({ said: "ran" });
});

it("SCRIPT_SANDBOX=off refuses scripts", async () => {
  await using tested = await SandboxUnderTest.start({ wanted: "off" });
  expect(tested.sandbox).toMatchObject({ level: 0, limitation: "SCRIPT_SANDBOX is off: scripts are refused" });
  await expect(tested.run("1")).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining("SCRIPT_SANDBOX is off") });
});

it("a runtime that is not installed is named, with how to install it", async () => {
  await using tested = await SandboxUnderTest.start();
  const phase = { ...emptyPhase("2025.04"), scripts: [{ name: "setup script", code: "1" }] };
  await expect(tested.sandbox.run(phase)).rejects.toMatchObject({
    code: "not_found",
    message: "Runtime 2025.04 is not installed at this agent: outpost runtime install 2025.04",
  });
});

it("without any runtime there is level 0 and the way to one", async () => {
  await using tested = await SandboxUnderTest.start({ runtimesFolder: "/proc/none" });
  expect(tested.sandbox.level).toBe(0);
  expect(tested.sandbox.limitation).toMatch(/outpost runtime install/);
});

it("a runtime whose Node.js has no permission model does not run at level 1", async () => {
  const folder = await mkdtemp(join(tmpdir(), "outpost-old-node-"));
  const node = join(folder, "node");
  await writeFile(node, `#!/bin/sh\n[ "$1" = --completion-bash ] || exec ${process.execPath} "$@"\n`, { mode: 0o755 });
  await using runtime = await makeScriptRuntime("2022.10", node);
  const log = { info: () => undefined, warn: () => undefined };
  const options = { runtimesFolder: runtime.folder, concurrency: 1, wanted: "auto", log, clock: systemClock, highest: 1 } as const;
  const sandbox = await createSandbox(options);
  expect(sandbox).toMatchObject({
    level: 0,
    limitation: "on runtime 2022.10: level 1 is not possible: its Node.js has no permission model",
  });
  await sandbox.close();
  await rm(folder, { recursive: true });
});

it.skipIf(!hasOldNode)("a runtime whose Node.js knows less of the permission model reaches level 2 by the kernel", async () => {
  await using tested = await SandboxUnderTest.start({ highest: 2 }, oldNode);
  expect(tested.sandbox.level).toBe(2);
  expect(
    await tested.said('import semver from "semver";\nrequest.body = semver.valid("1.2.3") + (await import("node-fetch")).default.name'),
  ).toBe("1.2.3fetch");
});

it("an agent that can write nowhere refuses scripts, and starts", async () => {
  await using tested = await SandboxUnderTest.start({ scratchFolders: ["/proc", "/proc/none"] });
  expect(tested.sandbox).toMatchObject({
    level: 0,
    limitation: "on runtime 2026.04: its test can write to none of /proc, /proc/none",
  });
  await expect(tested.run("1")).rejects.toMatchObject({ code: "forbidden" });
});

it("where the temporary folder cannot be written another one serves", async () => {
  await using tested = await SandboxUnderTest.start({ scratchFolders: ["/proc", tmpdir()] });
  expect(await tested.said('request.body = "ran"')).toBe("ran");
});

it("a cancelled run ends its process and throws its reason", async () => {
  await using tested = await SandboxUnderTest.start();
  const stop = new AbortController();
  const running = tested.run("for (;;) {}", { signal: stop.signal });
  stop.abort(new Error("cancelled by a test"));
  await expect(running).rejects.toThrow("cancelled by a test");
});

it("more phases than seats wait for their turn", async () => {
  await using tested = await SandboxUnderTest.start({ concurrency: 1 });
  const all = await Promise.all([1, 2, 3].map((n) => tested.said(`request.body = String(${n} + 1)`)));
  expect(all).toEqual(["2", "3", "4"]);
  expect(tested.sandbox.state()).toMatchObject({ running: 0, waiting: 0 });
});

it("closing leaves no process behind", async () => {
  const tested = await SandboxUnderTest.start();
  await tested.run("1");
  const running = tested.run("for (;;) {}");
  await Promise.all([expect(running).rejects.toMatchObject({ code: "cancelled" }), tested.sandbox.close()]);
  expect(tested.sandbox.state().warm).toBe(0);
  await tested[Symbol.asyncDispose]();
});

it("a runtime whose scripts are refused takes the level of no other one", async () => {
  await using tested = await SandboxUnderTest.start();
  await using broken = await makeScriptRuntime("2025.04", "/bin/false");
  await rename(join(broken.folder, "2025.04"), join(tested.runtime.folder, "2025.04"));
  const warned: object[] = [];
  const log = { info: () => undefined, warn: (told: object) => void warned.push(told) };
  const options = { runtimesFolder: tested.runtime.folder, concurrency: 1, wanted: "auto", log, clock: systemClock } as const;
  const sandbox = await createSandbox(options);
  await sandbox.close();
  const { level } = tested.sandbox;
  expect(level).toBeGreaterThan(0);
  expect(sandbox).toMatchObject({ level, limitation: "on runtime 2025.04: its Node.js does not start" });
  expect(Object.fromEntries(sandbox.levels)).toEqual({ "2026.04": level, "2025.04": 0 });
  expect(warned).toMatchObject([{ sandboxLevel: level }]);
});
