import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "#daemon/sync-folder.ts";
import { AppError } from "#domain/app-error.ts";

/** SQLite's write-ahead log, where a commit is as soon as it has ended, and which a power cut may take back until it is synced. */
export interface SqliteLog {
  /** Resolves when everything committed before this call is on disk: one sync for all who ask while another runs. @throws {AppError} unavailable */
  readonly synced: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * Syncs the log of a database in WAL mode beside the thread that writes it, so that no transaction waits for the sync of another:
 * `synchronous = full` syncs within each commit, one after the other.
 *
 * After a sync that failed the system may forget what it could not write and call the next one a success, so each later one fails
 * until the database is opened anew.
 */
export function openSqliteLog(database: string): SqliteLog {
  let file: Promise<FileHandle> | undefined;
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  async function sync(): Promise<void> {
    try {
      file ??= openLog(database);
      await (await file).datasync();
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown error";
      throw new AppError("unavailable", `the database cannot be synced to its disk (${code}); look at the disk, then start Outpost anew`, {
        cause,
      });
    }
  }

  return {
    synced() {
      next ??= current.then(() => {
        current = next ?? current;
        next = undefined;
        return sync();
      });
      return next;
    },
    async close() {
      await (next ?? current).catch(() => undefined);
      await (await file?.catch(() => undefined))?.close();
    },
  };
}

async function openLog(database: string): Promise<FileHandle> {
  const file = await open(`${database}-wal`, "r");
  await syncFolder(dirname(database)); // the log may have been made just now
  return file;
}
