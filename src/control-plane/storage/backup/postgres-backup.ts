import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { sql } from "kysely";
import type { Env } from "#daemon/env.ts";
import { AppError } from "#domain/app-error.ts";
import { openPostgres } from "../dialects/postgres.ts";
import { makeBackupFile } from "./backup-file.ts";

export interface PostgresPlace {
  readonly databaseUrl: string;
  /** For the client programs, of which they get what is theirs. */
  readonly env: Env;
}

/**
 * All of a PostgreSQL database as pg_dump writes it, as it was at one moment; pg_restore reads its list before it has its name.
 *
 * @throws {AppError} conflict where the output exists, unavailable with what the program said, or where it is not installed
 */
export async function backUpPostgres({ databaseUrl, env }: PostgresPlace, output: string): Promise<void> {
  await makeBackupFile(output, async (draft) => {
    const client = withDatabase(env, databaseUrl);
    await run("pg_dump", ["--format=custom", "--no-owner", "--no-privileges", `--file=${draft}`, client.database], client.env);
    await assertDump(draft, env);
  });
}

/**
 * Fills an empty database from such a file, in one transaction.
 *
 * @throws {AppError} conflict where the database is not empty or the file is no dump of Outpost, unavailable as above
 */
export async function restorePostgres({ databaseUrl, env }: PostgresPlace, file: string): Promise<void> {
  await assertDump(file, env);
  const db = openPostgres(databaseUrl, 1);
  try {
    const { rows } = await sql<{ name: string }>`select tablename as name from pg_tables where schemaname = 'public' limit 1`.execute(db);
    if (rows.length > 0)
      throw new AppError(
        "conflict",
        `the database of DATABASE_URL is not empty (it has the table ${rows[0]?.name}); make an empty one with createdb, and name it`,
      );
  } finally {
    await db.destroy();
  }
  const client = withDatabase(env, databaseUrl);
  await run("pg_restore", ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", client.database, file], client.env);
}

async function assertDump(file: string, env: Env): Promise<void> {
  const list = await run("pg_restore", ["--list", file], env);
  if (!/ TABLE DATA \S+ schema_version /.test(list))
    throw new AppError("conflict", `${file} is no backup of Outpost: it has no schema version`);
}

/** The password goes by the environment: a list of processes shows words. */
function withDatabase(env: Env, databaseUrl: string): { readonly database: string; readonly env: Env } {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  url.password = "";
  return { database: `--dbname=${url.href}`, env: password === "" ? env : { ...env, PGPASSWORD: password } };
}

async function run(program: string, words: readonly string[], env: Env): Promise<string> {
  const theirs = Object.entries(env).filter(([name]) => /^(PATH|HOME|PG[A-Z]+)$/.test(name));
  const child = spawn(program, words, { env: Object.fromEntries(theirs), stdio: ["ignore", "pipe", "pipe"] });
  const { promise: ended, resolve, reject } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  child.once("error", reject);
  try {
    const [code, out, told] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    if (code === 0) return out;
    throw new AppError("unavailable", `${program} failed: ${told.trim().split("\n").slice(-3).join(" ")}`);
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    throw new AppError(
      "unavailable",
      `${program} cannot be started; install PostgreSQL's client programs, of the server's version or newer`,
      {
        cause,
      },
    );
  }
}
