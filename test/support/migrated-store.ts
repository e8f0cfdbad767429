import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { openPostgres } from "../../src/control-plane/storage/dialects/postgres.ts";
import { connectSqlite } from "../../src/control-plane/storage/dialects/sqlite-engine.ts";
import { migrations } from "../../src/control-plane/storage/migrations/index.ts";
import { migrate } from "../../src/control-plane/storage/migrations/migrate.ts";
import { privateFiles } from "../../src/control-plane/storage/open-storage.ts";
import type { TestPostgres } from "./postgres.ts";

/*
 * Stores that have their schema and nothing else. Tests open thousands of them: to copy one takes a twentieth of the time that
 * its migrations take. What migrations do is tested from an empty place.
 */

let sqlite: Promise<Buffer> | undefined;

/** Puts one into a data folder, as `privateFiles` makes it. */
export async function copyMigratedStore(dataDir: string): Promise<void> {
  sqlite ??= migratedFile();
  const { path } = await privateFiles(dataDir);
  await writeFile(path, await sqlite);
}

async function migratedFile(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), "outpost-migrated-"));
  try {
    const { path } = await privateFiles(folder);
    const { db, close } = connectSqlite(path, false);
    await migrate(db, "sqlite", migrations, 0);
    await close();
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const templates = new WeakMap<TestPostgres, Promise<string>>();

/** Makes a database of it, and answers its URL. */
export async function migratedDatabase(server: TestPostgres, name: string): Promise<string> {
  const template = templates.get(server) ?? migratedTemplate(server);
  templates.set(server, template);
  return server.database(name, await template);
}

/** By the hash of its statements, since a server may serve several states of the program; the first process that asks makes it. */
async function migratedTemplate(server: TestPostgres): Promise<string> {
  const statements = migrations.map((migration) => migration.statements("postgres"));
  const name = `migrated_${createHash("sha256").update(JSON.stringify(statements)).digest("hex").slice(0, 16)}`;
  const lock = new pg.Client({ connectionString: server.urlOf("postgres") });
  await lock.connect();
  try {
    await lock.query("select pg_advisory_lock(712350002)");
    const { rowCount } = await lock.query("select 1 from pg_database where datname = $1 and datistemplate", [name]);
    if (rowCount === 0) {
      const db = openPostgres(await server.database(name), 1);
      await migrate(db, "postgres", migrations, 0);
      await db.destroy();
      await lock.query(`alter database "${name}" with is_template true`);
    }
    return name;
  } finally {
    await lock.end();
  }
}
