import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { FakeControlPlane } from "../../test/support/fake-control-plane.ts";
import { freePort } from "../../test/support/free-ports.ts";

export const nodeFlags = ["--disable-warning=ExperimentalWarning", "--conditions=source"] as const;

/** A child that is stopped when the block ends. */
export class Child implements AsyncDisposable {
  readonly process: ChildProcess;

  constructor(command: string, args: readonly string[], env: Record<string, string> = {}) {
    this.process = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] });
    this.process.stdout?.resume();
  }

  get pid(): number {
    if (this.process.pid === undefined) throw new Error(`${this.process.spawnfile} did not start`);
    return this.process.pid;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const exited = once(this.process, "exit");
    this.process.kill("SIGTERM");
    const forced = setTimeout(() => this.process.kill("SIGKILL"), 10_000);
    await exited;
    clearTimeout(forced);
  }
}

/** As the image runs it: bundled, with the image's own flags and settings. `npm run build` comes first. */
export const outpost = (command: "agent" | "control-plane", env: Record<string, string>): Child =>
  new Child(process.execPath, [...imageFlags(command), new URL(`../../dist/${command}/cli.js`, import.meta.url).pathname, command], {
    ...imageSettings(command),
    ...env,
  });

/** An agent that is ready. @param env beside what every agent needs */
export async function readyAgent({ key, url }: Pick<FakeControlPlane, "key" | "url">, env: Record<string, string>): Promise<Child> {
  const health = await freePort();
  const agent = outpost("agent", { API_KEY: key, API_URL: url.href, AGENT_HEALTH_PORT: String(health), LOG_LEVEL: "WARN", ...env });
  await untilOk(`http://127.0.0.1:${health}/-/readiness`);
  return agent;
}

const dockerfile = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");

/** Images of an agent have an entry point of their own, after the one that all share. */
export function imageFlags(command: "agent" | "control-plane"): string[] {
  const extra = process.env["BENCH_NODE_FLAGS"]?.split(" ") ?? [];
  const entries = [...dockerfile.matchAll(/^ENTRYPOINT (.*)$/gm)].map(([, words = "[]"]) => JSON.parse(words) as string[]);
  const entry = command === "agent" ? entries.at(-1) : entries[0];
  return [...(entry ?? []).filter((word) => /^--\w/.test(word)), ...extra];
}

/** How the image, and what it is made from, tell the C library to hold little memory. */
export function imageSettings(command: "agent" | "control-plane"): Record<string, string> {
  const stages = dockerfile
    .split(/^FROM /m)
    .filter((stage) => stage.startsWith("scratch AS base\n") || stage.startsWith(`base AS ${command}`));
  return Object.fromEntries([...stages.join("").matchAll(/\b(MALLOC_\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value]));
}

export const script = (name: string, args: readonly string[] = [], env: Record<string, string> = {}): Child =>
  new Child(process.execPath, [...nodeFlags, new URL(name, import.meta.url).pathname, ...args], env);

/** User and system time of a process so far, seconds (`/proc/<pid>/stat`, in ticks of 10 ms). */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Resident memory in MB: now, and the highest so far. */
export function memoryMb(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? Number.NaN);
  return { now: kilobytes("VmRSS") / 1024, peak: kilobytes("VmHWM") / 1024 };
}

/** Asks until the answer is 200. @returns milliseconds it took */
export async function untilOk(url: string, limitMs = 60_000): Promise<number> {
  const started = performance.now();
  for (;;) {
    const ok = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    );
    if (ok) return performance.now() - started;
    if (performance.now() - started > limitMs) throw new Error(`${url} did not answer 200 within ${limitMs} ms`);
    await pause(5);
  }
}

export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((p / 100) * sorted.length))] ?? Number.NaN;
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Until a process has no child, as a control plane has while it looks through its store for damage after a start. */
export async function untilAlone(pid: number): Promise<void> {
  while (readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8") !== "") await pause(1_000);
}
