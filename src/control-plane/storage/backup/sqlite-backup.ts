import { existsSync, statSync } from "node:fs";
import { copyFile, link, rename } from "node:fs/promises";
import { join, resolve } from "node:path";
import { sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import { lockFolder } from "../dialects/folder-lock.ts";
import { sqliteDamage } from "../dialects/sqlite-damage.ts";
import { connectSqlite } from "../dialects/sqlite-engine.ts";
import { privateFiles } from "../open-storage.ts";
import { makeBackupFile, moveDurably } from "./backup-file.ts";

const progressMs = 2_000;

export interface SqliteBackup {
  readonly dataDir: string;
  /** The backup; nothing may stand there. */
  readonly output: string;
  /** Now and then, with the bytes written so far and about how many there will be. */
  readonly onProgress: (bytes: number, ofBytes: number) => void;
}

/**
 * Writes all of a database into one file, as it was at one moment, beside whatever writes to it. The file is read through and synced before
 * it has its name.
 *
 * @throws {AppError} not_found where there is no database, conflict where the output exists or the copy is damaged, unavailable
 */
export async function backUpSqlite({ dataDir, output, onProgress }: SqliteBackup): Promise<void> {
  const path = join(dataDir, "outpost.db");
  if (!existsSync(path)) throw new AppError("not_found", `there is no database in ${resolve(dataDir)}`);
  await makeBackupFile(output, async (draft) => {
    const timer = setInterval(() => onProgress(sizeOf(draft), sizeOf(path)), progressMs);
    const { db, close } = connectSqlite(path, true);
    try {
      await sql`vacuum into ${draft}`.execute(db);
    } finally {
      clearInterval(timer);
      await close();
    }
    await assertWhole(draft);
  });
}

/** Takes a backup apart from the data folder: what is made of it there is put in its place by `replaceSqlite`. @throws {AppError} conflict when it is damaged */
export async function unpackSqlite(file: string, dataDir: string): Promise<void> {
  const { path } = await privateFiles(dataDir);
  await copyFile(file, path);
  await assertWhole(path);
}

/**
 * Puts the database of one folder in the place of another's, which it keeps under a name of its own where there was one. Killed at any
 * moment, it leaves the one or the other.
 *
 * @returns the name under which the one before is kept; null when there was none
 * @throws {AppError} conflict when a process uses the folder
 */
export async function replaceSqlite(fromDir: string, dataDir: string, stamp: string): Promise<string | null> {
  const { lock, path } = await privateFiles(dataDir);
  const release = lockFolder(lock);
  try {
    const kept = sizeOf(path) === 0 ? null : `${path}.before-${stamp}`;
    if (kept !== null) await keep(path, kept);
    await moveDurably(join(fromDir, "outpost.db"), path);
    return kept;
  } finally {
    release();
  }
}

/** Its log belongs to it: a log that stays would be played into the next database of this name. */
async function keep(path: string, kept: string): Promise<void> {
  const { close, db } = connectSqlite(path, false);
  await sql`pragma wal_checkpoint(truncate)`.execute(db).catch(() => undefined); // a damaged one keeps its log, below
  await close();
  for (const part of ["-wal", "-shm"]) if (existsSync(`${path}${part}`)) await rename(`${path}${part}`, `${kept}${part}`);
  await link(path, kept);
}

async function assertWhole(path: string): Promise<void> {
  const damage = await sqliteDamage(path);
  if (damage !== null) throw new AppError("conflict", damage);
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
