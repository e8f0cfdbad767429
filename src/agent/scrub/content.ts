import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createDeflateRaw, createGunzip, createGzip, createInflateRaw, type Gunzip, inflateRawSync, constants as zlib } from "node:zlib";
import { type ScrubJob, Withheld } from "./scrub-job.ts";

/** Bytes that can be read again. A chunk is valid until the next one is asked for. */
export interface Content {
  readonly name: string;
  chunks(): Iterable<Buffer> | AsyncIterable<Buffer>;
  /** All of it, where it is short. */
  readonly whole?: () => Buffer;
}

/** A short content. */
export function inMemory(name: string, whole: () => Buffer): Content {
  return { name, whole, chunks: () => [whole()] };
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

/** What is packed again lies here for minutes: packing it three times as fast is worth its tenth more. */
const packing = { chunkSize: chunkBytes, level: zlib.Z_BEST_SPEED };
const leastChunkBytes = zlib.Z_MIN_CHUNK;
const engines = {
  gunzip: () => createGunzip({ chunkSize: chunkBytes }),
  inflate: () => createInflateRaw({ chunkSize: chunkBytes }),
  gzip: () => createGzip(packing),
  deflate: () => createDeflateRaw(packing),
};
/** What the engines do in threads of the system, which cannot be measured from here: ms for each byte that is not packed. */
const engineMs = { gunzip: 1 / 300_000, inflate: 1 / 300_000, gzip: 1 / 100_000, deflate: 1 / 100_000 } as const;

/**
 * The bytes packed or unpacked.
 *
 * @param job is told what that costs
 * @param onEnd gets how many bytes the engine took in, which are fewer where something follows the packed data
 */
export async function* through(
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  how: keyof typeof engines,
  job: Pick<ScrubJob, "spend">,
  onEnd: (taken: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const engine = engines[how]() as Gunzip;
  const isPacking = how === "gzip" || how === "deflate";
  const spend = (chunk: Buffer): void => job.spend(chunk.length * engineMs[how]);
  const feeding = pipeline(copies(source, isPacking ? spend : () => undefined), engine);
  feeding.catch(() => undefined); // met below, or the reader left
  try {
    for await (const chunk of engine) {
      if (!isPacking) spend(chunk as Buffer);
      yield chunk as Buffer;
    }
    await feeding;
    onEnd(engine.bytesWritten);
  } catch (error) {
    throw isDamage(error) ? new Withheld("it is damaged") : error;
  } finally {
    engine.destroy();
  }
}

/** The engine works on them later, in a thread of its own. */
async function* copies(source: Iterable<Buffer> | AsyncIterable<Buffer>, spend: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  for await (const chunk of source) {
    spend(chunk);
    yield Buffer.from(chunk);
  }
}

/** The same of a few bytes at once, and how many of them were taken in. @throws {Withheld} where it is damaged */
export function inflated(packed: Buffer, bytes: number): { readonly bytes: Buffer; readonly taken: number } {
  const most = Math.max(leastChunkBytes, bytes + 1); // a byte too many is seen by whoever compares the two
  try {
    const { buffer, engine } = inflateRawSync(packed, { maxOutputLength: most, chunkSize: most, info: true }) as unknown as Inflated;
    return { bytes: buffer, taken: engine.bytesWritten };
  } catch (error) {
    throw isDamage(error) ? new Withheld("it is damaged") : error;
  }
}

/** What `info` makes of the result. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function isDamage(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^Z_|^ERR_BUFFER_TOO_LARGE$/.test(error.code);
}
