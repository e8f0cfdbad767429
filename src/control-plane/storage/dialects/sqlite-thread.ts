import { once } from "node:events";
import type { SQLInputValue } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { AppError } from "#domain/app-error.ts";
import { sqliteError } from "./database-errors.ts";
import { memoryOf } from "./packed-rows.ts";
import type { SqliteReply, SqliteRequest, SqliteThreadOptions } from "./sqlite-messages.ts";

interface Waiting {
  readonly resolve: (reply: SqliteReply) => void;
  readonly reject: (error: unknown) => void;
}

/** The main thread's end of a SQLite thread. Requests of one turn travel in one message and are answered in order. */
export class SqliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #unsent: SqliteRequest[] = [];
  #isSending = false;
  #lastId = 0;
  #ended: AppError | undefined;

  constructor(options: SqliteThreadOptions) {
    // The compiler rewrites import specifiers but not URLs, so the extension follows this file's own.
    const file = import.meta.url.endsWith(".ts") ? "./sqlite-worker.ts" : "./sqlite-worker.js";
    this.#worker = new Worker(new URL(file, import.meta.url), {
      workerData: options,
      name: options.readOnly ? "sqlite-reader" : "sqlite-writer",
    });
    this.#worker.on("message", (replies: readonly SqliteReply[]) => replies.forEach((reply) => this.#settle(reply)));
    this.#worker.on("error", (cause) => this.#end(new AppError("unavailable", "the database thread failed", { cause })));
    this.#worker.on("exit", () => this.#end(new AppError("unavailable", "the database is closed")));
  }

  /** @throws {AppError} unavailable or conflict, see `sqliteError` */
  run(sql: string, parameters: readonly SQLInputValue[], more: Pick<SqliteRequest, "rows" | "details"> = {}): Promise<SqliteReply> {
    if (this.#ended) return Promise.reject(this.#ended);
    const { promise, resolve, reject } = Promise.withResolvers<SqliteReply>();
    const id = ++this.#lastId;
    this.#waiting.set(id, { resolve, reject });
    if (!this.#isSending) queueMicrotask(() => this.#send());
    this.#isSending = true;
    this.#unsent.push({ id, sql, parameters, ...more });
    return promise;
  }

  /** Travels with the request after it, which fails with it; nothing comes back of it itself. */
  runWithNext(sql: string, parameters: readonly SQLInputValue[], more: Pick<SqliteRequest, "rows"> = {}): void {
    this.#unsent.push({ id: ++this.#lastId, sql, parameters, isUnawaited: true, ...more });
  }

  /** After everything that was asked before. The log of the database is written back to its file. */
  async close(): Promise<void> {
    if (this.#ended) return;
    const exited = once(this.#worker, "exit");
    queueMicrotask(() => this.#worker.postMessage("close"));
    await exited;
  }

  #send(): void {
    const requests = this.#unsent;
    this.#unsent = [];
    this.#isSending = false;
    this.#worker.postMessage(
      requests,
      requests.flatMap(({ rows }) => (rows ? memoryOf(rows) : [])),
    );
  }

  #settle(reply: SqliteReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.error) waiting?.reject(sqliteError(reply.error.message, reply.error.errcode));
    else waiting?.resolve(reply);
  }

  #end(error: AppError): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#ended);
    this.#waiting.clear();
  }
}
