import { createHash, randomUUID } from "node:crypto";
import { codeBundleLimits } from "#contract/code-bundles.ts";
import type { Logger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import type { BlobStore, BlobUpload } from "../blob-store/blob-store.ts";
import type { BundleRoom, CodeBundleRow, CodeBundleStore } from "../storage/storage.ts";
import { BundleInspection } from "./inspect-bundle.ts";

export interface BundleUploadDeps {
  readonly bundles: CodeBundleStore;
  readonly blobs: BlobStore;
  readonly nowMs: () => number;
  readonly log: Logger;
  /** Of one bundle. */
  readonly mostBytes?: number;
}

/** All that S3 takes before the last part; two of them at most are in memory, for each upload. */
const partBytes = 8_388_608;
const room: BundleRoom = { bundles: 1_000, bytes: 10_000_000_000, underWay: 3 };

/**
 * Takes projects of tests. Bytes pass through to the blob store while they are looked at; what cannot be used, and what is there already, is removed
 * again, by the sweeper where this process ends.
 */
export class BundleUploads {
  readonly #deps: BundleUploadDeps;

  constructor(deps: BundleUploadDeps) {
    this.#deps = deps;
  }

  /**
   * @param wanted the SHA-256 that the bytes must have, hexadecimal; null: any
   * @throws {AppError} invalid_input, too_large, conflict, rate_limited, unavailable; the signal's reason
   */
  async take(accountId: number, bytes: AsyncIterable<Uint8Array>, wanted: string | null, signal: AbortSignal): Promise<CodeBundleRow> {
    const { bundles, blobs, nowMs } = this.#deps;
    const key = randomUUID().replaceAll("-", "");
    await bundles.begin(accountId, key, room, nowMs());
    let upload: BlobUpload = { key, ref: "" };
    let isKept = false;
    try {
      upload = { key, ref: await blobs.begin(key) };
      await bundles.begun(key, upload.ref);
      const { tags, ...facts } = await this.#pass(upload, bytes, signal);
      if (wanted !== null && facts.sha256 !== wanted)
        throw new AppError("invalid_input", `The SHA-256 of the body is ${facts.sha256}, and not the ${wanted} that was announced`);
      const before = await bundles.find(accountId, facts.sha256, nowMs());
      if (before !== undefined) return before;
      await blobs.complete(upload, tags, facts.size);
      const storedAtMs = nowMs();
      await bundles.stored(key, facts, storedAtMs);
      isKept = true;
      return { key, ...facts, storedAtMs, usedAtMs: storedAtMs };
    } finally {
      if (!isKept) await this.#remove(upload);
    }
  }

  async #pass(upload: BlobUpload, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    const hash = createHash("sha256");
    const tags: string[] = [];
    let size = 0;
    const inspection = new BundleInspection();
    try {
      const { mostBytes = codeBundleLimits.packedBytes } = this.#deps;
      for await (const part of parts(bytes, mostBytes, signal)) {
        await inspection.write(part);
        hash.update(part);
        tags.push(await this.#deps.blobs.putPart(upload, { number: tags.length, offset: size, size: part.length }, once(part), signal));
        size += part.length;
      }
      const { files, unpackedSize } = await inspection.end();
      return { tags, sha256: hash.digest("hex"), size, files, unpackedSize };
    } finally {
      inspection.close();
    }
  }

  async #remove(upload: BlobUpload): Promise<void> {
    const { bundles, blobs, log } = this.#deps;
    try {
      await blobs.remove(upload);
      await bundles.forget(upload.key);
    } catch (error) {
      log.warn({ err: error, key: upload.key }, "what came of a code bundle is removed later");
    }
  }
}

/** Also for one whose length is told before. */
export function tooLarge(mostBytes: number = codeBundleLimits.packedBytes): AppError {
  return new AppError("too_large", `A code bundle has at most ${mostBytes} bytes; leave out what is installed or made anew`);
}

/** Parts that the blob store takes, each full but the last. @throws {AppError} too_large; invalid_input when the body breaks off */
async function* parts(bytes: AsyncIterable<Uint8Array>, mostBytes: number, signal: AbortSignal): AsyncGenerator<Buffer> {
  let buffer = Buffer.allocUnsafeSlow(partBytes);
  let filled = 0;
  let total = 0;
  for await (const chunk of whole(bytes, signal)) {
    total += chunk.length;
    if (total > mostBytes) throw tooLarge(mostBytes);
    for (let at = 0; at < chunk.length; ) {
      const taken = Math.min(chunk.length - at, partBytes - filled);
      buffer.set(chunk.subarray(at, at + taken), filled);
      at += taken;
      filled += taken;
      if (filled < partBytes) continue;
      yield buffer;
      buffer = Buffer.allocUnsafeSlow(partBytes); // zlib may still read the other one
      filled = 0;
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled);
}

async function* whole(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError("invalid_input", "The body ended early", { cause });
  }
}

async function* once(part: Uint8Array): AsyncGenerator<Uint8Array> {
  yield part;
}
