import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { machineScript, randomLink } from "../support/kubernetes-node/kubernetes-node.ts";
import { noKubernetesNode } from "../support/kubernetes-node/no-kubernetes-node.ts";
import { programsFolder } from "../support/kubernetes-node/programs.ts";
import { until } from "../support/processes.ts";

describe.skipIf(noKubernetesNode !== null)("the machine of the node", () => {
  it.each(["the end of its input", "SIGTERM", "a power cut before the node is up"])("leaves nothing behind after %s", async (how) => {
    const id = randomBytes(4).toString("hex");
    const folder = mkdtempSync(join(tmpdir(), "outpost-node-"));
    mkdirSync(join(folder, "images"));
    writeFileSync(join(folder, "images/names"), "");
    const { address, outside } = randomLink();
    const machine = spawn("bash", [machineScript, folder, programsFolder, address, outside, id], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = once(machine, "exit");
    await until(
      "processes of the machine",
      () => existsSync(join(folder, "log/containerd.log")) && existsSync(join(folder, "init")),
      60_000,
    );
    const init = Number(readFileSync(join(folder, "init"), "utf8"));
    expect(Object.keys(networkInterfaces())).toContain(`op${id}`);
    expect(controlGroups(id)).not.toEqual([]);
    if (how === "SIGTERM") machine.kill("SIGTERM");
    else if (how === "the end of its input") machine.stdin.end();
    else process.kill(init, "SIGKILL");
    await ended;
    expect(existsSync(`/proc/${init}`)).toBe(false);
    expect([Object.keys(networkInterfaces()).includes(`op${id}`), controlGroups(id), existsSync(folder)]).toEqual([false, [], false]);
    expect(readFileSync("/proc/mounts", "utf8")).not.toContain(folder);
  });
});

describe(".ci/kubernetes-node", () => {
  const script = join(import.meta.dirname, "../../.ci/kubernetes-node");
  const run = (...args: string[]) =>
    spawnSync("/bin/bash", [script, ...args], { encoding: "utf8", env: { PATH: "/nonexistent", HOME: "/nonexistent" } });

  it("says in one sentence that Go is absent and lets the tests be skipped", () => {
    expect(run()).toMatchObject({ status: 0, stdout: "", stderr: expect.stringMatching(/^Go is not installed: [^\n]+\n$/) });
  });

  it("refuses an argument that it does not know", () => {
    expect(run("up")).toMatchObject({ status: 2, stderr: 'kubernetes-node takes nothing, not "up".\n' });
  });
});

function controlGroups(id: string): string[] {
  return globSync(`/sys/fs/cgroup/{,*/}outpost-node-${id}`);
}
