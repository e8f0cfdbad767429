import { createHash, type Hash, randomUUID } from "node:crypto";
import {
  type ArtifactDeclaration,
  type ArtifactUpload,
  artifactLimitBytes,
  artifactPartBytes,
  artifactPartLeastBytes,
} from "#contract/agent-artifacts.ts";
import type { Logger } from "#daemon/logger.ts";
import { AppError, hasCode } from "#domain/app-error.ts";
import type { BlobPart, BlobStore, BlobUpload } from "../blob-store/blob-store.ts";
import { jobNoOf } from "../kinds/ids.ts";
import type { AgentSessionRow, ArtifactPart, ArtifactRow, ArtifactStore, UploadBounds } from "../storage/storage.ts";
import { exactly } from "./part-bytes.ts";

export interface ArtifactUploadDeps {
  readonly artifacts: ArtifactStore;
  readonly blobs: BlobStore;
  readonly nowMs: () => number;
  readonly log: Logger;
  readonly countArtifacts: (outcome: "stored" | "refused", bytes: number) => void;
}

/** What an agent can have under way: an agent uploads one file at a time, so only a misbehaving one meets these. */
const bounds: UploadBounds = {
  ofLocation: 200,
  bytesOfLocation: 40 * artifactLimitBytes,
  bytesOfAccount: 200 * artifactLimitBytes,
  ofResult: 20,
};
/** Uploads whose digest goes along with their parts. The file of another one is read again at its end. */
const maxDigests = 1_000;

/** How far the digest of an upload is. */
interface Digest {
  readonly bytes: number;
  readonly hash: Hash;
}

/** The control plane's side of artifacts. The bytes of a file pass through, none of them waits in memory; nothing of it is believed before the commit. */
export class ArtifactUploads {
  readonly #deps: ArtifactUploadDeps;
  readonly #digests = new Map<string, Digest>();
  /** What works on an upload now. Only the newest counts: an agent asks again when its connection broke, which we may not have seen. */
  readonly #working = new Map<string, { readonly stop: AbortController; readonly ended: Promise<unknown> }>();

  constructor(deps: ArtifactUploadDeps) {
    this.#deps = deps;
  }

  /** @throws {AppError} too_large, conflict, rate_limited */
  async declare(agent: AgentSessionRow, { jobId, ...declared }: ArtifactDeclaration): Promise<ArtifactUpload> {
    if (declared.size > artifactLimitBytes) {
      throw new AppError("too_large", `"size" is ${declared.size}; an artifact has at most ${artifactLimitBytes} bytes`);
    }
    const jobNo = jobNoOf(jobId);
    if (jobNo === undefined) throw new AppError("conflict", "no such result of this location; report it first");
    const { artifacts, nowMs } = this.#deps;
    const upload = { declared: { ...declared, jobNo }, key: newKey(), bounds, nowMs: nowMs() };
    const row = await artifacts.declare(agent, upload);
    const received = row.isStored ? row.size : receivedBytes(await artifacts.parts(row.key));
    return { uploadId: uploadIdOf(row.key), partBytes: artifactPartBytes, received, stored: row.isStored };
  }

  /**
   * @param size of the part; a whole one, or what is left, when undefined
   * @returns how far the upload is now
   * @throws {AppError} conflict, invalid_input, too_large, unavailable
   */
  putPart(
    agent: AgentSessionRow,
    { uploadId, offset, size }: { readonly uploadId: string; readonly offset: number; readonly size: number | undefined },
    bytes: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<number> {
    return this.#alone(uploadId, signal, async (alone) => {
      const row = await this.#find(agent, uploadId);
      const partSize = partSizeOf(row, offset, size);
      const parts = row.isStored ? [] : await this.#deps.artifacts.parts(row.key);
      const received = row.isStored ? row.size : receivedBytes(parts);
      if (offset > received) {
        throw new AppError("conflict", `the part at ${offset} would leave a gap; the next one begins at ${received}`, {
          attributes: { received },
        });
      }
      if (offset < received) {
        await drain(exactly(bytes, partSize, createHash("sha256"), alone));
        return received;
      }
      await this.#take(row, { number: parts.length, offset, size: partSize }, bytes, alone);
      return offset + partSize;
    });
  }

  /** @throws {AppError} conflict when bytes are missing or the file is another one than announced; unavailable */
  commit(agent: AgentSessionRow, uploadId: string, signal: AbortSignal): Promise<{ size: number; sha256: string }> {
    return this.#alone(uploadId, signal, async () => {
      const row = await this.#find(agent, uploadId);
      const { size, sha256 } = row;
      if (row.isStored) return { size, sha256 };
      const { artifacts, blobs, nowMs, countArtifacts } = this.#deps;
      const parts = await artifacts.parts(row.key);
      const received = receivedBytes(parts);
      if (received < size) {
        throw new AppError("conflict", `${size - received} bytes are missing; the next part begins at ${received}`, {
          attributes: { received },
        });
      }
      const upload = await this.#begun(row);
      await this.#orGone(upload, () =>
        blobs.complete(
          upload,
          parts.map(({ tag }) => tag),
          size,
        ),
      );
      if ((await this.#digestOf(row)) !== sha256) {
        await this.#remove(upload);
        countArtifacts("refused", size);
        throw new AppError("conflict", 'the file is not the one that was announced: its "sha256" differs');
      }
      await artifacts.stored(row.key, nowMs()).catch(async (error: unknown) => {
        if (hasCode(error, "conflict")) await this.#remove(upload);
        throw error;
      });
      this.#digests.delete(row.key);
      countArtifacts("stored", size);
      return { size, sha256 };
    });
  }

  async #take(row: ArtifactRow, part: BlobPart, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    const upload = await this.#begun(row);
    const known = part.offset === 0 ? { bytes: 0, hash: createHash("sha256") } : this.#digests.get(row.key);
    const hash = known?.bytes === part.offset ? known.hash.copy() : null;
    const { artifacts, blobs } = this.#deps;
    const counted = exactly(bytes, part.size, hash ?? createHash("sha256"), signal);
    const tag = await this.#orGone(upload, () => blobs.putPart(upload, part, counted, signal));
    signal.throwIfAborted();
    await artifacts.addPart(row.key, part.number, { size: part.size, tag });
    if (hash === null) return;
    this.#digests.delete(row.key);
    this.#digests.set(row.key, { bytes: part.offset + part.size, hash });
    const [oldest] = this.#digests.keys();
    if (this.#digests.size > maxDigests && oldest !== undefined) this.#digests.delete(oldest);
  }

  /** Of the whole file: as it came through here, or as the store has it. */
  async #digestOf({ key, size }: ArtifactRow): Promise<string> {
    const known = this.#digests.get(key);
    this.#digests.delete(key);
    if (known?.bytes === size) return known.hash.digest("hex");
    const hash = createHash("sha256");
    for await (const chunk of await this.#deps.blobs.open(key, 0, size)) hash.update(chunk as Buffer);
    return hash.digest("hex");
  }

  async #find(agent: AgentSessionRow, uploadId: string): Promise<ArtifactRow> {
    const row = await this.#deps.artifacts.byKey(agent, keyOf(uploadId));
    if (row === undefined) throw uploadGone();
    return row;
  }

  async #begun({ key, ref }: ArtifactRow): Promise<BlobUpload> {
    if (ref !== null) return { key, ref };
    const { artifacts, blobs } = this.#deps;
    const kept = await artifacts.begun(key, await blobs.begin(key));
    if (kept === undefined) throw uploadGone();
    return { key, ref: kept };
  }

  /** What somebody removed from the store has to come again from its beginning. */
  async #orGone<T>(upload: BlobUpload, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!hasCode(error, "not_found")) throw error;
      this.#deps.log.warn({ key: upload.key }, "an unfinished upload is missing in the artifact store; starting it again");
      await this.#remove(upload);
      throw uploadGone(error);
    }
  }

  async #remove(upload: BlobUpload): Promise<void> {
    this.#digests.delete(upload.key);
    await this.#deps.blobs.remove(upload);
    await this.#deps.artifacts.forget(upload.key);
  }

  /** One at a time for each upload; the newest stops the one before and waits for its end. */
  async #alone<T>(uploadId: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const before = this.#working.get(uploadId);
    before?.stop.abort(new AppError("cancelled", "another request for this upload came"));
    const stop = new AbortController();
    const result = Promise.resolve(before?.ended).then(() => work(AbortSignal.any([stop.signal, signal])));
    const own = { stop, ended: result.catch(() => undefined) };
    this.#working.set(uploadId, own);
    try {
      return await result;
    } finally {
      if (this.#working.get(uploadId) === own) this.#working.delete(uploadId);
    }
  }
}

/** @throws {AppError} invalid_input */
function partSizeOf({ size }: ArtifactRow, offset: number, given: number | undefined): number {
  const left = size - offset;
  if (left <= 0) throw new AppError("invalid_input", `"offset" must be below the size of ${size} bytes, received ${offset}`);
  const partSize = given ?? Math.min(left, artifactPartBytes);
  if (partSize > left) throw new AppError("invalid_input", `"size" must be at most the ${left} bytes that are left, received ${partSize}`);
  if (partSize < left && partSize < artifactPartLeastBytes) {
    throw new AppError("invalid_input", `"size" must be at least ${artifactPartLeastBytes} before the last part, received ${partSize}`);
  }
  return partSize;
}

function receivedBytes(parts: readonly ArtifactPart[]): number {
  return parts.reduce((sum, { size }) => sum + size, 0);
}

async function drain(bytes: AsyncIterable<unknown>): Promise<void> {
  const source = bytes[Symbol.asyncIterator]();
  while ((await source.next()).done !== true);
}

function uploadGone(cause?: unknown): AppError {
  return new AppError("conflict", "the upload is not known; announce the file again", { cause });
}

function newKey(): string {
  return randomUUID().replaceAll("-", "");
}

function keyOf(uploadId: string): string {
  return uploadId.toLowerCase().replaceAll("-", "");
}

function uploadIdOf(key: string): string {
  return key.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
