import { open } from "node:fs/promises";
import { AppError } from "#domain/app-error.ts";

/** More than any socket takes before it says that it is full: whoever writes a chunk waits until the bytes are gone. */
const chunkBytes = 262_144;

/**
 * The bytes of a file from `start` up to but without `end`, all through one buffer: the collector would let tens of megabytes of chunks pile up. A
 * chunk is valid until the next one is asked for, and every chunk but the last is full.
 *
 * @throws {AppError} invalid_input where the file is shorter; errors of the file system
 */
export async function* fileBytes(path: string, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
  const file = await open(path, "r");
  try {
    const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(chunkBytes, end - start)));
    for (let at = start; at < end; ) {
      const wanted = Math.min(buffer.length, end - at);
      let filled = 0;
      while (filled < wanted) {
        const { bytesRead } = await file.read(buffer, filled, wanted - filled, at + filled);
        if (bytesRead === 0) throw new AppError("invalid_input", `the file ends after ${at + filled} of ${end} bytes`);
        filled += bytesRead;
      }
      yield buffer.subarray(0, filled);
      at += filled;
    }
  } finally {
    await file.close();
  }
}
