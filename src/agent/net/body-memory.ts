import { AppError } from "#domain/app-error.ts";

const mebibyte = 1024 * 1024;
/** Of each body: a seat has room for so much. */
const freeBytes = mebibyte;
/** What is read of a body after decompression (behaviour 2.2). One of this length always finds room. */
export const bodyReadCapBytes = 25 * mebibyte;
/** What the agent needs beside bodies: itself, and one parsed body in the thread of assertions. */
const otherBytes = 384 * mebibyte;
/** A body is held as it came, as text, and as a copy for the thread of assertions. */
const copies = 4;

/** Bytes of large bodies that a process with this much memory may hold at once. */
export function bodyBytesFor(memoryBytes: number): number {
  return Math.max(bodyReadCapBytes, (memoryBytes - otherBytes) / copies);
}

/** Memory for the large bodies of all attempts of this process. Without it, a few hostile targets get the process ended by the kernel. */
export class BodyMemory {
  #left: number;

  constructor(limitBytes: number) {
    this.#left = limitBytes;
  }

  /** For one attempt. What it takes comes back when it is disposed. */
  lease(): BodyLease {
    let held = 0;
    return {
      grow: (from, to) => {
        const more = Math.max(0, to - freeBytes) - Math.max(0, from - freeBytes);
        if (more > this.#left) throw new AppError("unavailable", noRoom);
        this.#left -= more;
        held += more;
      },
      [Symbol.dispose]: () => {
        this.#left += held;
        held = 0;
      },
    };
  }
}

export interface BodyLease extends Disposable {
  /**
   * A body grows from one length to another, in bytes.
   *
   * @throws {AppError} unavailable when other attempts hold the memory that it would need
   */
  grow(from: number, to: number): void;
}

const noRoom =
  "The agent has no memory left for this response, because other checks are reading large ones: raise its memory limit or run these checks at different times";
