import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Duplex } from "node:stream";
import type { EgressProxy } from "../egress/egress-proxy.ts";
import type { Network } from "../egress/network.ts";
import { type ChildEnd, type ChildLine, type LogEntry, readChildLine } from "./child-line.ts";
import { type Launch, processLimits } from "./launch.ts";
import { dataBytes, limitProcess, residentBytes, workingProcess } from "./process-limits.ts";
import type { ScriptMade } from "./sandbox.ts";
import type { ScriptLimits } from "./script-limits.ts";

/** How a phase ended. `script` is the place of the one that ran. */
export type ChildOutcome = { readonly script: number; readonly log: readonly LogEntry[]; readonly made: readonly ScriptMade[] } & (
  | { readonly how: "answered"; readonly end: ChildEnd }
  | { readonly how: "late" | "memory" | "output" | "answer-too-large" | "garbled" | "aborted" }
  | { readonly how: "died"; readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly isOutOfMemory: boolean }
);

type Stop = Exclude<ChildOutcome["how"], "answered" | "died">;

/** Ends of V8 that say no more than a signal; what the first of them writes names it. */
const outOfMemory = /heap out of memory|Fatal process OOM|allocation failed|std::bad_alloc|Zone Allocation/i;
const keptOfErrors = 16 * 1024;
/** Letters of a log may take six times their bytes as JSON, and each entry has its frame. */
const streamFactor = 8;
/** An entry of a log counts 64 bytes at least, and variables are told at most as often: far more than an honest child has. */
const mostLines = 40_000;
/** What is killed is gone within this; whatever still holds its pipes then is not waited for. */
const goneMs = 2_000;

/** One process for one phase. Whatever happens to it, `end` is final: it is never used again. */
export class ScriptChild {
  readonly #process: ChildProcess;
  readonly #limits: ScriptLimits;
  readonly #egress: EgressProxy;
  readonly #limitsItself: boolean;
  readonly #exited: Promise<unknown>;
  /** It answered, or was stopped. */
  readonly #decided = Promise.withResolvers<void>();
  readonly #lines = new LineReader();
  readonly #log: LogEntry[] = [];
  readonly #made: ScriptMade[] = [];
  #stopped: Stop | null = null;
  #errors = "";
  #outputBytes = 0;
  #streamBytes = 0;
  #logBytes = 0;
  #lineCount = 0;
  #script = 0;
  #end: ChildEnd | null = null;
  #onReady: (() => void) | null = null;
  #onScript: (() => void) | null = null;

  /** @param egress its way into the network, which ends with it */
  constructor(launch: Launch, limits: ScriptLimits, egress: EgressProxy) {
    this.#limits = limits;
    this.#egress = egress;
    this.#limitsItself = launch.limitsItself;
    this.#process = spawn(launch.command, launch.args, {
      cwd: "/",
      env: launch.env,
      detached: true, // a process group of its own, to be killed as one
      stdio: ["ignore", "pipe", "pipe", "pipe", "pipe", launch.filter === null ? "ignore" : "pipe"],
    });
    this.#exited = once(this.#process, "close").catch((error: Error) => (this.#errors = error.message)); // it did not start
    this.#process.once("exit", () => this.#killGroup()); // what it may have left in its group
    this.#process.stdout?.on("data", (chunk: Buffer) => this.#count(chunk));
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      if (this.#errors.length < keptOfErrors) this.#errors += chunk.toString("latin1");
      this.#count(chunk);
    });
    for (const stream of this.#process.stdio.slice(3)) stream?.on("error", () => {}); // it ended before it read; `exited` tells
    this.#pipe(4).on("data", (chunk: Buffer) => this.#read(chunk));
    if (launch.filter !== null) this.#pipe(5).end(launch.filter);
  }

  get hasExited(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null || this.#process.pid === undefined;
  }

  /** What it holds while it waits. */
  idleBytes(): number | null {
    return this.#process.pid === undefined ? null : dataBytes(workingProcess(this.#process.pid));
  }

  /** Resolves with null when the child waits for its phase, or with why it does not, in its own words. */
  async ready(): Promise<string | null> {
    const { promise: isReady, resolve } = Promise.withResolvers<null>();
    this.#onReady = () => resolve(null);
    const timer = setTimeout(() => this.#stop("late"), this.#limits.startMs);
    const failed = this.#exited.then(() => this.#errors.trim().split("\n")[0]?.slice(0, 300) || "it ended without a word");
    return Promise.race([isReady, failed]).finally(() => clearTimeout(timer));
  }

  /** Hands over one phase and waits for its end, then kills what is left. `count`: how many scripts it has. @throws {Error} when the kernel refuses its limits */
  async run(order: object, count: number, network: Network, signal: AbortSignal): Promise<ChildOutcome> {
    if (signal.aborted) this.#stop("aborted");
    const { pid } = this.#process;
    const working = pid === undefined ? null : workingProcess(pid);
    if (working !== null) this.#limit(working, count);
    const watch = working === null ? undefined : this.#watchMemory(working);
    const onAbort = (): void => this.#stop("aborted");
    signal.addEventListener("abort", onAbort, { once: true });
    const deadline = this.#deadline(count);
    const { port, authorization } = this.#egress;
    this.#egress.serve(network);
    this.#pipe(3).end(`${JSON.stringify({ ...order, egress: { port, authorization } })}\n`);
    await Promise.race([this.#exited, this.#decided.promise]);
    deadline.clear();
    clearInterval(watch);
    signal.removeEventListener("abort", onAbort);
    this.kill();
    return this.#outcome();
  }

  /** The whole process group; the kernel does it before it returns to what is killed. */
  kill(): void {
    this.#egress.close();
    if (!this.hasExited && !this.#killGroup()) this.#process.kill("SIGKILL"); // it has no group yet
  }

  /** Kills it and waits until it is gone, with all that it started. */
  async close(): Promise<void> {
    this.kill();
    const timer = setTimeout(() => {
      for (const stream of this.#process.stdio) stream?.destroy();
    }, goneMs);
    await this.#exited;
    clearTimeout(timer);
  }

  /** An idle child does not keep the agent alive. */
  unref(): void {
    this.#process.unref();
  }

  /** Whether there is one. */
  #killGroup(): boolean {
    const { pid } = this.#process;
    if (pid === undefined) return false;
    try {
      return process.kill(-pid, "SIGKILL");
    } catch {
      return false;
    }
  }

  #pipe(fd: 3 | 4 | 5): Duplex {
    return (this.#process.stdio as readonly unknown[])[fd] as Duplex; // asked for as a pipe above, both ways
  }

  /** One that limited itself is limited more closely where that is allowed. One that ended is told about by its end. */
  #limit(pid: number, count: number): void {
    const refused = limitProcess(pid, processLimits(this.#limits, count));
    if (refused === null || refused === "ESRCH" || this.#limitsItself) return;
    throw new Error(`a process for scripts cannot be limited: ${refused}`);
  }

  /** Each script has its time from the moment it begins. What says so is not trusted, so all have no more than theirs together. */
  #deadline(count: number): { clear(): void } {
    const late = (): void => this.#stop("late");
    let timer = setTimeout(late, this.#limits.scriptMs);
    const all = setTimeout(late, this.#limits.scriptMs * count);
    this.#onScript = () => {
      clearTimeout(timer);
      timer = setTimeout(late, this.#limits.scriptMs);
    };
    return {
      clear() {
        clearTimeout(timer);
        clearTimeout(all);
      },
    };
  }

  #watchMemory(pid: number): NodeJS.Timeout {
    const mostBytes = (residentBytes(pid) ?? 0) + this.#limits.memoryBytes;
    return setInterval(() => {
      if ((residentBytes(pid) ?? 0) + this.#egress.queuedBytes() > mostBytes) this.#stop("memory");
    }, this.#limits.watchMs);
  }

  #count(chunk: Buffer): void {
    this.#outputBytes += chunk.length;
    if (this.#outputBytes > this.#limits.outputBytes) this.#stop("output");
  }

  #read(chunk: Buffer): void {
    if (this.#stopped !== null || this.#end !== null) return;
    this.#streamBytes += chunk.length;
    if (this.#streamBytes > this.#limits.answerBytes + this.#limits.logBytes * streamFactor) return this.#stop("garbled");
    for (const text of this.#lines.read(chunk)) {
      this.#lineCount += 1;
      const line = this.#lineCount > mostLines ? null : readChildLine(text);
      if (line === null) return this.#stop("garbled");
      this.#take(line);
      if (this.#end !== null) return;
    }
    if (this.#lines.openBytes > this.#limits.answerBytes) this.#stop("answer-too-large");
  }

  #take(line: ChildLine): void {
    switch (line.t) {
      case "ready":
        return this.#onReady?.();
      case "script":
        if (line.index <= this.#script && line.index > 0) return;
        this.#script = line.index;
        return this.#onScript?.();
      case "made":
        this.#made.push({ env: line.env, headers: line.headers });
        return;
      case "log":
        return this.#keep(line);
      case "end":
        this.#end = line;
        return this.#decided.resolve(); // it has nothing more to say
    }
  }

  #keep({ time, level, msg }: LogEntry): void {
    this.#logBytes += Buffer.byteLength(msg) + 1;
    if (this.#logBytes <= this.#limits.logBytes * 2) this.#log.push({ time, level, msg });
  }

  #stop(why: Stop): void {
    this.#stopped ??= why;
    this.kill();
    this.#decided.resolve();
  }

  #outcome(): ChildOutcome {
    const about = { script: this.#script, log: this.#log, made: this.#made };
    if (this.#end !== null) return { ...about, how: "answered", end: this.#end };
    if (this.#stopped !== null) return { ...about, how: this.#stopped };
    const { exitCode: code, signalCode: signal } = this.#process;
    return { ...about, how: "died", code, signal, isOutOfMemory: outOfMemory.test(this.#errors) };
  }
}

/** Lines of a stream; what has no end yet is kept. */
class LineReader {
  #open: Buffer[] = [];
  openBytes = 0;

  read(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let to = chunk.indexOf(10); to >= 0; to = chunk.indexOf(10, from)) {
      this.#open.push(chunk.subarray(from, to));
      lines.push(Buffer.concat(this.#open).toString("utf8"));
      this.#open = [];
      this.openBytes = 0;
      from = to + 1;
    }
    if (from < chunk.length) this.#open.push(chunk.subarray(from));
    this.openBytes += chunk.length - from;
    return lines;
  }
}
