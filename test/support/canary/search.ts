import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { type FoundSecret, findSecrets } from "../find-secret.ts";
import type { Canary } from "./canary.ts";

/** Something that could give a secret away. */
export interface Trace {
  /** Such as `agent's log`, `GET /v1/checks`, `outbox/…`. */
  readonly place: string;
  readonly bytes: Uint8Array;
}

/** What is longer is decoded less deep: it takes a second for each MB and layer. */
const deepBytes = 65_536;

function deep({ length }: Uint8Array): number {
  return length > deepBytes ? 2 : 3;
}

/** For what is searched after every test: as it is, and small things in one encoding. */
export function quick({ length }: Uint8Array): number {
  return length > deepBytes ? 0 : 1;
}

/** A canary that stands where it can be read. */
export interface Sighting {
  readonly canary: Canary;
  readonly place: string;
  /** The shortest way to read it. */
  readonly path: string;
}

/** Looks for every canary; the same bytes, such as what two keys read, are decoded once. @returns every place in which one stands */
export function searchFor(canaries: readonly Canary[], depthOf = deep): (traces: readonly Trace[]) => Sighting[] {
  const owners = new Map(canaries.flatMap((canary) => canary.pieces.map((piece) => [piece, canary] as const)));
  const searched = new Map<string, readonly FoundSecret[]>();
  const searchedBytes = (bytes: Uint8Array): readonly FoundSecret[] =>
    searched.getOrInsertComputed(createHash("sha256").update(bytes).digest("latin1"), () =>
      findSecrets(bytes, [...owners.keys()], depthOf(bytes)),
    );
  return (traces) => {
    const found = new Map<string, Sighting>();
    for (const { place, bytes } of traces) {
      for (const { secret, path } of searchedBytes(bytes)) {
        const canary = owners.get(secret);
        if (canary !== undefined) found.getOrInsert(`${canary.name} in ${place}`, { canary, place, path });
      }
    }
    return [...found.values()];
  };
}

/** Every file below a folder, hidden ones and core dumps too. A file that goes meanwhile is none. */
export function filesBelow(folder: string, place = ""): Trace[] {
  return readdirSync(folder).flatMap((name): Trace[] => {
    const path = join(folder, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return [{ place: `name of ${place}/…`, bytes: Buffer.from(name) }, ...filesBelow(path, `${place}/${name}`)];
    return stat?.isFile() ? [{ place: `${place}/${name}`, bytes: contentOf(path) }] : [];
  });
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** All rows of all tables, a trace for each table. */
export async function storedRows(source: { readonly sqlite: string } | { readonly url: string }): Promise<Trace[]> {
  return "url" in source ? await rowsOfPostgres(source.url) : rowsOfSqlite(source.sqlite);
}

function rowsOfSqlite(path: string): Trace[] {
  using database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all() as unknown as { name: string }[];
  return tables.map(({ name }) => ({ place: `table ${name}`, bytes: rowBytes(database.prepare(`select * from "${name}"`).all()) }));
}

async function rowsOfPostgres(url: string): Promise<Trace[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>("select tablename as name from pg_tables where schemaname = 'public'");
    const traces: Trace[] = [];
    for (const { name } of rows)
      traces.push({
        place: `table ${name}`,
        bytes: rowBytes((await client.query<Record<string, unknown>>(`select * from "${name}"`)).rows),
      });
    return traces;
  } finally {
    await client.end();
  }
}

/** Values as they are stored, one after the other. */
function rowBytes(rows: readonly Readonly<Record<string, unknown>>[]): Buffer {
  const values = rows.flatMap((row) => Object.values(row));
  return Buffer.concat(
    values.flatMap((value) => [
      value instanceof Uint8Array ? value : Buffer.from(typeof value === "string" ? value : (JSON.stringify(value, withoutBigInts) ?? "")),
      Buffer.from("\n"),
    ]),
  );
}

function withoutBigInts(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
