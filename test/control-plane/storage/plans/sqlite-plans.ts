import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { privateFiles } from "../../../../src/control-plane/storage/open-storage.ts";
import { copyMigratedStore } from "../../../support/migrated-store.ts";
import { growingTable, growingTables, type SeenStatement, type WholeRead } from "./whole-reads.ts";

/**
 * An empty store explains what a full one does: SQLite knows of row counts by `analyze` alone, which the program never runs, so its plan
 * follows from the text and the schema.
 */
export async function explainOnSqlite(statements: readonly SeenStatement[]): Promise<readonly WholeRead[]> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-plans-"));
  await copyMigratedStore(folder);
  const db = new DatabaseSync((await privateFiles(folder)).path);
  try {
    if (db.prepare("select 1 from sqlite_schema where name like 'sqlite_stat%'").get()) throw new Error("the store has statistics");
    db.function("packed", { varargs: true }, (text) => text ?? null);
    return statements.flatMap(({ text }) => wholeReads(db, text));
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}

function wholeReads(db: DatabaseSync, text: string): readonly WholeRead[] {
  const aliases = aliasesIn(text);
  return stepsOf(db, text).flatMap(({ detail }) => {
    const [, name = ""] = /^(?:SCAN|SEARCH) (\w+)/.exec(detail) ?? [];
    const table = aliases.get(name) ?? growingTable(name);
    return table !== undefined && readsAll(detail, text) ? [{ table, step: detail, statement: text }] : [];
  });
}

/** `is not null` counts as a search for what is greater than null, and finds every row of a partial index. */
function readsAll(step: string, text: string): boolean {
  if (step.startsWith("SCAN ")) return true;
  const column = /\((\w+)>\?\)$/.exec(step)?.[1];
  return (
    column !== undefined &&
    column !== "rowid" &&
    !new RegExp(`\\b${column}"? (>|between)`, "i").test(text) &&
    !text.includes("(started_at_us, id)")
  );
}

/** Of tests that open what an earlier version left, or that break something, some speak of tables that no store has. */
function stepsOf(db: DatabaseSync, text: string): readonly { readonly detail: string }[] {
  try {
    return db.prepare(`explain query plan ${text}`).all() as unknown as readonly { detail: string }[];
  } catch (error) {
    if (error instanceof Error && /no such (table|column)/.test(error.message)) return [];
    throw error;
  }
}

/** Names that a statement gives to tables: `"checks" as "c"`. */
function aliasesIn(text: string): ReadonlyMap<string, string> {
  const named = new RegExp(`\\b(${growingTables.join("|")})"?\\s+as\\s+"?(\\w+)`, "gi");
  return new Map([...text.matchAll(named)].map(([, table = "", alias = ""]) => [alias, table]));
}
