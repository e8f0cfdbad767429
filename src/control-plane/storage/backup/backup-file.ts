import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "#daemon/sync-folder.ts";
import { AppError } from "#domain/app-error.ts";

/** Makes a file of this user alone, which has its name only once it is whole and on disk. @throws {AppError} conflict where it exists */
export async function makeBackupFile(output: string, write: (draft: string) => Promise<void>): Promise<void> {
  if (existsSync(output)) throw new AppError("conflict", `${output} exists; name another file, or remove it`);
  const draft = `${output}.part`;
  try {
    await rm(draft, { force: true });
    await (await open(draft, "wx", 0o600)).close(); // whoever fills it keeps its mode
    await write(draft);
    await moveDurably(draft, output);
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause) || cause instanceof AppError) throw cause;
    throw new AppError("unavailable", `${output} cannot be written (${String(cause.code)})`, { cause });
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

export async function moveDurably(from: string, to: string): Promise<void> {
  const file = await open(from, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(from, to);
  await syncFolder(dirname(to));
}
