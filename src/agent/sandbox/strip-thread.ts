import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Stripped, StripTask } from "./strip-worker.ts";

const limitMs = 5_000;
const idleMs = 60_000;

/** Strips types in a thread that starts with the first task, ends when idle, and is replaced when a task broke it. One task at a time. */
export class StripThread {
  #worker: Worker | null = null;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  strip(task: StripTask): Promise<Stripped> {
    const turn = this.#lastTurn.then(() => this.#answer(task));
    this.#lastTurn = turn;
    return turn;
  }

  close(): void {
    clearTimeout(this.#idle);
    void this.#worker?.terminate();
    this.#worker = null;
  }

  async #answer(task: StripTask): Promise<Stripped> {
    clearTimeout(this.#idle);
    const stripped = await this.#asked(task);
    if ("isBroken" in stripped && stripped.isBroken) this.close();
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.close(), idleMs).unref();
    return stripped;
  }

  async #asked(task: StripTask): Promise<Stripped> {
    this.#worker ??= newWorker();
    this.#worker.ref();
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), limitMs);
    try {
      const answered = once(this.#worker, "message", { signal: stop.signal }) as Promise<[Stripped]>;
      this.#worker.postMessage(task);
      const [stripped] = await answered;
      return stripped;
    } catch {
      return { problem: "it is too deeply nested, or too long, to be read as TypeScript", line: null, isBroken: true };
    } finally {
      clearTimeout(timer);
    }
  }
}

function newWorker(): Worker {
  // The compiler rewrites import specifiers but not URLs, so the extension follows this file's own.
  const isSource = import.meta.url.endsWith(".ts");
  return new Worker(new URL(isSource ? "./strip-worker.ts" : "./strip-worker.js", import.meta.url), {
    name: "types",
    resourceLimits: { maxOldGenerationSizeMb: 128 },
    execArgv: ["--disable-warning=ExperimentalWarning"],
  }).on("error", () => {}); // told to whoever waits
}
