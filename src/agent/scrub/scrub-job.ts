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
    this.#signal.throwIfAborted();
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
    if (this.#entries > unpackLimits.entries) throw new Withheld(`it has more than ${unpackLimits.entries} entries`);
  }

  throwIfAborted(): void {
    this.#signal.throwIfAborted();
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
