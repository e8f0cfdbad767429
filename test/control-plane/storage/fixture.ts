import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { openStorage } from "../../../src/control-plane/storage/open-storage.ts";
import type { Storage } from "../../../src/control-plane/storage/storage.ts";
import { startPostgres } from "../../support/postgres.ts";
import { t0 } from "./fixture-data.ts";

export * from "./fixture-data.ts";

export type EngineName = "sqlite" | "postgres";

/** Opens stores of both engines for one test file and closes what tests left open. */
export interface Engines {
  /** A new empty store; `at` opens another one's database again or beside it. */
  open(engine: EngineName, at?: StorePlace): Promise<Storage>;
  place(engine: EngineName): Promise<StorePlace>;
  /** SQLite, and PostgreSQL where `startPostgres` found one. */
  readonly names: readonly EngineName[];
}

export interface StorePlace {
  readonly databaseUrl?: string;
  readonly dataDir: string;
}

export async function useEngines(): Promise<Engines> {
  const server = await startPostgres();
  const folders: string[] = [];
  const opened: Storage[] = [];
  afterEach(async () => {
    for (const storage of opened.splice(0)) await storage.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  const place = async (engine: EngineName): Promise<StorePlace> => {
    const dataDir = mkdtempSync(join(tmpdir(), "outpost-storage-"));
    folders.push(dataDir);
    if (engine === "sqlite") return { dataDir };
    if (!server) throw new Error("no PostgreSQL to test with");
    return { dataDir, databaseUrl: await server.database(`test_${randomUUID().replaceAll("-", "")}`) };
  };
  return {
    place,
    async open(engine, at) {
      const storage = await openStorage({ ...(at ?? (await place(engine))), nowMs: t0, maxConnections: 6 });
      opened.push(storage);
      return storage;
    },
    names: server ? ["sqlite", "postgres"] : ["sqlite"],
  };
}
