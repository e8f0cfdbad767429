import { Transform } from "node:stream";

/** Bytes that one proxy passes on in a second, both ways together: each costs time of the agent's one thread, and other checks are measured there. */
const bytesPerSecond = 32 * 1024 * 1024;
/** Used up at once by who was quiet. */
const mostBytes = bytesPerSecond / 4;

/** What a run may still send and receive; it fills with time. */
export class Allowance {
  #bytes = mostBytes;
  #atMs = performance.now();

  /** A stream that hands on what comes as soon as it may. */
  meter(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        const waitMs = this.#take(chunk.length);
        if (waitMs === 0) done(null, chunk);
        else setTimeout(done, waitMs, null, chunk).unref();
      },
    });
  }

  #take(bytes: number): number {
    const nowMs = performance.now();
    this.#bytes = Math.min(mostBytes, this.#bytes + ((nowMs - this.#atMs) / 1_000) * bytesPerSecond) - bytes;
    this.#atMs = nowMs;
    return this.#bytes >= 0 ? 0 : Math.ceil((-this.#bytes / bytesPerSecond) * 1_000);
  }
}
