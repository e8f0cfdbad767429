import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { AppError } from "#domain/app-error.ts";

export interface PackingRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

export interface PackingReply {
  readonly id: number;
  readonly literal: string;
}

/**
 * Packs details for PostgreSQL in a thread: packing and writing the bytes as text cost more than everything else that a result costs the main loop.
 * SQLite packs in its own thread, where the row is written.
 */
export class PackingThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<string>>();
  #lastId = 0;
  #ended: AppError | undefined;

  constructor(dictionary: Uint8Array) {
    // The compiler rewrites import specifiers but not URLs, so the extension follows this file's own.
    const file = import.meta.url.endsWith(".ts") ? "./packing-worker.ts" : "./packing-worker.js";
    this.#worker = new Worker(new URL(file, import.meta.url), { workerData: { dictionary }, name: "packing" });
    this.#worker.on("message", ({ id, literal }: PackingReply) => {
      this.#waiting.get(id)?.resolve(literal);
      this.#waiting.delete(id);
    });
    this.#worker.on("error", (cause) => this.#end(new AppError("unavailable", "the packing thread failed", { cause })));
    this.#worker.on("exit", () => this.#end(new AppError("unavailable", "the database is closed")));
  }

  /** @returns the literal of a `bytea[]`, in the order of `texts` */
  arrayLiteral(texts: readonly string[]): Promise<string> {
    if (this.#ended) return Promise.reject(this.#ended);
    const waiting = Promise.withResolvers<string>();
    const id = ++this.#lastId;
    this.#waiting.set(id, waiting);
    const request: PackingRequest = { id, texts };
    this.#worker.postMessage(request);
    return waiting.promise;
  }

  async close(): Promise<void> {
    if (this.#ended) return;
    const exited = once(this.#worker, "exit");
    this.#worker.postMessage("close");
    await exited;
  }

  #end(error: AppError): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
