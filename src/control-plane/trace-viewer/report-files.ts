import { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { Parser, type ReadEntry } from "tar";
import type { FileOutput } from "#contract/operation.ts";
import { AppError } from "#domain/app-error.ts";
import type { StreamedFile } from "../http/handler.ts";

/** What is shown in place; larger reports are there to be saved. */
const mostPackedBytes = 48 * 1024 * 1024;
const mostUnpackedBytes = 512 * 1024 * 1024;
const mostFileBytes = 32 * 1024 * 1024;

/** Reports that this process reads at a time: each takes a core, and memory for one file. */
const mostAtOnce = 4;
let reading = 0;

/**
 * One file of a report. Its archive is read up to there each time: the page stands first in it, and what else it shows is fetched one by one.
 *
 * @returns null where there is none
 * @throws {AppError} too_large; unavailable where others are read, or the archive is damaged
 */
export async function fileOfReport(report: FileOutput | StreamedFile, name: string): Promise<Buffer | null> {
  const size = "body" in report ? report.body.length : report.size;
  if (size > mostPackedBytes)
    throw new AppError(
      "too_large",
      `The report has ${size} bytes; up to ${mostPackedBytes} are shown here. Download it from the run's page`,
    );
  if (reading >= mostAtOnce) throw new AppError("unavailable", "Other reports are being read; try again in a moment");
  reading += 1;
  try {
    return await fileIn("body" in report ? Readable.from([report.body]) : await report.open(0, size), name);
  } finally {
    reading -= 1;
  }
}

async function fileIn(packed: Readable, name: string): Promise<Buffer | null> {
  const search = new Search(name);
  const gunzip = packed.pipe(createGunzip());
  packed.on("error", (error) => gunzip.destroy(error));
  try {
    let bytes = 0;
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      if (bytes === 0 && isPacked(chunk)) throw new Error("it is packed twice");
      bytes += chunk.length;
      if (bytes > mostUnpackedBytes) throw new AppError("too_large", `The report unpacks to more than ${mostUnpackedBytes} bytes`);
      search.write(chunk);
      if (search.isOver) break;
    }
    return search.found;
  } catch (cause) {
    throw cause instanceof AppError ? cause : new AppError("unavailable", "The report cannot be read: its archive is damaged", { cause });
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

/** The parser would unpack it without a word, past what is counted here. */
function isPacked(chunk: Buffer): boolean {
  const magic = chunk.length < 2 ? 0 : chunk.readUInt16BE(0);
  return magic === 0x1f8b || magic === 0x28b5;
}

class Search {
  found: Buffer | null = null;
  isOver = false;
  readonly #name: string;
  readonly #tar = new Parser({ strict: true, onReadEntry: (entry) => this.#take(entry) });
  #problem: Error | null = null;

  constructor(name: string) {
    this.#name = name;
    this.#tar.on("error", (error: Error) => (this.#problem ??= error));
    this.#tar.on("eof", () => (this.isOver = true));
  }

  /** @throws where the archive is damaged, or the file is too large */
  write(chunk: Buffer): void {
    this.#tar.write(chunk);
    if (this.#problem !== null && !this.isOver) throw this.#problem;
  }

  #take(entry: ReadEntry): void {
    const isWanted = !this.isOver && entry.type === "File" && entry.path.replace(/^\.\//, "") === this.#name;
    if (isWanted && entry.size <= mostFileBytes) this.#collect(entry);
    else entry.resume();
    if (isWanted && entry.size > mostFileBytes)
      this.#problem = new AppError("too_large", `${this.#name} of the report has more than ${mostFileBytes} bytes`);
  }

  #collect(entry: ReadEntry): void {
    const parts: Buffer[] = [];
    entry.on("data", (part: Buffer) => parts.push(Buffer.from(part)));
    entry.on("end", () => {
      this.found = Buffer.concat(parts);
      this.isOver = true;
    });
  }
}
