import { lstat, readdir, rm, utimes } from "node:fs/promises";
import { join } from "node:path";

/** Takes away what was used longest ago, by its time of change, until the rest fits. @param isKept what stays in any case */
export async function makeRoom(folder: string, mostBytes: number, isKept: (path: string) => boolean): Promise<void> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const all = await Promise.all(paths.map(async (path) => ({ path, usedMs: (await lstat(path)).mtimeMs, bytes: await sizeOf(path) })));
  let bytes = all.reduce((sum, one) => sum + one.bytes, 0);
  for (const one of all.toSorted((a, b) => a.usedMs - b.usedMs)) {
    if (bytes <= mostBytes) return;
    if (isKept(one.path)) continue;
    await rm(one.path, { recursive: true, force: true });
    bytes -= one.bytes;
  }
}

/** Whether something is there; it counts as used now. */
export function isTouched(path: string): Promise<boolean> {
  const now = new Date();
  return utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

/** As it lies on the disk. */
async function sizeOf(path: string): Promise<number> {
  const about = await lstat(path);
  const own = about.blocks * 512;
  if (!about.isDirectory()) return own;
  let bytes = own;
  for (const name of await readdir(path)) bytes += await sizeOf(join(path, name));
  return bytes;
}
