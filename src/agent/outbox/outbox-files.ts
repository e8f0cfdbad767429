import { open, readdir, readFile, rename, rmdir, unlink, utimes, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { makeFolder } from "#daemon/make-folder.ts";
import { syncFolder } from "#daemon/sync-folder.ts";

/** The few things that the outbox does to a disk; tests let the n-th of them fail. */
export interface OutboxFiles {
  makeFolder(path: string): Promise<void>;
  list(path: string): Promise<string[]>;
  create(path: string): Promise<AppendFile>;
  /** Writes a whole small file. */
  write(path: string, text: string | Buffer): Promise<void>;
  read(path: string): Promise<Buffer>;
  move(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  removeFolder(path: string): Promise<void>;
  touch(path: string): Promise<void>;
}

export interface AppendFile {
  /** Resolves when the bytes would survive a power cut. */
  append(bytes: Buffer): Promise<void>;
  /** Cuts off what a failed append may have left. */
  truncate(bytes: number): Promise<void>;
  close(): Promise<void>;
}

/** Files of this agent's user only: reports are scrubbed, but still nobody else's business. */
export const diskFiles: OutboxFiles = {
  async makeFolder(path) {
    await makeFolder(path);
  },
  list: (path) => readdir(path),
  async create(path) {
    const file = await open(path, "ax", 0o600);
    await syncFolder(dirname(path));
    return {
      async append(bytes) {
        for (let done = 0; done < bytes.length; ) done += (await file.write(bytes, done)).bytesWritten;
        await file.datasync();
      },
      truncate: (bytes) => file.truncate(bytes),
      close: () => file.close(),
    };
  },
  write: (path, text) => writeFile(path, text, { mode: 0o600 }),
  read: (path) => readFile(path),
  move: (from, to) => rename(from, to),
  remove: (path) => unlink(path),
  removeFolder: (path) => rmdir(path),
  async touch(path) {
    const now = new Date();
    await utimes(path, now, now);
  },
};
