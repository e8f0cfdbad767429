import { randomUUID } from "node:crypto";
import { lstat, readdir, rename, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { removeTree } from "../playwright/run-folder.ts";

/** What is taken away: no name of these is ever found, so that nobody uses half of something. */
const oldPrefix = ".old-";
/** What is not whole yet. */
const newSuffix = ".new";
/** What is written longer than this was left by an agent that was killed. */
const longestWriteMs = 24 * 60 * 60_000;

/**
 * Takes away what was used longest ago, by its time of change, until the rest fits. Other agents may do the same in the folder. It never throws:
 * a run does not fail for the sake of room, and what could not go now goes the next time.
 *
 * @param isKept what stays in any case; it is told when it was used last, too
 */
export async function makeRoom(folder: string, mostBytes: number, isKept: (path: string, usedMs: number) => boolean): Promise<void> {
  const all = (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  const isOld = (path: string): boolean => basename(path).startsWith(oldPrefix);
  for (const path of all.filter(isOld)) await removeTree(path).catch(() => {}); // the next time
  const found = await Promise.all(all.filter((path) => !isOld(path)).map(measured));
  const there = found.filter((one) => one !== null);
  let bytes = there.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of there.toSorted((a, b) => a.usedMs - b.usedMs)) {
    if (one.path.endsWith(newSuffix)) {
      if (Date.now() - one.usedMs > longestWriteMs) await remove(one.path);
      continue;
    }
    if (bytes <= mostBytes || isKept(one.path, one.usedMs)) continue;
    await remove(one.path);
    bytes -= one.bytes;
  }
}

/** What lies in a folder of a cache, as far as it is whole. */
export interface Kept {
  readonly entries: number;
  readonly bytes: number;
}

/** Reads all of it: for doctors and health, not for runs. Nothing where there is no such folder. */
export async function keptIn(folder: string): Promise<Kept> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => !name.startsWith(oldPrefix) && !name.endsWith(newSuffix));
  const found = (await Promise.all(names.map((name) => measured(join(folder, name))))).filter((one) => one !== null);
  return { entries: found.length, bytes: found.reduce((sum, { bytes }) => sum + bytes, 0) };
}

/** Whether something is there; it counts as used now. */
export function isTouched(path: string): Promise<boolean> {
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** Takes it away by its name first, so that it is whole or not there. */
export async function remove(path: string): Promise<void> {
  const old = join(path, "..", `${oldPrefix}${randomUUID()}`);
  try {
    await rename(path, old);
    await removeTree(old);
  } catch {
    // somebody was faster, or it goes the next time
  }
}

interface Measured {
  readonly path: string;
  readonly usedMs: number;
  readonly bytes: number;
}

/** Null where somebody took it away meanwhile. */
async function measured(path: string): Promise<Measured | null> {
  const about = await lstat(path).catch(() => null);
  return about === null ? null : { path, usedMs: about.mtimeMs, bytes: path.endsWith(newSuffix) ? 0 : await sizeOf(path) };
}

/** As it lies on the disk; what somebody takes away meanwhile has none. */
async function sizeOf(path: string): Promise<number> {
  const about = await lstat(path).catch(() => null);
  if (about === null) return 0;
  let bytes = about.blocks * 512;
  if (!about.isDirectory()) return bytes;
  for (const name of await readdir(path).catch(() => [])) bytes += await sizeOf(join(path, name));
  return bytes;
}
