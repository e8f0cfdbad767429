import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";
import { damageToldBy } from "./database-errors.ts";
import { connectSqlite } from "./sqlite-engine.ts";

/** Reads the whole file in a thread of its own. @returns what to tell operators of the first damage; null where there is none */
export async function sqliteDamage(path: string): Promise<string | null> {
  const { db, close } = connectSqlite(path, true);
  try {
    return await damageSeenBy(db, path);
  } finally {
    await close();
  }
}

/** The same by a connection that is there. */
export async function damageSeenBy(db: Kysely<Tables>, path: string): Promise<string | null> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
    const [found] = rows;
    return found === undefined || found.quick_check === "ok" ? null : sentence(path, found.quick_check);
  } catch (error) {
    const told = damageToldBy(error);
    if (told === null) throw error;
    return sentence(path, told);
  }
}

function sentence(path: string, found: string): string {
  const [first = ""] = found
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("***"));
  return `${path} is damaged (${first}): stop Outpost, keep a copy of the file, and restore a backup, or what can be read: sqlite3 outpost.db .recover | sqlite3 recovered.db`;
}
