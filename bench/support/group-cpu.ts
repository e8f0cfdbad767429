import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync } from "node:fs";
import { join } from "node:path";

const isUnified = existsSync("/sys/fs/cgroup/cgroup.controllers");
/** By its process: one that was killed leaves its group there. */
const group = `/sys/fs/cgroup/${isUnified ? "" : "cpuacct/"}outpost-bench-${process.pid}`;

/** Seconds of CPU of all processes that a program starts, killed ones too: they are counted by a group of their own, which takes root. */
export async function cpuSecondsOf(args: readonly string[], cwd?: string): Promise<number> {
  makeGroup();
  try {
    const child = spawn("sh", wordsInGroup(args), { stdio: ["ignore", "pipe", "pipe"], ...(cwd !== undefined && { cwd }) });
    const said = Promise.all([child.stdout, child.stderr].map((stream) => stream.setEncoding("utf8").toArray()));
    const { promise, resolve } = Promise.withResolvers<number | null>();
    child.once("exit", resolve);
    if ((await promise) !== 0) throw new Error(`${args.join(" ")}: ${(await said).flat().join("")}`);
    return usedSeconds();
  } finally {
    removeGroup();
  }
}

/** Words of `sh` that start a program in the group. */
export function wordsInGroup(args: readonly string[]): readonly string[] {
  return ["-c", `echo $$ > ${group}/cgroup.procs && exec "$@"`, "sh", ...args];
}

export function makeGroup(): void {
  mkdirSync(group);
}

export function usedSeconds(): number {
  if (!isUnified) return Number(readFileSync(join(group, "cpuacct.usage"), "utf8")) / 1e9;
  return Number(/^usage_usec (\d+)$/m.exec(readFileSync(join(group, "cpu.stat"), "utf8"))?.[1]) / 1e6;
}

/** The kernel takes a moment to take leave of killed processes. */
export function removeGroup(): void {
  for (let tries = 0; ; tries += 1) {
    try {
      return rmdirSync(group);
    } catch (error) {
      if (tries === 50) throw error;
      spawnSync("sleep", ["0.1"]);
    }
  }
}
