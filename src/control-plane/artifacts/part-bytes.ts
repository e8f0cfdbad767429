import type { Hash } from "node:crypto";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";

/** More than any socket takes before it says that it is full: whoever writes a chunk waits until the bytes are gone. */
const chunkBytes = 524_288;

/**
 * Passes on a body that must have exactly `size` bytes, and counts them into `hash`. Ends at the first byte too many, and when `signal`
 * aborts, also while nothing comes. A chunk is valid until the next one is asked for, and every chunk but the last is full.
 *
 * @throws {AppError} too_large; invalid_input when it ends early; the signal's reason
 */
export function exactly(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
  hash: Hash,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  return gathered(counted(bytes, size, hash, signal), Math.min(chunkBytes, size));
}

async function* counted(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
  hash: Hash,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const source = bytes[Symbol.asyncIterator]();
  let count = 0;
  try {
    for (;;) {
      const next = await untilAborted(signal, source.next());
      if (next.done === true) break;
      count += next.value.length;
      if (count > size) throw new AppError("too_large", `the part has more than the ${size} bytes that belong at its offset`);
      hash.update(next.value);
      yield next.value;
    }
  } catch (cause) {
    if (cause instanceof AppError || signal.aborted) throw cause;
    throw endedEarly(count, size, cause); // the connection broke
  } finally {
    if (count !== size) source.return?.().catch(() => undefined); // it may hang with its connection
  }
  if (count < size) throw endedEarly(count, size);
}

/**
 * All through one buffer, and what came from the network is freed at once: the collector would let tens of megabytes of it pile up.
 *
 * @param length of the buffer
 */
async function* gathered(chunks: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array, void, undefined> {
  const buffer = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, length - filled);
      buffer.set(chunk.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < length) continue;
      yield buffer;
      filled = 0;
    }
    free(chunk);
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

/** Only of a chunk that has its memory for itself. */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
}

function endedEarly(count: number, size: number, cause?: unknown): AppError {
  return new AppError("invalid_input", `the part ended after ${count} bytes; ${size} belong at its offset`, { cause });
}
