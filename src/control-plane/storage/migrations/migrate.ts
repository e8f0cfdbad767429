import { CompiledQuery, type Kysely, sql } from "kysely";
import { AppError } from "#domain/app-error.ts";
import type { Tables, Trx } from "../schema.ts";
import type { Migration } from "./migration.ts";

/** Any number: processes that migrate one PostgreSQL database wait for each other on it. */
const migrationLock = 712_350_001;

/**
 * Brings the database to the newest version, in one transaction under a lock: a second process waits and then finds nothing to do,
 * and a process that is killed half way leaves what was there before.
 *
 * @returns the versions applied now
 * @throws {AppError} conflict when the database is newer than this program
 */
export async function migrate(
  db: Kysely<Tables>,
  engine: "sqlite" | "postgres",
  migrations: readonly Migration[],
  nowMs: number,
): Promise<readonly number[]> {
  return db.transaction().execute(async (trx) => {
    if (engine === "postgres") await sql`select pg_advisory_xact_lock(${migrationLock})`.execute(trx);
    const from = await versionOf(trx);
    const newest = migrations.at(-1)?.version ?? 0;
    if (from > newest) {
      throw new AppError(
        "conflict",
        `the database has schema version ${from}, and this Outpost knows only ${newest}: start a newer Outpost, or restore a backup`,
      );
    }
    const due = migrations.filter((migration) => migration.version > from);
    for (const migration of due) {
      for (const statement of migration.statements(engine)) await trx.executeQuery(CompiledQuery.raw(statement));
      await trx.insertInto("schema_version").values({ version: migration.version, applied_at: nowMs }).execute();
    }
    return due.map((migration) => migration.version);
  });
}

/** For a process that works beside another one and must not change the schema. @throws {AppError} conflict when it is another one */
export async function assertCurrent(db: Kysely<Tables>, migrations: readonly Migration[]): Promise<void> {
  const found = await db.transaction().execute(versionOf);
  const known = migrations.at(-1)?.version ?? 0;
  if (found === known) return;
  throw new AppError("conflict", `the running Outpost has schema version ${found}, this one needs ${known}: run both in the same version`);
}

async function versionOf(trx: Trx): Promise<number> {
  await sql`create table if not exists schema_version (version integer primary key, applied_at bigint not null)`.execute(trx);
  const { version } = await trx
    .selectFrom("schema_version")
    .select((eb) => eb.fn.max("version").as("version"))
    .executeTakeFirstOrThrow();
  return version ?? 0;
}
