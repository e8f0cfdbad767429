import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Of another machine that shares the folder: nobody installs for so long. */
const abandonedMs = 24 * 3_600_000;
/** `.old-2026.04-4711-ab12cd34-host`: what for, of which process, of which machine. */
const form = /^\.(new|old)-[\d.]+-(\d+)-[0-9a-f]+-(.+)$/;

/** A folder inside the runtimes folder for what is not yet, or no longer, a runtime. */
export async function makeWorkFolder(folder: string, runtime: string, kind: "new" | "old" = "new"): Promise<string> {
  const path = join(folder, `.${kind}-${runtime}-${process.pid}-${randomBytes(4).toString("hex")}-${hostname()}`);
  await mkdir(path);
  return path;
}

/** Removes what killed installs left behind, and runtimes that were replaced. What others install now stays. */
export async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, kind, pid, host] = form.exec(name) ?? [];
    if (kind === undefined) continue;
    const path = join(folder, name);
    if (kind === "new" && (await isInUse(path, Number(pid), host))) continue;
    await rm(path, { recursive: true, force: true });
  }
}

async function isInUse(path: string, pid: number, host: string | undefined): Promise<boolean> {
  if (host === hostname()) return isAlive(pid);
  const made = await stat(path).catch(() => null);
  return made !== null && Date.now() - made.mtimeMs < abandonedMs;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
