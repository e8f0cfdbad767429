import type { Transform } from "node:stream";
import { contentEncoding, createDecoder, type Encoding } from "./body-decoding.ts";
import { type BodyLease, bodyReadCapBytes } from "./body-memory.ts";
import { ProbeError } from "./probe-error.ts";

/** A body as read: decoded, up to the read cap. */
export interface Body {
  readonly bytes: Buffer;
  /** The body was longer than the read cap. */
  readonly capped: boolean;
}

/** Where the parts of a body go. It ends with one `done` or `fail`, perhaps more: the first counts. */
export interface BodySink {
  /** @param part valid during the call only */
  add(part: Buffer): void;
  end(): void;
  /** Nobody waits for the body any more. */
  destroy(): void;
}

export interface BodyEvents {
  readonly done: (body: Body) => void;
  readonly fail: (reason: unknown) => void;
  /** Unpacking is slower than the network: read no more until `resume`. */
  readonly pause: () => void;
  readonly resume: () => void;
}

/** A body may be at most so many times its compressed size; small ones are let off, they do no harm. */
const maxRatio = 200;
const ratioFreeBytes = 1024 * 1024;

/** @param memory where its bytes are counted; absent: nowhere @throws {ProbeError} EBODYENCODING when encodings are stacked */
export function bodySink(contentEncodingHeader: string | undefined, events: BodyEvents, memory?: BodyLease): BodySink {
  const encoding = contentEncoding(contentEncodingHeader);
  const collected = new Collected(events, memory);
  return encoding === null ? new PlainSink(collected) : new DecodingSink(encoding, events, collected);
}

class PlainSink implements BodySink {
  readonly #collected: Collected;

  constructor(collected: Collected) {
    this.#collected = collected;
  }

  add(part: Buffer): void {
    this.#collected.add(Buffer.from(part));
  }

  end(): void {
    this.#collected.finish(false);
  }

  destroy(): void {}
}

class DecodingSink implements BodySink {
  readonly #encoding: Encoding;
  readonly #events: BodyEvents;
  readonly #collected: Collected;
  #decoder: Transform | undefined;
  #encodedBytes = 0;

  constructor(encoding: Encoding, events: BodyEvents, collected: Collected) {
    this.#encoding = encoding;
    this.#events = events;
    this.#collected = collected;
  }

  add(part: Buffer): void {
    this.#encodedBytes += part.length;
    this.#decoder ??= this.#open(part);
    if (!this.#decoder.write(Buffer.from(part))) this.#events.pause();
  }

  end(): void {
    if (this.#decoder === undefined) this.#collected.finish(false);
    else this.#decoder.end();
  }

  destroy(): void {
    this.#decoder?.destroy();
  }

  #open(first: Buffer): Transform {
    const decoder = createDecoder(this.#encoding, first);
    decoder.on("error", (cause) => this.#events.fail(new ProbeError("EBODYENCODING", `the body is no valid ${this.#encoding}`, { cause })));
    decoder.on("drain", this.#events.resume);
    decoder.on("end", () => this.#collected.finish(false));
    decoder.on("data", (chunk: Buffer) => {
      this.#collected.add(chunk);
      if (this.#collected.length <= ratioFreeBytes || this.#collected.length <= this.#encodedBytes * maxRatio) return;
      this.#events.fail(new ProbeError("EBODYRATIO", `the body unpacks to more than ${maxRatio} times its size`));
    });
    return decoder;
  }
}

class Collected {
  readonly #chunks: Buffer[] = [];
  readonly #events: BodyEvents;
  readonly #memory: BodyLease | undefined;
  length = 0;
  #isOver = false;

  constructor(events: BodyEvents, memory: BodyLease | undefined) {
    this.#events = events;
    this.#memory = memory;
  }

  add(chunk: Buffer): void {
    if (this.#isOver) return;
    const room = bodyReadCapBytes - this.length;
    if (!this.#hasMemory(Math.min(chunk.length, room))) return;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.length += Math.min(chunk.length, room);
    if (chunk.length > room) this.finish(true);
  }

  finish(capped: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const [only] = this.#chunks;
    this.#events.done({ bytes: this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.length), capped });
  }

  #hasMemory(moreBytes: number): boolean {
    try {
      this.#memory?.grow(this.length, this.length + moreBytes);
      return true;
    } catch (error) {
      this.#isOver = true;
      this.#chunks.length = 0;
      this.#events.fail(error);
      return false;
    }
  }
}
