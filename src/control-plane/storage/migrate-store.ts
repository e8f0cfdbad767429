import { hasCode } from "#domain/app-error.ts";
import { lockFolder } from "./dialects/folder-lock.ts";
import { openPostgres } from "./dialects/postgres.ts";
import { connectSqlite } from "./dialects/sqlite-engine.ts";
import { migrations } from "./migrations/index.ts";
import { assertCurrent, migrate } from "./migrations/migrate.ts";
import { privateFiles, type StorageOptions } from "./open-storage.ts";

/** What a migration found and left, as schema versions. */
export interface Migrated {
  readonly from: number;
  readonly to: number;
  readonly applied: readonly number[];
}

/**
 * Brings the schema up to date and closes the store again. Where a process has the SQLite folder, it has migrated already, or has
 * another version.
 *
 * @throws {AppError} as `openStorage`
 */
export async function migrateStore(options: Pick<StorageOptions, "databaseUrl" | "dataDir" | "nowMs">): Promise<Migrated> {
  const applied = await (options.databaseUrl === undefined ? migrateSqlite(options) : migrateServer(options.databaseUrl, options.nowMs));
  const to = migrations.at(-1)?.version ?? 0;
  return { from: (applied[0] ?? to + 1) - 1, to, applied };
}

async function migrateSqlite({ dataDir, nowMs }: Pick<StorageOptions, "dataDir" | "nowMs">): Promise<readonly number[]> {
  const { lock, path } = await privateFiles(dataDir);
  const release = orNull(() => lockFolder(lock));
  const { db, close } = connectSqlite(path, false);
  try {
    if (release !== null) return await migrate(db, "sqlite", migrations, nowMs);
    await assertCurrent(db, migrations);
    return [];
  } finally {
    await close();
    release?.();
  }
}

async function migrateServer(databaseUrl: string, nowMs: number): Promise<readonly number[]> {
  const db = openPostgres(databaseUrl, 1);
  try {
    return await migrate(db, "postgres", migrations, nowMs);
  } finally {
    await db.destroy();
  }
}

function orNull(lock: () => () => void): (() => void) | null {
  try {
    return lock();
  } catch (error) {
    if (hasCode(error, "conflict")) return null;
    throw error;
  }
}
