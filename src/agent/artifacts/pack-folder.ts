import { createWriteStream } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";
import { create } from "tar";
import { AppError } from "#domain/app-error.ts";

export interface PackBounds {
  /** Of all files together, before they are packed. */
  readonly bytes: number;
  readonly files: number;
}

export interface PackTask {
  readonly folder: string;
  /** Written anew. */
  readonly to: string;
  readonly bounds: PackBounds;
  readonly signal: AbortSignal;
}

/**
 * Packs the files of a folder into a `.tar.gz`. Only plain files and folders: a link may lead out of the folder, so links, sockets and
 * devices are left out. Owners and times of this machine do not travel.
 *
 * @returns how many files were packed
 * @throws {AppError} too_large above the bounds
 */
export async function packFolder({ folder, to, bounds, signal }: PackTask): Promise<number> {
  const files = await plainFiles(folder, bounds, signal);
  const options = { cwd: folder, gzip: { level: 6 }, portable: true, noMtime: true, noDirRecurse: true, strict: true };
  await pipeline(create(options, files), createWriteStream(to, { mode: 0o600 }), { signal });
  return files.length;
}

/** What is opened first comes first: who reads only that need not unpack what lies behind it. */
const startPage = "./index.html";

/** Paths inside the folder, sorted, so that the same files make the same archive. */
async function plainFiles(folder: string, bounds: PackBounds, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  const pending = [folder];
  let bytes = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of await readdir(next, { withFileTypes: true })) {
      signal.throwIfAborted();
      const path = join(next, entry.name);
      if (entry.isDirectory()) pending.push(path);
      if (!entry.isFile()) continue;
      bytes += (await lstat(path)).size;
      found.push(`./${relative(folder, path)}`); // never the "@file" that tar would read as another archive
      if (bytes > bounds.bytes || found.length > bounds.files) {
        throw new AppError("too_large", `the folder has more than ${bounds.files} files or ${bounds.bytes} bytes`);
      }
    }
  }
  return found.toSorted((one, other) => Number(other === startPage) - Number(one === startPage) || (one < other ? -1 : 1));
}
