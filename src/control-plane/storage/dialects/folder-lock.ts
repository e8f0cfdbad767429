import { DatabaseSync } from "node:sqlite";
import { AppError } from "#domain/app-error.ts";

/**
 * Takes the data folder for this process: an exclusive transaction on an empty SQLite file beside the database. The kernel releases
 * it when the process ends, however it ends, so there is no stale lock to clean up.
 *
 * @returns the release
 * @throws {AppError} conflict when another process has it
 */
export function lockFolder(path: string): () => void {
  const lock = new DatabaseSync(path);
  try {
    lock.exec("pragma busy_timeout = 0; begin exclusive");
  } catch (cause) {
    lock.close();
    throw new AppError(
      "conflict",
      `another Outpost uses this data folder (${path} is locked): stop it, or set DATABASE_URL, as several control planes need PostgreSQL`,
      { cause },
    );
  }
  return () => lock.close();
}
