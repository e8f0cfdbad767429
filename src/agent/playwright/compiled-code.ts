import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, lchown, lstat, readdir, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { sleep } from "#daemon/sleep.ts";
import { manifestName } from "../runtimes/runtime-manifest.ts";
import { insideFolder } from "./fence.ts";

/*
 * What Node.js compiled of a runtime's own code, so that each pair need not compile it again. It is code of all later runs: the first pair
 * writes it before any job is known, this agent takes it away from there, and what has been taken no run may write.
 */

const prefix = "compiled-";
/** For a worker that does not say that it is done; the next pair tries again. */
const limitMs = 10_000;
const lookMs = 20;
const never = new AbortController().signal;

/** Where it lies for a runtime as it is installed and as this agent loads it. Node.js itself compares each file with what it was compiled of. */
export async function compiledFolder(toolsFolder: string, runtimeFolder: string): Promise<string> {
  const hash = createHash("sha256")
    .update(runtimeFolder)
    .update(await readFile(join(runtimeFolder, manifestName)))
    .update(await readFile(join(insideFolder, "load-later.cjs")));
  return join(toolsFolder, `${prefix}${basename(runtimeFolder)}-${hash.digest("hex").slice(0, 16)}`);
}

/** Where the first pair writes it. */
export function compiledIn(runFolder: string): string {
  return join(runFolder, "compiled");
}

/** Takes what a pair compiled that has no job yet. A Node.js that keeps nothing leaves nothing there. */
export async function keepCompiled(runFolder: string, kept: string): Promise<void> {
  const made = compiledIn(runFolder);
  if (!existsSync(made) || existsSync(kept)) return;
  const isDone = (): boolean => ["runner", "worker"].every((name) => existsSync(`${made}.${name}`));
  for (let waitedMs = 0; !isDone(); waitedMs += lookMs) {
    if (waitedMs > limitMs) return;
    await sleep(lookMs, never);
  }
  await takeCompiled(made, kept);
  await removeOlder(kept);
}

/** Takes it away from whoever made it: the first one counts, and what is no plain file is not taken. */
export async function takeCompiled(made: string, kept: string): Promise<void> {
  const taken = `${kept}.${randomUUID()}`;
  await rename(made, taken);
  try {
    await own(taken);
    await rename(taken, kept); // fails where another one was first
  } catch {
    await rm(taken, { recursive: true, force: true });
  }
}

/** Files and folders that only this user may change. @throws for anything else */
async function own(path: string): Promise<void> {
  const about = await lstat(path);
  if (!about.isDirectory() && !(about.isFile() && about.nlink === 1)) throw new Error(`${path} is neither a file nor a folder`);
  if (process.getuid?.() === 0) await lchown(path, 0, 0);
  await chmod(path, about.isDirectory() ? 0o755 : 0o644);
  if (about.isDirectory()) for (const name of await readdir(path)) await own(join(path, name));
}

/** Of the same runtime as it was installed before. */
async function removeOlder(kept: string): Promise<void> {
  const ofRuntime = basename(kept).replace(/[^-]*$/, "");
  for (const name of await readdir(dirname(kept)))
    if (name.startsWith(ofRuntime) && !name.startsWith(basename(kept)))
      await rm(join(dirname(kept), name), { recursive: true, force: true });
}
