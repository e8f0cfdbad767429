import { randomUUID } from "node:crypto";
import { migratedDatabase } from "./migrated-store.ts";
import { startPostgres } from "./postgres.ts";

/** A store that the control plane can work on. */
export interface EngineUnderTest {
  readonly name: "SQLite" | "PostgreSQL";
  /** The URL of a new database with its schema; undefined for SQLite, which comes with the data folder. */
  readonly databaseUrl: () => Promise<string | undefined>;
}

/** SQLite, and PostgreSQL where this machine has it; why not is printed. Dispose of it after all tests of the file. */
export async function enginesUnderTest(): Promise<AsyncDisposable & { readonly list: readonly EngineUnderTest[] }> {
  const postgres = await startPostgres();
  const sqlite: EngineUnderTest = { name: "SQLite", databaseUrl: async () => undefined };
  if (postgres === undefined) return { list: [sqlite], [Symbol.asyncDispose]: async () => undefined };
  const databaseUrl = (): Promise<string> => migratedDatabase(postgres, `e2e_${randomUUID().replaceAll("-", "")}`);
  return { list: [sqlite, { name: "PostgreSQL", databaseUrl }], [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose]() };
}
