import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw, type Gunzip } from "node:zlib";
import { Withheld } from "./scrub-job.ts";

/** Bytes that can be read again. A chunk is valid until the next one is asked for. */
export interface Content {
  readonly name: string;
  chunks(): Iterable<Buffer> | AsyncIterable<Buffer>;
}

const chunkBytes = 131_072;
/** A file of this process that has no name, see `artifacts/raw-file.ts`. */
const ownDescriptor = /^\/proc\/self\/fd\/\d+$/;

/** A file that is open for reading, by its descriptor. */
export class OpenFile implements Disposable {
  readonly fd: number;
  readonly size: number;

  /** A link, a pipe or a device is no file. @throws an error of the file system, or {Withheld} */
  constructor(path: string) {
    const noLinks = ownDescriptor.test(path) ? 0 : constants.O_NOFOLLOW;
    this.fd = openSync(path, constants.O_RDONLY | noLinks | constants.O_NONBLOCK);
    const stat = fstatSync(this.fd);
    if (!stat.isFile()) {
      closeSync(this.fd);
      throw new Withheld("it is not a regular file");
    }
    this.size = stat.size;
  }

  /** @throws {Withheld} where the file is shorter */
  bytes(from: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let read = 0;
    while (read < length) {
      const more = readSync(this.fd, bytes, read, length - read, from + read);
      if (more === 0) throw new Withheld("it ends too early");
      read += more;
    }
    return bytes;
  }

  range(name: string, from: number, length: number): Content {
    return { name, chunks: () => this.#range(from, length) };
  }

  *#range(from: number, length: number): Generator<Buffer> {
    const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, length));
    for (let at = 0; at < length; ) {
      const read = readSync(this.fd, buffer, 0, Math.min(buffer.length, length - at), from + at);
      if (read === 0) throw new Withheld("it ends too early");
      yield buffer.subarray(0, read);
      at += read;
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.fd);
  }
}

/** A new file that is written from its beginning to its end, and patched before. */
export class NewFile implements Disposable {
  position = 0;
  readonly #fd: number;

  /** @throws where the path exists */
  constructor(path: string) {
    this.#fd = openSync(path, "wx", 0o600);
  }

  readonly write = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at, bytes.length - at);
    this.position += bytes.length;
  };

  /** Bytes that were written already. */
  patch(bytes: Uint8Array, at: number): void {
    writeSync(this.#fd, bytes, 0, bytes.length, at);
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

const engines = {
  gunzip: () => createGunzip({ chunkSize: chunkBytes }),
  inflate: () => createInflateRaw({ chunkSize: chunkBytes }),
  gzip: () => createGzip({ chunkSize: chunkBytes }),
  deflate: () => createDeflateRaw({ chunkSize: chunkBytes }),
};

/**
 * The bytes packed or unpacked.
 *
 * @param onEnd gets how many bytes the engine took in, which are fewer where something follows the packed data
 */
export async function* through(
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  how: keyof typeof engines,
  onEnd: (taken: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const engine = engines[how]() as Gunzip;
  const feeding = pipeline(copies(source), engine);
  feeding.catch(() => undefined); // met below, or the reader left
  try {
    for await (const chunk of engine) yield chunk as Buffer;
    await feeding;
    onEnd(engine.bytesWritten);
  } catch (error) {
    throw isDamage(error) ? new Withheld("it is damaged") : error;
  } finally {
    engine.destroy();
  }
}

/** The engine works on them later, in a thread of its own. */
async function* copies(source: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of source) yield Buffer.from(chunk);
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("Z_");
}
