import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect } from "vitest";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { copyMigratedStore, migratedDatabase } from "../../support/migrated-store.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { t0 } from "./fixture-data.ts";
import { ignoreStatements, recordStatements } from "./plans/seen-statements.ts";
import { forbiddenWholeReads } from "./plans/whole-read-gate.ts";

export * from "./fixture-data.ts";

export type EngineName = "sqlite" | "postgres";

/** Opens stores of both engines for one test file and closes what tests left open. */
export interface Engines {
  /** A new empty store; `at` opens another one's database again or beside it. */
  open(engine: EngineName, at?: StorePlace): Promise<Storage>;
  /** Where one is, with its schema and nothing else. */
  place(engine: EngineName): Promise<StorePlace>;
  /** Without a schema. */
  emptyPlace(engine: EngineName): Promise<StorePlace>;
  /** SQLite, and PostgreSQL where `startPostgres` found one. */
  readonly names: readonly EngineName[];
}

export interface StorePlace {
  readonly databaseUrl?: string;
  readonly dataDir: string;
}

export async function useEngines(): Promise<Engines> {
  const server = await startPostgres();
  recordStatements();
  const folders: string[] = [];
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    ignoreStatements();
    expect(await forbiddenWholeReads(server), "statements that read a growing table whole").toEqual([]);
    await server?.[Symbol.asyncDispose]();
  });
  const folder = (): string => {
    const made = mkdtempSync(join(tmpdir(), "outpost-storage-"));
    folders.push(made);
    return made;
  };
  const postgres = (): TestPostgres => {
    if (!server) throw new Error("no PostgreSQL to test with");
    return server;
  };
  const newName = (): string => `test_${randomUUID().replaceAll("-", "")}`;
  const emptyPlace: Engines["place"] = async (engine) =>
    engine === "sqlite" ? { dataDir: folder() } : { dataDir: folder(), databaseUrl: await postgres().database(newName()) };
  const place: Engines["place"] = async (engine) => {
    const dataDir = folder();
    if (engine === "postgres") return { dataDir, databaseUrl: await migratedDatabase(postgres(), newName()) };
    await copyMigratedStore(dataDir);
    return { dataDir };
  };
  return {
    place,
    emptyPlace,
    async open(engine, at) {
      const storage = await openStorage({ ...(at ?? (await place(engine))), nowMs: t0, maxConnections: 6 });
      opened.push(storage);
      return storage;
    },
    names: server ? ["sqlite", "postgres"] : ["sqlite"],
  };
}
