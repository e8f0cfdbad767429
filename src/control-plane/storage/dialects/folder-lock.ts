import { DatabaseSync } from "node:sqlite";
import { AppError } from "#domain/app-error.ts";
import { sqliteError } from "./database-errors.ts";

/** SQLITE_BUSY and SQLITE_LOCKED. */
const busyCodes: ReadonlySet<number> = new Set([5, 6]);

/**
 * Takes the data folder for this process: an exclusive transaction on an empty SQLite file beside the database. The kernel releases
 * it when the process ends, however it ends, so there is no stale lock to clean up.
 *
 * @returns the release
 * @throws {AppError} conflict when another process has it; unavailable when the file cannot be used
 */
export function lockFolder(path: string): () => void {
  const lock = new DatabaseSync(path);
  try {
    lock.exec("pragma journal_mode = memory; pragma busy_timeout = 0; begin exclusive"); // it writes nothing: the disk may be full
  } catch (cause) {
    lock.close();
    const errcode = cause instanceof Error && "errcode" in cause ? Number(cause.errcode) : 0;
    if (!busyCodes.has(errcode & 0xff)) throw sqliteError(cause instanceof Error ? cause.message : String(cause), errcode);
    throw new AppError(
      "conflict",
      `another Outpost uses this data folder (${path} is locked): stop it, or set DATABASE_URL, as several control planes need PostgreSQL`,
      { cause },
    );
  }
  return () => lock.close();
}
