import type { Hash } from "node:crypto";
import { untilAborted } from "#daemon/until-aborted.ts";
import { AppError } from "#domain/app-error.ts";

/**
 * Passes on a body that must have exactly `size` bytes, and counts them into `hash`. Ends at the first byte too many, and when `signal`
 * aborts, also while nothing comes.
 *
 * @throws {AppError} too_large; invalid_input when it ends early; the signal's reason
 */
export async function* exactly(
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

function endedEarly(count: number, size: number, cause?: unknown): AppError {
  return new AppError("invalid_input", `the part ended after ${count} bytes; ${size} belong at its offset`, { cause });
}
