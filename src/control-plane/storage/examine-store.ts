import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { openPostgres } from "./dialects/postgres.ts";
import { sqliteDamage } from "./dialects/sqlite-damage.ts";
import { connectSqlite } from "./dialects/sqlite-engine.ts";
import { migrations } from "./migrations/index.ts";
import type { Tables } from "./schema.ts";

/** What a look at a store found, which changes nothing in it. */
export interface StoreExamination {
  /** As the server tells it, "15.4 (Debian …)"; null: SQLite. */
  readonly server: string | null;
  /** Version of the schema; 0: there is none yet. */
  readonly schema: number;
  /** Which this program needs. */
  readonly neededSchema: number;
  /** What a write failed with; null: it can be written. */
  readonly writeFailure: Error | null;
  /** Milliseconds by which this machine's clock is ahead of the database's; null: they are one. */
  readonly aheadMs: number | null;
  readonly marks: ReadonlyMap<string, string>;
  readonly locations: readonly ExaminedLocation[];
  /** Agents of the last 24 hours, newest contact first. */
  readonly agents: readonly ExaminedAgent[];
}

export interface ExaminedLocation {
  readonly location: string;
  /** Null: no agent was ever there. */
  readonly lastSeenAtMs: number | null;
}

export interface ExaminedAgent {
  readonly agentId: string;
  readonly version: string;
  readonly location: string;
}

/** Larger files take longer than somebody waits who asks what is wrong. */
const readWholeBytes = 4 * 1_073_741_824;
const dayMs = 86_400_000;
const mostRows = 2_000;

/** @throws {AppError} or what the driver says, for `openingProblem` to put into words */
export async function examinePostgres(databaseUrl: string, nowMs: () => number): Promise<StoreExamination> {
  const db = openPostgres(databaseUrl, 1);
  try {
    return await examined(db, "postgres", nowMs);
  } finally {
    await db.destroy();
  }
}

/** @returns null where no control plane has started yet @throws {AppError} unavailable */
export async function examineSqlite(
  dataDir: string,
  nowMs: () => number,
): Promise<(StoreExamination & { readonly isWhole: boolean }) | { readonly damage: string } | null> {
  const path = join(dataDir, "outpost.db");
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return null;
  const damage = size > readWholeBytes ? null : await sqliteDamage(path);
  if (damage !== null) return { damage };
  const { db, close } = connectSqlite(path, false);
  try {
    return { ...(await examined(db, "sqlite", nowMs)), isWhole: size <= readWholeBytes };
  } finally {
    await close();
  }
}

/** The migration that made their table. */
const marksSince = 3;

async function examined(db: Kysely<Tables>, engine: "sqlite" | "postgres", nowMs: () => number): Promise<StoreExamination> {
  const { server, aheadMs } = engine === "postgres" ? await serverOf(db, nowMs) : { server: null, aheadMs: null };
  const schema = await schemaOf(db, engine);
  const neededSchema = migrations.at(-1)?.version ?? 0;
  const base = { server, aheadMs, schema, neededSchema };
  if (schema < marksSince) return { ...base, writeFailure: null, marks: new Map(), locations: [], agents: [] };
  const rows = await db.selectFrom("marks").select(["name", "value"]).where("name", "in", ["pepper", "data-key"]).execute();
  const marks = new Map(rows.map(({ name, value }) => [name, value]));
  // Another schema may have other tables: nothing more is asked of it.
  if (schema !== neededSchema) return { ...base, writeFailure: null, marks, locations: [], agents: [] };
  return {
    ...base,
    writeFailure: await writeFailureOf(db),
    marks,
    locations: await locationsOf(db),
    agents: await agentsOf(db, nowMs() - dayMs),
  };
}

async function serverOf(db: Kysely<Tables>, nowMs: () => number): Promise<{ readonly server: string; readonly aheadMs: number }> {
  const beforeMs = nowMs();
  const { rows } = await sql<{ server: string; ms: number }>`
    select current_setting('server_version') as server, (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("a select without a table has one row");
  return { server: row.server, aheadMs: (beforeMs + nowMs()) / 2 - row.ms };
}

async function schemaOf(db: Kysely<Tables>, engine: "sqlite" | "postgres"): Promise<number> {
  const found =
    engine === "postgres"
      ? await sql<{ n: number }>`select 1 as n where to_regclass('schema_version') is not null`.execute(db)
      : await sql<{ n: number }>`select 1 as n from sqlite_master where name = 'schema_version'`.execute(db);
  if (found.rows.length === 0) return 0;
  const { version } = await db
    .selectFrom("schema_version")
    .select((eb) => eb.fn.max("version").as("version"))
    .executeTakeFirstOrThrow();
  return version ?? 0;
}

/** Writes a row in a transaction and takes it back. */
async function writeFailureOf(db: Kysely<Tables>): Promise<Error | null> {
  const takenBack = new Error("taken back");
  try {
    await db.transaction().execute(async (trx) => {
      await trx
        .insertInto("marks")
        .values({ name: `doctor-${randomUUID()}`, value: "" })
        .execute();
      throw takenBack;
    });
    return null;
  } catch (error) {
    if (error === takenBack) return null;
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Without data centers that no agent was ever at: each store has rows of all of them. */
async function locationsOf(db: Kysely<Tables>): Promise<readonly ExaminedLocation[]> {
  const rows = await db
    .selectFrom("locations")
    .select(["code", "last_seen_at"])
    .where("removed_at", "is", null)
    .where((eb) => eb.or([eb("account_id", "is not", null), eb("last_seen_at", "is not", null)]))
    .orderBy("code")
    .limit(mostRows)
    .execute();
  return rows.map((row) => ({ location: row.code, lastSeenAtMs: row.last_seen_at }));
}

async function agentsOf(db: Kysely<Tables>, sinceMs: number): Promise<readonly ExaminedAgent[]> {
  const rows = await db
    .selectFrom("agent_sessions")
    .innerJoin("locations", "locations.id", "agent_sessions.location_id")
    .select(["agent_sessions.agent_id", "agent_sessions.version", "locations.code"])
    .where("agent_sessions.runs_checks", "=", 1)
    .where("agent_sessions.last_seen_at", ">=", sinceMs)
    .orderBy("agent_sessions.last_seen_at", "desc")
    .limit(mostRows)
    .execute();
  const newest = new Map<string, ExaminedAgent>();
  for (const row of rows) {
    const agent = { agentId: row.agent_id, version: row.version, location: row.code };
    if (!newest.has(agent.agentId)) newest.set(agent.agentId, agent);
  }
  return [...newest.values()];
}
