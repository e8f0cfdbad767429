import { once } from "node:events";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import { codeBundleLimits } from "#contract/code-bundles.ts";
import { AppError } from "#domain/app-error.ts";
import { BundleEntries } from "#domain/bundle-entries.ts";
import { entryKind } from "#domain/entry-kinds.ts";

/** Headers, what fills up blocks, and long names, of each entry. */
const aroundEntryBytes = 4_096;
const mostTarBytes = codeBundleLimits.unpackedBytes + codeBundleLimits.entries * aroundEntryBytes;

const mostAfterEndBytes = 1_048_576;

/**
 * Reads through a `.tar.gz` as it comes, and keeps nothing of it. The same package unpacks it at the agent, so both see the same entries.
 *
 * Every call throws AppError invalid_input that says what is wrong.
 */
export class BundleInspection {
  readonly #gunzip = createGunzip();
  readonly #entries = new BundleEntries(codeBundleLimits);
  readonly #read: Promise<void>;
  #problem: AppError | null = null;

  constructor() {
    this.#read = this.#through();
    this.#read.catch(() => undefined); // told by `write` and `end`
    this.#gunzip.on("error", () => undefined); // as above
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#throwIfRefused();
    if (this.#gunzip.write(bytes)) return;
    await Promise.race([once(this.#gunzip, "drain"), this.#read]);
    this.#throwIfRefused();
  }

  async end(): Promise<{ readonly files: number; readonly unpackedSize: number }> {
    this.#gunzip.end();
    await this.#read;
    return { files: this.#entries.files, unpackedSize: this.#entries.unpackedBytes };
  }

  /** For one that is given up. */
  close(): void {
    this.#gunzip.destroy();
  }

  #throwIfRefused(): void {
    if (this.#problem !== null) throw this.#problem;
  }

  async #through(): Promise<void> {
    try {
      await this.#readTar();
    } catch (cause) {
      this.#problem = cause instanceof AppError ? cause : refusal("it is no whole .tar.gz", cause);
      this.#gunzip.destroy();
      throw this.#problem;
    }
  }

  async #readTar(): Promise<void> {
    const tar = new Parser({ strict: true, onReadEntry: (entry) => this.#take(entry) });
    const ended = Promise.withResolvers<void>();
    ended.promise.catch(() => undefined); // it is waited for at the end
    let broken: Error | undefined;
    let hasEnded = false;
    // Behind the end it says only that there was no entry, which command-line clients may send.
    tar.on("error", (error: Error) => (broken ??= hasEnded ? undefined : error)).on("ignoredEntry", (entry) => this.#take(entry));
    tar.on("eof", () => (hasEnded = true)).on("end", () => ended.resolve());
    let [bytes, afterEnd] = [0, 0];
    for await (const chunk of this.#gunzip as AsyncIterable<Buffer>) {
      if (bytes === 0 && isPacked(chunk)) throw refusal("it is packed twice");
      bytes += chunk.length;
      if (bytes > mostTarBytes) throw refusal(`it unpacks to more than ${mostTarBytes} bytes`);
      // The end is filled up to a whole record; unpackers pass over what else is there.
      if (hasEnded && chunk.some((byte) => byte !== 0)) throw refusal("there is something behind the end of its tar");
      if (hasEnded) afterEnd += chunk.length;
      else tar.write(chunk);
      if (afterEnd > mostAfterEndBytes) throw refusal(`it goes on for more than ${mostAfterEndBytes} bytes behind the end of its tar`);
      if (broken !== undefined) throw broken;
    }
    tar.end();
    if (broken !== undefined) throw broken;
    await ended.promise;
  }

  #take(entry: ReadEntry): void {
    const { path, type, linkpath = "", size } = entry;
    const problem = this.#entries.take({ path, kind: entryKind(type), target: linkpath, bytes: size });
    if (problem !== null) throw refusal(problem);
    entry.resume();
  }
}

/** The parser would unpack it without a word. */
function isPacked(chunk: Buffer): boolean {
  const magic = chunk.readUInt16BE(0);
  return magic === 0x1f8b || magic === 0x28b5;
}

function refusal(problem: string, cause?: unknown): AppError {
  return new AppError("invalid_input", `The code bundle cannot be used: ${problem}`, { cause });
}
