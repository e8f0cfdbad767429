import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { contentEncoding, createDecoder, type Encoding } from "./body-decoding.ts";
import { ProbeError } from "./probe-error.ts";
import type { StepWatch } from "./step-watch.ts";

/** A body as read: decoded, up to the read cap. */
export interface Body {
  readonly bytes: Buffer;
  /** The body was longer than the read cap. */
  readonly capped: boolean;
}

/** What is read of a body after decompression (behaviour 2.2). */
const bodyReadCapBytes = 25 * 1024 * 1024;
/** How long a body may stand still (ms). */
const bodyIdleLimitMs = 10_000;
/** A body may be at most so many times its compressed size; small ones are let off, they do no harm. */
const maxRatio = 200;
const ratioFreeBytes = 1024 * 1024;

interface BodyEnd {
  readonly fail: (reason: unknown) => void;
  readonly done: (body: Body) => void;
}

/** Reads the body to its end or to the cap, and then calls `done` or `fail`, perhaps more than once: the first call counts. */
export function readBody(message: IncomingMessage, headers: Readonly<Record<string, string>>, watch: StepWatch, end: BodyEnd): void {
  const collected = new Collected(end.done);
  watch.enter("body of the response: standing still", bodyIdleLimitMs, end.fail);
  try {
    const encoding = contentEncoding(headers["content-encoding"]);
    if (encoding === null) readPlain(message, Number(headers["content-length"] ?? Number.NaN), watch, collected);
    else readEncoded(message, encoding, watch, collected, end.fail);
  } catch (error) {
    end.fail(error);
  }
}

function readPlain(message: IncomingMessage, expectedBytes: number, watch: StepWatch, collected: Collected): void {
  message.on("data", (chunk: Buffer) => {
    watch.progress();
    collected.add(chunk);
    // Done with the last byte: the stream's own "end" comes some ticks later.
    if (collected.length === expectedBytes) collected.finish(false);
  });
  message.on("end", () => collected.finish(false));
}

function readEncoded(message: IncomingMessage, encoding: Encoding, watch: StepWatch, collected: Collected, fail: BodyEnd["fail"]): void {
  let decoder: Transform | undefined;
  let encodedBytes = 0;
  const open = (first: Buffer): Transform => {
    const opened = createDecoder(encoding, first);
    opened.on("error", (cause) => fail(new ProbeError("EBODYENCODING", `the body is no valid ${encoding}`, { cause })));
    opened.on("drain", () => message.resume());
    opened.on("end", () => collected.finish(false));
    opened.on("data", (chunk: Buffer) => {
      collected.add(chunk);
      if (collected.isOver) opened.destroy();
      if (collected.length <= ratioFreeBytes || collected.length <= encodedBytes * maxRatio) return;
      opened.destroy();
      fail(new ProbeError("EBODYRATIO", `the body unpacks to more than ${maxRatio} times its size`));
    });
    return opened;
  };
  message.on("data", (chunk: Buffer) => {
    watch.progress();
    encodedBytes += chunk.length;
    decoder ??= open(chunk);
    if (!decoder.write(chunk)) message.pause();
  });
  message.on("end", () => (decoder === undefined ? collected.finish(false) : decoder.end()));
  message.on("close", () => {
    if (!message.complete) decoder?.destroy();
  });
}

class Collected {
  readonly #chunks: Buffer[] = [];
  readonly #done: (body: Body) => void;
  length = 0;
  isOver = false;

  constructor(done: (body: Body) => void) {
    this.#done = done;
  }

  add(chunk: Buffer): void {
    if (this.isOver) return;
    const room = bodyReadCapBytes - this.length;
    this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    this.length += Math.min(chunk.length, room);
    if (chunk.length > room) this.finish(true);
  }

  finish(capped: boolean): void {
    this.isOver = true;
    const [only] = this.#chunks;
    this.#done({ bytes: this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.length), capped });
  }
}
