import { open, rm } from "node:fs/promises";
import { join } from "node:path";

/** A place for bytes that still have their secrets. */
export interface RawFile {
  /** To be written and read any number of times. */
  readonly path: string;
  /** Frees the space. */
  close(): Promise<void>;
}

/**
 * A file without a name, so that nothing of it is found on the disk after a crash; it is reached through the descriptor. Only Linux can do
 * that: elsewhere it has a name until it is closed.
 */
export async function openRawFile(folder: string, name: string): Promise<RawFile> {
  const named = join(folder, name);
  const file = await open(named, "wx+", 0o600);
  if (process.platform !== "linux") {
    await file.close();
    return { path: named, close: () => rm(named, { force: true }) };
  }
  await rm(named);
  return { path: `/proc/self/fd/${file.fd}`, close: () => file.close() };
}
