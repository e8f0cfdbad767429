import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { distribute } from "../../src/control-plane/storage/citus/distribute.ts";
import { openPostgres } from "../../src/control-plane/storage/dialects/postgres.ts";
import { Partitions } from "../../src/control-plane/storage/dialects/postgres-partitions.ts";
import { connectSqlite } from "../../src/control-plane/storage/dialects/sqlite-engine.ts";
import { migrations } from "../../src/control-plane/storage/migrations/index.ts";
import { migrate } from "../../src/control-plane/storage/migrations/migrate.ts";
import { privateFiles } from "../../src/control-plane/storage/open-storage.ts";
import type { TestCitus } from "./citus.ts";
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

type Server = Pick<TestPostgres, "database" | "urlOf">;

const templates = new WeakMap<Server, Promise<string>>();

/** Makes a database of it, and answers its URL. */
export async function migratedDatabase(server: Server, name: string): Promise<string> {
  const template =
    templates.get(server) ??
    templateOn(server, "migrated", migrateAt, async (sql, made) => {
      await sql.query(`alter database "${made}" with is_template true`);
    });
  templates.set(server, template);
  return server.database(name, await template);
}

/** The same on a cluster, with its history distributed and the days that most tests write to. */
export async function distributedDatabase(cluster: TestCitus, name: string, nowMs: number): Promise<string> {
  const days = [0, 1, 2].map((day) => (nowMs + day * 86_400_000) * 1_000);
  const template =
    templates.get(cluster) ??
    templateOn(
      cluster,
      `distributed_${nowMs}`,
      (url) => distributeAt(url, days),
      (_sql, made) => cluster.freeze(made),
    );
  templates.set(cluster, template);
  return cluster.database(name, await template);
}

async function migrateAt(url: string): Promise<void> {
  const db = openPostgres(url, 1);
  await migrate(db, "postgres", migrations, 0);
  await db.destroy();
}

async function distributeAt(url: string, days: readonly number[]): Promise<void> {
  await migrateAt(url);
  await distribute(url, () => undefined);
  const db = openPostgres(url, 1);
  await new Partitions(db).ensure(days);
  await db.destroy();
}

/** By the hash of its statements, since a server may serve several states of the program; the first process that asks makes it. */
async function templateOn(
  server: Server,
  kind: string,
  fill: (url: string) => Promise<void>,
  finish: (sql: pg.Client, name: string) => Promise<void>,
): Promise<string> {
  const statements = migrations.map((migration) => migration.statements("postgres"));
  const name = `${kind}_${createHash("sha256").update(JSON.stringify(statements)).digest("hex").slice(0, 16)}`;
  const lock = new pg.Client({ connectionString: server.urlOf("postgres") });
  await lock.connect();
  try {
    await lock.query("select pg_advisory_lock(712350002)");
    const { rowCount } = await lock.query("select 1 from pg_database where datname = $1 and datistemplate", [name]);
    if (rowCount === 0) {
      await fill(await server.database(name));
      await finish(lock, name);
    }
    return name;
  } finally {
    await lock.end();
  }
}
