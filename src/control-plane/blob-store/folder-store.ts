import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { makeFolder } from "#daemon/make-folder.ts";
import { syncFolder } from "#daemon/sync-folder.ts";
import { AppError } from "#domain/app-error.ts";
import type { BlobPart, BlobStore, BlobUpload } from "./blob-store.ts";

const chunkBytes = 262_144;
const noSpace = "there is no space left for artifacts";
/** Artifacts leave so much of a disk to the database, which is on the same one; of a small disk a twentieth. */
const usualReserveBytes = 1_073_741_824;

/** Blobs as files below one folder, in folders by the first two letters of their keys; what is still to come waits under `uploads`. */
export function createFolderStore(folder: string, reserveBytes: number = usualReserveBytes): BlobStore {
  const pathOf = (key: string): string => join(folder, key.slice(0, 2), key.slice(2));
  const waiting = (key: string): string => join(folder, "uploads", key);
  return {
    begin: (key) =>
      told(async () => {
        await makeFolder(dirname(waiting(key)));
        const file = await open(waiting(key), "a", 0o600);
        await file.close();
        return "";
      }),
    putPart: ({ key }, part, bytes, signal) =>
      told(async () => {
        const file = await open(waiting(key), "r+");
        try {
          await assertSpace(folder, part.size, reserveBytes);
          await writeAll(file, part, bytes, signal);
        } finally {
          await file.close();
        }
        return "";
      }),
    complete: ({ key }, _tags, size) => told(() => complete(waiting(key), pathOf(key), size)),
    open: (key, start, end) =>
      told(async () => {
        const { size } = await stat(pathOf(key));
        if (size < end) throw new AppError("not_found", "the file is damaged: a part of it is missing in the store");
        if (start >= end) return Readable.from([]);
        return createReadStream(pathOf(key), { start, end: end - 1, highWaterMark: chunkBytes });
      }),
    remove: ({ key }: BlobUpload) =>
      told(async () => {
        for (const path of [waiting(key), pathOf(key)]) await rm(path, { force: true });
      }),
  };
}

/** @throws {AppError} unavailable */
async function assertSpace(folder: string, size: number, reserveBytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  if (bavail * bsize - size < Math.min(reserveBytes, (blocks * bsize) / 20)) throw new AppError("unavailable", noSpace);
}

async function writeAll(file: FileHandle, { offset }: BlobPart, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  let at = offset;
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    // A full disk writes a part first; the rest then fails with its reason.
    for (let done = 0; done < chunk.length; ) done += (await file.write(chunk, done, chunk.length - done, at + done)).bytesWritten;
    at += chunk.length;
  }
}

async function complete(from: string, to: string, size: number): Promise<void> {
  const file = await open(from, "r+").catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  });
  if (file === null) return alreadyComplete(to, size);
  try {
    await file.truncate(size); // what a longer part that was cut had left
    await file.datasync();
  } finally {
    await file.close();
  }
  await makeFolder(dirname(to));
  await rename(from, to);
  await syncFolder(dirname(to));
}

async function alreadyComplete(path: string, size: number): Promise<void> {
  const found = await stat(path);
  if (found.size !== size) throw new Error(`a blob has ${found.size} bytes instead of ${size}`);
}

/** The disk's trouble as an error that callers know. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT") throw new AppError("not_found", "the file is not there any more", { cause });
    if (/^E[A-Z]+$/.test(code) && code !== "ECONNRESET") {
      const isFull = code === "ENOSPC" || code === "EDQUOT";
      throw new AppError("unavailable", isFull ? noSpace : `artifacts cannot be kept now (${code})`, { cause });
    }
    throw cause;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
