import pg from "pg";
import { SqliteThread } from "../../../../src/control-plane/storage/dialects/sqlite-thread.ts";
import { migrations } from "../../../../src/control-plane/storage/migrations/index.ts";
import type { EngineName } from "../fixture.ts";
import { readsRows, type SeenStatement } from "./whole-reads.ts";

/** Statements for a cluster are those of PostgreSQL, or speak of columns that it has alone. */
type Explained = Exclude<EngineName, "citus">;

/** Those that nobody has taken yet, and the texts of all. */
const waiting: Record<Explained, SeenStatement[]> = { sqlite: [], postgres: [] };
/** Migrations run once, and speak of tables that later ones took away. */
const known: Record<Explained, Set<string>> = { sqlite: migrationTexts("sqlite"), postgres: migrationTexts("postgres") };

function migrationTexts(engine: Explained): Set<string> {
  return new Set(migrations.flatMap((migration) => migration.statements(engine)));
}

function see(engine: Explained, text: string, values: readonly unknown[]): void {
  if (!isWatching || known[engine].has(text) || !readsRows(text)) return;
  known[engine].add(text);
  waiting[engine].push({ text, values });
}

/** Statements that stores of this process ran since the last call, each once. */
export function takeStatements(engine: Explained): readonly SeenStatement[] {
  return waiting[engine].splice(0);
}

let isWatching = false;
let isInPlace = false;

/** Looks no more: what the next file of this process runs is none of the storage suite's. */
export function ignoreStatements(): void {
  isWatching = false;
}

/** Looks over the shoulder of both drivers, from now on. */
export function recordStatements(): void {
  isWatching = true;
  if (isInPlace) return;
  isInPlace = true;
  const run = Reflect.get(SqliteThread.prototype, "run");
  SqliteThread.prototype.run = function (sql, parameters, more) {
    see("sqlite", sql, parameters);
    return run.call(this, sql, parameters, more);
  };
  const query = Reflect.get(pg.Client.prototype, "query");
  pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [first, values] = args;
    if (typeof first === "string") see("postgres", first, Array.isArray(values) ? values : []);
    else if (isConfig(first)) see("postgres", first.text, first.values ?? []);
    return Reflect.apply(query, this, args);
  } as typeof query;
}

function isConfig(value: unknown): value is pg.QueryConfig {
  return typeof value === "object" && value !== null && typeof Reflect.get(value, "text") === "string";
}
