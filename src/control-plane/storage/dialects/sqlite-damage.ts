import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";
import { damageToldBy, sqliteError } from "./database-errors.ts";

/** What SQLite said of a file: its finding, "ok" where there is none, or what it failed with. */
export type DamageLook = { readonly found: string } | { readonly message: string; readonly errcode: number | undefined };

// The compiler rewrites import specifiers but not URLs, so the extension follows this file's own.
const program = fileURLToPath(new URL(import.meta.url.endsWith(".ts") ? "./damage-worker.ts" : "./damage-worker.js", import.meta.url));

/**
 * Reads the whole file, which takes minutes where it is large. In a process of its own with the lowest priority: SQLite's look cannot be
 * interrupted, so a thread would keep this process from ending, and a process can be killed.
 *
 * @returns what to tell operators of the first damage; null where there is none, and once `signal` says to stop
 */
export async function sqliteDamage(path: string, signal?: AbortSignal): Promise<string | null> {
  const look = await lookedThrough(path, signal);
  if (look === null) return null;
  return "found" in look ? finding(path, look.found) : refusal(path, sqliteError(look.message, look.errcode));
}

async function lookedThrough(path: string, signal: AbortSignal | undefined): Promise<DamageLook | null> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["--no-warnings", program, path], {
      env: {},
      killSignal: "SIGKILL",
      ...(signal !== undefined && { signal }),
    });
    return JSON.parse(stdout) as DamageLook;
  } catch (error) {
    if (signal?.aborted === true) return null;
    throw error;
  }
}

/** The same of a small file, by a connection that is there. */
export async function damageSeenBy(db: Kysely<Tables>, path: string): Promise<string | null> {
  try {
    const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
    return finding(path, rows[0]?.quick_check ?? "ok");
  } catch (error) {
    return refusal(path, error);
  }
}

function finding(path: string, found: string): string | null {
  return found === "ok" ? null : sentence(path, found);
}

/** @throws what is no damage */
function refusal(path: string, error: unknown): string {
  const told = damageToldBy(error);
  if (told === null) throw error;
  return sentence(path, told);
}

function sentence(path: string, found: string): string {
  const [first = ""] = found
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("***"));
  return `${path} is damaged (${first}): stop Outpost, keep a copy of the file, and restore a backup, or what can be read: sqlite3 outpost.db .recover | sqlite3 recovered.db`;
}
