import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "../../test/support/postgres.ts";

/** What an installation keeps everything in, and how it fails. */
export interface Store extends AsyncDisposable {
  /** PostgreSQL's alone. */
  readonly env: Readonly<Record<string, string>>;
  /** The server is killed, or another program holds the file. */
  away(lastsMs: number): Promise<void>;
  /** After its disk was full. */
  restored(): Promise<void>;
  /** Of the server, where there is one. */
  readonly pid: () => number | undefined;
}

export function sqliteStore(dataDir: string): Store {
  return {
    env: {},
    async away(lastsMs) {
      using file = new DatabaseSync(join(dataDir, "outpost.db"), { timeout: 0 });
      while (!isLocked(file)) await pause(20);
      await pause(lastsMs);
      file.exec("ROLLBACK");
    },
    restored: async () => undefined,
    pid: () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function isLocked(file: DatabaseSync): boolean {
  try {
    file.exec("BEGIN EXCLUSIVE");
    return true;
  } catch {
    return false; // somebody else has it for the moment
  }
}

export async function postgresStore(folder: string): Promise<Store> {
  const server = await startPostgres({ own: true, folder, lasting: true });
  if (server === undefined) throw new Error("PostgreSQL is not installed");
  return {
    env: { DATABASE_URL: await server.database("soak") },
    async away(lastsMs) {
      await server.stop("immediate");
      await pause(lastsMs);
      await server.start();
    },
    // A PostgreSQL that cannot write its log ends.
    async restored() {
      await server.stop("immediate");
      await server.start();
    },
    pid: server.pid,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
