import { randomUUID } from "node:crypto";
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The folder of one run: what the tree may write (`run`), and beside it what it may not. */
export interface RunFolder {
  readonly run: string;
  /** Where a program may be put that the tree may execute. */
  readonly program: string;
  /** Also where the run left folders that nobody may read. Never throws: a run's result counts, and what stays goes with the next tidy. */
  remove(): Promise<void>;
}

const prefix = "run-";

/**
 * Node.js and Playwright look for these in all folders above a program, and give up at one that is there and closed to them, as those of a
 * checkout are in which the data lie. So there are empty ones right above, which a run may read.
 */
export const settingsAbove = (run: string): string[] => ["package.json", "tsconfig.json"].map((name) => join(run, "..", name));

/** @param user who writes below it; null: this process's user */
export async function makeRunFolder(folder: string, user: number | null): Promise<RunFolder> {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const outer = await mkdtemp(join(folder, prefix));
  await chmod(outer, 0o711);
  const run = join(outer, "run");
  for (const path of [run, ...["home", "tmp", "out", "work"].map((name) => join(run, name))]) {
    await mkdir(path, { mode: 0o700 });
    if (user !== null) await chown(path, user, user);
  }
  for (const path of settingsAbove(run)) {
    await writeFile(path, "{}");
    await chmod(path, 0o644);
  }
  return { run, program: join(outer, "chromium"), remove: () => removeTree(outer).catch(() => {}) };
}

/** Older than any run of a script, with the time that its pair waited. */
const usualOldMs = 30 * 60_000;

/** What an agent left that was killed. Others may run in the same folder: what is younger is theirs. */
export async function removeOldRuns(folder: string, wallMs: number, oldMs = usualOldMs): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const path = join(folder, name);
    const about = name.startsWith(prefix) ? await lstat(path).catch(() => null) : null; // another agent was faster
    if (about !== null && wallMs - about.mtimeMs > oldMs) await removeTree(path).catch(() => {}); // the next tidy tries again
  }
}

export async function writeProgram(path: string, text: string): Promise<void> {
  await writeFile(path, text, { mode: 0o755 });
  await chmod(path, 0o755);
}

/** Whatever a program left in it. @throws where something keeps it; what can go is gone then */
export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch {
    await flatten(path);
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * Opens what a run closed, as the owner always may, and moves each folder up into the outermost one: a run can nest folders deeper than a path
 * may be long.
 */
async function flatten(outer: string): Promise<void> {
  const folders = [outer];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    await chmod(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const found = join(folder, entry.name);
      const above = folder === outer ? found : join(outer, randomUUID());
      await chmod(found, 0o700); // a closed folder cannot be moved
      if (above !== found) await rename(found, above);
      folders.push(above);
    }
  }
}
