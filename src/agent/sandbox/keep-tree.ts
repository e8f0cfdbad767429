import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex, Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { type LauncherOrder, launcher } from "./launcher-order.ts";

/** Of a whole tree of processes; who takes more is killed with all of it. */
export interface TreeLimits {
  /** Its share of what it has in memory. */
  readonly memoryBytes: number;
  readonly processes: number;
  /** Of the files below its folder. */
  readonly folderBytes: number;
}

const excesses = ["memory", "processes", "folder"] as const;
export type TreeExcess = (typeof excesses)[number];

/** What a keeper tells. It is ours and runs nobody's code, but reads what others name. */
const KeeperLine = z.union([
  z.object({ exit: z.union([z.number(), z.string(), z.null()]) }),
  z.object({ excess: z.enum(excesses) }),
  z.object({ left: z.number() }),
]);

interface KeeperOrder {
  readonly launcher: readonly string[];
  readonly order: Omit<LauncherOrder, "parentPid">;
  readonly limits: TreeLimits;
  /** Current folder of the tree, and all that it may fill. */
  readonly folder: string;
}

/** Beside the module that starts it, where the bundler puts it too. */
const keeper = fileURLToPath(new URL("./keeper.cjs", import.meta.url));
/** A keeper that does not end by itself within this is killed; it is outside of the fence, so nobody keeps it from ending. */
const keeperLimitMs = 6_000;
const keptOfErrors = 16 * 1024;

/**
 * A tree of processes in a fence, below a keeper (`keeper.cjs`). It reads its orders from descriptor 3 and answers on descriptor 4. With this
 * process it ends, too.
 */
export class KeptTree {
  readonly answers: Readable;
  /** Resolves when its program has ended, by itself or not. */
  readonly exited: Promise<void>;
  readonly #process: ChildProcess;
  readonly #gone: Promise<unknown>;
  #excess: TreeExcess | null = null;
  #errors = "";
  #lastErrors = "";
  #exit: number | string | null = null;
  #lines = "";
  #left = 0;
  #hasExited = false;

  constructor(order: Omit<LauncherOrder, "parentPid">, limits: TreeLimits, folder: string) {
    const words: KeeperOrder = { launcher: ["--no-warnings", "--max-semi-space-size=1", launcher], order, limits, folder };
    this.#process = spawn(process.execPath, ["--no-warnings", "--max-semi-space-size=1", keeper, JSON.stringify(words)], {
      cwd: "/",
      env: {},
      detached: true,
      stdio: ["pipe", "pipe", "pipe", "pipe", "pipe"],
    });
    const ended = Promise.withResolvers<void>();
    this.exited = ended.promise.then(() => void (this.#hasExited = true));
    this.#gone = once(this.#process, "exit").catch((error: Error) => (this.#errors ||= error.message)); // it did not start
    void this.#gone.then(() => ended.resolve());
    for (const stream of this.#process.stdio) stream?.on("error", () => {}); // it ended before it read
    this.#process.stdout?.on("data", (chunk: Buffer) => this.#read(chunk.toString("latin1"), ended.resolve));
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      if (this.#errors.length < keptOfErrors) this.#errors += chunk.toString("latin1");
      this.#lastErrors = (this.#lastErrors + chunk.toString("latin1")).slice(-keptOfErrors);
    });
    this.answers = this.#pipe(4);
  }

  /** Its program has ended, or was killed. */
  get hasExited(): boolean {
    return this.#hasExited || this.#process.exitCode !== null || this.#process.signalCode !== null || this.#process.pid === undefined;
  }

  /** What it took too much of. */
  get excess(): TreeExcess | null {
    return this.#excess;
  }

  /** What its program said on standard error, from the beginning. */
  get errors(): string {
    return this.#errors;
  }

  /** What its program said there last. */
  get lastErrors(): string {
    return this.#lastErrors;
  }

  /** Status of its program, or the signal that ended it; null before. */
  get exit(): number | string | null {
    return this.#exit;
  }

  /** All that it is told, once. From here on it is watched: what runs before is ours. */
  order(text: string): void {
    this.#process.stdin?.write("\n");
    this.#pipe(3).end(text);
  }

  unref(): void {
    this.#process.unref();
    for (const stream of this.#process.stdio) (stream as Partial<{ unref(): void }> | null)?.unref?.();
  }

  kill(): void {
    this.#process.stdin?.end();
  }

  /** Kills all of it. @returns how many processes could not be killed */
  async close(): Promise<number> {
    this.kill();
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), keeperLimitMs);
    await this.#gone;
    clearTimeout(timer);
    for (const stream of this.#process.stdio) stream?.destroy();
    return this.#left;
  }

  #read(text: string, onEnd: () => void): void {
    const lines = (this.#lines + text).split("\n");
    this.#lines = lines.pop() ?? "";
    for (const line of lines) {
      const told = KeeperLine.parse(JSON.parse(line));
      if ("exit" in told) this.#exit = told.exit;
      else if ("excess" in told) this.#excess = told.excess;
      else if ("left" in told) this.#left = told.left;
      onEnd();
    }
  }

  /** Pipes beyond the usual three are sockets. */
  #pipe(descriptor: 3 | 4): Duplex {
    return this.#process.stdio[descriptor] as Duplex;
  }
}
