import { execFile } from "node:child_process";
import { promisify } from "node:util";

const limitMs = 10_000;

/** The options that a Node.js knows, `--permission` for one: it lists them for shells. @throws what kept it from starting */
export async function knownFlags(node: string): Promise<ReadonlySet<string>> {
  const { stdout } = await promisify(execFile)(node, ["--completion-bash"], { env: {}, timeout: limitMs });
  return new Set(stdout.match(/--[a-z][a-z0-9-]*/g));
}

/**
 * How the runtime's Node.js is started: what it has of the permission model, and less of what only attacks need. Before Node.js 20 there
 * is no such model, 20 and 22.11 have it under another name, and from 25 on it covers the network too.
 */
export function nodeFlags(known: ReadonlySet<string>, readable: readonly string[], isGuarded: boolean): string[] {
  const always = ["--max-old-space-size=128", "--max-semi-space-size=8", "--no-warnings", "--experimental-vm-modules"];
  if (!isGuarded) return always;
  const model = permissionFlag(known);
  const permission = model === undefined ? [] : [model, ...readable.map((path) => `--allow-fs-read=${path}`)];
  if (known.has("--allow-net")) permission.push("--allow-net");
  if (known.has("--experimental-sqlite")) permission.push("--no-experimental-sqlite");
  if (known.has("--disable-sigusr1")) permission.push("--disable-sigusr1");
  return [...always, "--no-addons", ...permission];
}

/** What switches the permission model on; undefined before Node.js 20. */
export function permissionFlag(known: ReadonlySet<string>): string | undefined {
  return ["--permission", "--experimental-permission"].find((flag) => known.has(flag));
}
