import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type RuntimeId, runtimeIds } from "#contract/runtime-catalog.ts";
import { nodePath, type RuntimeManifest, readManifest } from "./runtime-manifest.ts";

const startLimitMs = 10_000;

export interface InstalledRuntime {
  readonly id: RuntimeId;
  readonly folder: string;
  readonly manifest: RuntimeManifest;
}

export interface BrokenRuntime {
  readonly id: RuntimeId;
  readonly because: string;
}

/** What lies in the runtimes folder, newest first. Other folders there are none of ours. */
export async function findRuntimes(
  folder: string,
): Promise<{ readonly installed: readonly InstalledRuntime[]; readonly broken: readonly BrokenRuntime[] }> {
  const looked = await Promise.all(runtimeIds.map((id) => lookAt(id, join(folder, id))));
  const found = looked.filter((one) => one !== null);
  return { installed: found.filter((one) => "manifest" in one), broken: found.filter((one) => "because" in one) };
}

/** The runtime in its folder; null where there is no such folder. */
export async function lookAt(id: RuntimeId, folder: string): Promise<InstalledRuntime | BrokenRuntime | null> {
  try {
    if (!(await exists(folder))) return null;
    const manifest = await readManifest(folder);
    if (manifest === null) return { id, because: "its manifest, runtime.json, is missing" };
    const problem = await problemOf(id, folder, manifest);
    return problem === null ? { id, folder, manifest } : { id, because: problem };
  } catch (error) {
    return { id, because: `its manifest, runtime.json, cannot be read (${codeOf(error) ?? "not in its format"})` };
  }
}

async function problemOf(id: RuntimeId, folder: string, manifest: RuntimeManifest): Promise<string | null> {
  if (manifest.runtimeId !== id) return `it holds runtime ${manifest.runtimeId}`;
  const here = `${process.platform}-${process.arch}`;
  if (manifest.platform !== here) return `it was installed for ${manifest.platform}, and this is ${here}`;
  for (const name of Object.keys(manifest.packages)) {
    if (!(await exists(join(folder, "node_modules", name, "package.json")))) return `its package ${name} is missing`;
  }
  return nodeProblem(join(folder, nodePath), manifest.nodeJsVersion);
}

/** Why the Node.js at `path` is not the one that is meant, or null. It is started: a library that it needs may be missing. */
export async function nodeProblem(path: string, version: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { env: {}, timeout: startLimitMs });
    const said = stdout.trim();
    return said === `v${version}` ? null : `its Node.js says that it is ${said.slice(0, 40)} instead of v${version}`;
  } catch (error) {
    return `its Node.js does not start (${reasonOf(error)})`;
  }
}

/** The system's code, or the line in which the loader of programs names what is missing. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "no reason given";
  const loader =
    "stderr" in error
      ? String(error.stderr)
          .trim()
          .split("\n")[0]
          ?.replace(/^.*?: /, "")
      : "";
  if (loader) return loader.slice(0, 200);
  return codeOf(error) ?? "no answer";
}

/** @throws the system's error, where it does not let us look */
async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return false;
    throw error;
  }
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && "code" in error ? String(error.code) : null;
}
