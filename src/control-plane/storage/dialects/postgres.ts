import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { Tables } from "../schema.ts";
import { postgresError } from "./database-errors.ts";
import { translatedDialect } from "./translated-dialect.ts";

/** A server that does not answer in these times counts as unavailable. */
const timeouts = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: 30_000,
  query_timeout: 35_000,
  idle_in_transaction_session_timeout: 30_000,
};

/** How every connection to this server is made. Integers of 64 bits arrive as numbers: all of ours are below 2^53. */
export function connectionConfig(databaseUrl: string): pg.ClientConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(20, Number);
  return { connectionString: databaseUrl, application_name: "outpost", keepAlive: true, types, ...timeouts };
}

/** Kysely on a pool of connections; losses of a connection are told by the query that meets them. @param pace unhurried: statements may take hours */
export function openPostgres(databaseUrl: string, maxConnections: number, pace: "prompt" | "unhurried" = "prompt"): Kysely<Tables> {
  const pool = new pg.Pool({
    ...connectionConfig(databaseUrl),
    ...(pace === "unhurried" && { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 }),
    pipeline: true,
    max: maxConnections,
    idleTimeoutMillis: 60_000,
    // Kysely has a hook for this, too, but never gives back a connection that is lost in it: the pool would shrink, and never end.
    onConnect: withoutJit,
  });
  pool.on("error", () => undefined);
  // A client that is lost while somebody holds it tells nobody but its own listeners; without one the process would end.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return new Kysely<Tables>({ dialect: translatedDialect(new PostgresDialect({ pool }), postgresError) });
}

/**
 * Compiling a statement first takes the server 80 ms, and none of ours runs as long. It does so where it expects very many rows, as it
 * does of ranges that it knows nothing about.
 */
async function withoutJit(client: pg.ClientBase): Promise<void> {
  await client.query("set jit = off");
}
