import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, expect } from "vitest";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { builtCitus, startCitus, type TestCitus } from "../../support/citus.ts";
import { copyMigratedStore, distributedDatabase, migratedDatabase } from "../../support/migrated-store.ts";
import { startPostgres, type TestPostgres } from "../../support/postgres.ts";
import { t0 } from "./fixture-data.ts";
import { ignoreStatements, recordStatements } from "./plans/seen-statements.ts";
import { forbiddenWholeReads } from "./plans/whole-read-gate.ts";

export * from "./fixture-data.ts";

export type EngineName = "sqlite" | "postgres" | "citus";

/** Opens stores of all engines for one test file and closes what tests left open. */
export interface Engines {
  /** A new empty store; `at` opens another one's database again or beside it. */
  open(engine: EngineName, at?: StorePlace): Promise<Storage>;
  /** Where one is, with its schema and nothing else. */
  place(engine: EngineName): Promise<StorePlace>;
  /** Without a schema. */
  emptyPlace(engine: EngineName): Promise<StorePlace>;
  /** Without the cluster: of what lies on its coordinator alone, or begins with an empty database. */
  readonly oneServer: readonly ("sqlite" | "postgres")[];
  /** SQLite, PostgreSQL where `startPostgres` found one, and a Citus cluster where `startCitus` did. */
  readonly names: readonly EngineName[];
}

export interface StorePlace {
  readonly databaseUrl?: string;
  readonly dataDir: string;
}

export async function useEngines(): Promise<Engines> {
  const server = await startPostgres();
  const hasCluster = server !== undefined && builtCitus() !== undefined;
  let cluster: Promise<TestCitus | undefined> | undefined; // it takes seconds, and some files want no store there
  recordStatements();
  const folders: string[] = [];
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    for (const name of onCluster.splice(0)) await (await cluster)?.drop(name); // each has processes of its own there
  });
  afterAll(async () => {
    ignoreStatements();
    expect(await forbiddenWholeReads(server), "statements that read a growing table whole").toEqual([]);
    await server?.[Symbol.asyncDispose]();
    await (await cluster)?.[Symbol.asyncDispose]();
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
  const onCluster: string[] = [];
  const citus = async (): Promise<readonly [TestCitus, string]> => {
    cluster ??= startCitus();
    const started = await cluster;
    if (!started) throw new Error("no Citus to test with");
    const name = newName();
    onCluster.push(name);
    return [started, name];
  };
  const oneServer = ["sqlite" as const, ...(server ? ["postgres" as const] : [])];
  const newName = (): string => `test_${randomUUID().replaceAll("-", "")}`;
  const emptyPlace: Engines["place"] = async (engine) => {
    if (engine === "sqlite") return { dataDir: folder() };
    const [of, name] = engine === "citus" ? await citus() : [postgres(), newName()];
    return { dataDir: folder(), databaseUrl: await of.database(name) };
  };
  const place: Engines["place"] = async (engine) => {
    const dataDir = folder();
    if (engine === "postgres") return { dataDir, databaseUrl: await migratedDatabase(postgres(), newName()) };
    if (engine === "citus") return { dataDir, databaseUrl: await distributedDatabase(...(await citus()), t0) };
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
    oneServer,
    names: [...oneServer, ...(hasCluster ? ["citus" as const] : [])],
  };
}
