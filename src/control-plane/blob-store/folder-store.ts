import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { makeFolder } from "#daemon/make-folder.ts";
import { AppError } from "#domain/app-error.ts";
import type { BlobPart, BlobStore, BlobUpload } from "./blob-store.ts";

/** Bytes that one write gathers. */
const gatherBytes = 1_048_576;
const chunkBytes = 262_144;

/** Blobs as files below one folder, in folders by the first two letters of their keys; what is still to come waits under `uploads`. */
export function createFolderStore(folder: string): BlobStore {
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
          await writeAll(file, part, bytes, signal);
        } finally {
          await file.close();
        }
        return "";
      }),
    complete: ({ key }, _tags, size) => told(() => complete(waiting(key), pathOf(key), size)),
    open: (key, start, end) =>
      told(async () => {
        await stat(pathOf(key));
        if (start >= end) return Readable.from([]);
        return createReadStream(pathOf(key), { start, end: end - 1, highWaterMark: chunkBytes });
      }),
    remove: ({ key }: BlobUpload) =>
      told(async () => {
        for (const path of [waiting(key), pathOf(key)]) await rm(path, { force: true });
      }),
  };
}

/** Not one write for each chunk of the network: they are gathered first. */
async function writeAll(file: FileHandle, { offset }: BlobPart, bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  let at = offset;
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  const flush = async (): Promise<void> => {
    await writeWhole(file, gathered, gatheredBytes, at);
    at += gatheredBytes;
    gathered = [];
    gatheredBytes = 0;
  };
  for await (const chunk of bytes) {
    signal.throwIfAborted();
    gathered.push(chunk);
    gatheredBytes += chunk.length;
    if (gatheredBytes >= gatherBytes) await flush();
  }
  if (gatheredBytes > 0) await flush();
}

/** A full disk writes a part first; the rest then fails with its reason. */
async function writeWhole(file: FileHandle, chunks: readonly Uint8Array[], size: number, at: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks, at);
  if (bytesWritten === size) return;
  const rest = Buffer.concat(chunks).subarray(bytesWritten);
  for (let done = 0; done < rest.length; )
    done += (await file.write(rest, done, rest.length - done, at + bytesWritten + done)).bytesWritten;
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

/** A new name is only durable when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The disk's trouble as an error that callers know. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT") throw new AppError("not_found", "the file is not there any more", { cause });
    if (/^E[A-Z]+$/.test(code) && code !== "ECONNRESET")
      throw new AppError(
        "unavailable",
        code === "ENOSPC" ? "there is no space left for artifacts" : `artifacts cannot be kept now (${code})`,
        {
          cause,
        },
      );
    throw cause;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
