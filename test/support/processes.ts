import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { outpostProgram } from "./built-program.ts";
import { compileCache } from "./compile-cache.ts";

const groups = new Set<number>();
process.once("exit", () => groups.forEach(killAll));

export interface LogLine {
  readonly level: string;
  readonly name: string;
  readonly msg: string;
  readonly [field: string]: unknown;
}

/**
 * `outpost …` as a process group of its own, without the environment of the tests. `through` is what it is started by (unshare, setpriv, a
 * shell that execs "$@"), `program` another one than that of this tree. Disposing kills it and its children.
 */
export class OutpostProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #stdout = "";
  #stderr = "";
  /** It ended, and all that it wrote is here. */
  #isRead = false;

  constructor(
    words: readonly string[],
    env: Readonly<Record<string, string>>,
    cwd: string,
    through: readonly string[] = [],
    program: readonly string[] = outpostProgram(),
  ) {
    const [first = "", ...rest] = [...through, process.execPath, ...program, ...words];
    this.#child = spawn(first, rest, {
      cwd,
      env: { PATH: "/usr/bin:/bin", NODE_COMPILE_CACHE: compileCache, ...env },
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    groups.add(this.pid);
    this.#child.stdout?.on("data", (chunk: Buffer) => (this.#stdout += chunk.toString()));
    this.#child.stderr?.on("data", (chunk: Buffer) => (this.#stderr += chunk.toString()));
    this.#child.once("close", () => (this.#isRead = true));
    this.#ended = once(this.#child, "exit").finally(() => groups.delete(this.pid));
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error("the process did not start");
    return this.#child.pid;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The lines of the log so far, without what is none (a sentence, a stack). */
  logLines(): LogLine[] {
    return this.#stderr
      .split("\n")
      .filter((line) => line.startsWith("{") && line.endsWith("}"))
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** Waits for a line with this message. Fails when the process ends before. */
  async logged(message: string, limitMs = 40_000): Promise<LogLine> {
    return until(
      `"${message}" in the log`,
      () => {
        const line = this.logLines().find(({ msg }) => msg === message);
        if (line === undefined && this.#child.exitCode !== null)
          throw new Stop(`the process ended with ${this.#child.exitCode}:\n${this.#stdout}${this.#stderr}`);
        return line;
      },
      limitMs,
    );
  }

  /** Waits for its end. @returns the exit code, or the signal that ended it */
  exit(limitMs = 30_000): Promise<number | NodeJS.Signals> {
    return until(
      "the end of the process",
      () => (this.#isRead ? (this.#child.exitCode ?? this.#child.signalCode ?? undefined) : undefined),
      limitMs,
    );
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** What a terminal does at Ctrl-C: the process and its children get the signal. */
  signalGroup(name: NodeJS.Signals): void {
    signalGroup(this.pid, name);
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (groups.has(this.pid)) killAll(this.pid);
    await this.#ended;
  }
}

/** The agent of `outpost up` has a group of its own, and must not survive a test that failed. */
function killAll(pid: number): void {
  for (const child of childrenOf(pid)) signalGroup(child, "SIGKILL");
  signalGroup(pid, "SIGKILL");
}

/** Known on Linux only; elsewhere a child is left to see that its parent ended. */
function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .trim()
      .split(" ")
      .filter((text) => text !== "")
      .map(Number);
  } catch {
    return [];
  }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    // the whole group is gone
  }
}

/** Thrown by a condition that can no longer come true. */
export class Stop extends Error {}

/** Asks until `found` answers something, and says what was missing when it does not. A failing question is asked again. */
export async function until<T>(
  what: string,
  found: () => T | undefined | false | Promise<T | undefined | false>,
  limitMs = 30_000,
): Promise<T> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    let trouble = "";
    try {
      const value = await found();
      if (value !== undefined && value !== false) return value;
    } catch (error) {
      if (error instanceof Stop) throw error;
      trouble = `; the last try failed: ${String(error)}`;
    }
    if (performance.now() > endMs) throw new Error(`${what}: not within ${limitMs} ms${trouble}`);
    await pause(50);
  }
}

export function pause(ms: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  setTimeout(resolve, ms);
  return promise;
}
