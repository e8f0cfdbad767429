import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import pg from "pg";

const folder = join(import.meta.dirname, "fixtures");

/**
 * Names of the stores that earlier versions left, oldest first: releases, and before the first of them the days of commits with older schemas. Each
 * release adds its own: `make-fixture.ts` says how.
 */
export const fixtureNames = ["2026-11-20", "2026-11-22", "2026-11-23", "2026-11-25", "2026-11-26"] as const;

export const engines = ["sqlite", "postgres"] as const;
export type Engine = (typeof engines)[number];

export interface FixtureCheck {
  readonly id: string;
  readonly name: string;
  /** Ids of its stored results, with what each says. */
  readonly results: readonly { readonly id: string; readonly hasFailures: boolean; readonly startedAt: string }[];
}

/** What a store holds, as the version that made it told over REST. Its keys are for tests alone: nothing else was ever signed in with. */
export interface FixtureContents {
  readonly commit: string;
  readonly ownerKey: string;
  readonly locationKey: string;
  readonly location: string;
  readonly checks: readonly FixtureCheck[];
  /** Whatever else was made: where it is read, and a text that stands there. */
  readonly others: readonly { readonly path: string; readonly text: string }[];
  /** Files of the data folder beside the database: pepper and encryption key. */
  readonly files: Readonly<Record<string, string>>;
}

const storeName: Readonly<Record<Engine, string>> = { sqlite: "outpost.db.gz", postgres: "outpost.sql.gz" };

/** @param store the database file, or the statements that make it */
export function writeFixture(name: string, engine: Engine, contents: FixtureContents, store: Buffer): void {
  mkdirSync(join(folder, name, engine), { recursive: true });
  writeFileSync(join(folder, name, engine, storeName[engine]), gzipSync(store, { level: 9 }));
  writeFileSync(join(folder, name, engine, "contents.json"), `${JSON.stringify(contents, null, 2)}\n`);
}

export function readFixture(name: string, engine: Engine): FixtureContents {
  return JSON.parse(readFileSync(join(folder, name, engine, "contents.json"), "utf8")) as FixtureContents;
}

/** Lays a data folder, and fills the database where there is one, as the earlier version left them. */
export async function layFixture(name: string, engine: Engine, dataDir: string, databaseUrl: string | undefined): Promise<void> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  for (const [file, text] of Object.entries(readFixture(name, engine).files)) writeFileSync(join(dataDir, file), text, { mode: 0o600 });
  const store = gunzipSync(readFileSync(join(folder, name, engine, storeName[engine])));
  if (databaseUrl === undefined) {
    writeFileSync(join(dataDir, "outpost.db"), store, { mode: 0o600 });
    return;
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(store.toString());
  } finally {
    await client.end();
  }
}
