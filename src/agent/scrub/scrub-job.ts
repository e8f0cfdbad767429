import { join } from "node:path";
import type { Scrubber } from "#domain/scrub/scrubber.ts";

/** Nothing of the file may leave. The reason goes to users: no secret in it. */
export class Withheld extends Error {
  override readonly name = "Withheld";
}

/** Bounds against archives that are small outside and large inside. */
export const unpackLimits = {
  /** All that is unpacked of one file. */
  totalBytes: 1024 * 1024 * 1024,
  /** Unpacked bytes to packed ones, above `freeBytes`. */
  ratio: 200,
  freeBytes: 32 * 1024 * 1024,
  entries: 20_000,
  /** An archive in an archive, and no deeper. */
  compressions: 2,
  levels: 4,
} as const;

/**
 * CPU time of one file, of the thread that scrubs it and of packing and unpacking. With what the machine does for that thread beside it,
 * such as collecting garbage, it is 2 s. 150 MB of a log take 0.2 to 1.2 s.
 */
const cpuLimitMs = 900;

export function tooManyEntries(most: number): Withheld {
  return new Withheld(`it has more than ${most} entries`);
}

/** How deep a content lies in its file. */
export interface Level {
  readonly compressions: number;
  readonly levels: number;
}

/** One file on its way, and what it may still use. */
export class ScrubJob {
  readonly scrubber: Scrubber;
  readonly #signal: AbortSignal;
  readonly #folder: string;
  readonly #packedBytes: number;
  #unpackedBytes = 0;
  #entries = 0;
  #files = 0;
  #spentMs = 0;
  readonly #startedMs = threadCpuMs();

  /** @param folder for temporary files, empty; the caller removes it */
  constructor(scrubber: Scrubber, folder: string, packedBytes: number, signal: AbortSignal) {
    this.scrubber = scrubber;
    this.#folder = folder;
    this.#packedBytes = packedBytes;
    this.#signal = signal;
  }

  /** A path of its own in the folder. */
  temporaryPath(): string {
    this.#files += 1;
    return join(this.#folder, String(this.#files));
  }

  /** @throws {Withheld} when an archive unpacks to too much */
  unpacked(bytes: number): void {
    this.goOn();
    this.#unpackedBytes += bytes;
    const { totalBytes, ratio, freeBytes } = unpackLimits;
    if (this.#unpackedBytes > totalBytes) throw new Withheld(`it unpacks to more than ${totalBytes} bytes`);
    if (this.#unpackedBytes > freeBytes && this.#unpackedBytes > this.#packedBytes * ratio) {
      throw new Withheld(`it unpacks to more than ${ratio} times its size`);
    }
  }

  /** @throws {Withheld} when there are too many */
  entry(): void {
    this.#entries += 1;
    if (this.#entries > unpackLimits.entries) throw tooManyEntries(unpackLimits.entries);
    this.goOn();
  }

  /** CPU time of other threads that work for this file. */
  spend(ms: number): void {
    this.#spentMs += ms;
  }

  /** Between two pieces of work. @throws {Withheld} when they took too long; the signal's reason */
  goOn(): void {
    this.#signal.throwIfAborted();
    if (threadCpuMs() - this.#startedMs + this.#spentMs > cpuLimitMs)
      throw new Withheld(`it took more than ${cpuLimitMs / 1_000} s of CPU time`);
  }

  /** @throws the same as Withheld, telling where; the name is scrubbed */
  async within<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Withheld)) throw error;
      const shown = this.scrubber
        .scrubText(name)
        .replace(/[^\x20-\x7e]/g, "?")
        .slice(-100);
      throw new Withheld(`${shown}: ${error.message}`);
    }
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
