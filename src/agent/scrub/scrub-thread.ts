import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { withDeadline } from "#daemon/deadline.ts";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";
import type { FileVerdict, ThreadTask } from "./file-task.ts";

export interface ScrubThreadLimits {
  /** One file of 150 MB takes a second or two. */
  readonly taskMs: number;
  /** Heap; buffers are beside it. Scrubbers of 100 secrets and the directory of an archive are a few MB. */
  readonly heapMb: number;
  /** How long a thread without a task is kept. */
  readonly idleMs: number;
}

const startMs = 10_000;

/**
 * Scrubs files in one worker thread, one after the other, so that they delay no run's times. It starts with the first task and
 * ends when it was idle for a while. A thread that failed, or was too slow, is not used again.
 */
export class ScrubThread {
  readonly #limits: ScrubThreadLimits;
  #lastTurn: Promise<void> = Promise.resolve();
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;

  constructor(limits: ScrubThreadLimits = { taskMs: 120_000, heapMb: 64, idleMs: 10_000 }) {
    this.#limits = limits;
  }

  /** Withholds where the thread ended or did not end in time. @throws the reason of `signal`, at once; the file system's errors */
  async scrub(task: ThreadTask, signal: AbortSignal): Promise<FileVerdict> {
    const before = this.#lastTurn;
    const turn = Promise.withResolvers<void>();
    this.#lastTurn = turn.promise;
    try {
      await untilAborted(signal, before);
      return await this.#answer(task, signal);
    } finally {
      void before.then(turn.resolve);
    }
  }

  /** Ends the thread; the next task starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #answer(task: ThreadTask, signal: AbortSignal): Promise<FileVerdict> {
    clearTimeout(this.#idle);
    let verdict: FileVerdict | null = null;
    try {
      const worker = await this.#started(signal);
      verdict = await withDeadline(signal, this.#limits.taskMs, "scrubbing", (limited) => answerOf(worker, task, limited));
      return verdict;
    } catch (error) {
      signal.throwIfAborted();
      return { is: "withheld", reason: reasonOf(error, this.#limits.taskMs) };
    } finally {
      if (verdict === null)
        await this.close(); // before its files are removed
      else this.#rest();
    }
  }

  async #started(signal: AbortSignal): Promise<Worker> {
    this.#worker?.ref();
    if (this.#worker !== null) return this.#worker;
    const worker = newWorker(this.#limits.heapMb);
    this.#worker = worker;
    worker.once("exit", () => {
      if (this.#worker === worker) this.#worker = null;
    });
    await withDeadline(signal, startMs, "its start", (limited) => once(worker, "message", { signal: limited }));
    return worker;
  }

  #rest(): void {
    this.#worker?.unref();
    this.#idle = setTimeout(() => void this.close(), this.#limits.idleMs).unref();
  }
}

function newWorker(heapMb: number): Worker {
  // The compiler rewrites import specifiers but not URLs, so the extension follows this file's own.
  const isSource = import.meta.url.endsWith(".ts");
  const worker = new Worker(new URL(isSource ? "./scrub-worker.ts" : "./scrub-worker.js", import.meta.url), {
    name: "scrub",
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 },
    // `#domain/…` is source there, however this process was started.
    ...(isSource ? { execArgv: ["--disable-warning=ExperimentalWarning", "--conditions=source"] } : {}),
  });
  return worker.on("error", () => {}); // told to whoever waits; an idle thread that ends is started again
}

async function answerOf(worker: Worker, task: ThreadTask, signal: AbortSignal): Promise<FileVerdict> {
  const ended = new AbortController();
  try {
    const gone = once(worker, "exit", { signal: ended.signal }).then(() => {
      throw new Error("the thread ended");
    });
    const answered = once(worker, "message", { signal: ended.signal }) as Promise<[FileVerdict]>;
    worker.postMessage(task);
    const [verdict] = await untilAborted(signal, Promise.race([answered, gone]));
    return verdict;
  } finally {
    ended.abort();
  }
}

function reasonOf(error: unknown, taskMs: number): string {
  if (error instanceof AppError && error.code === "deadline_exceeded") return `it took longer than ${taskMs / 1_000} s`;
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return `the thread that scrubs files failed${code}`;
}
