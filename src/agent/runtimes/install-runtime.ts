import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CatalogRuntime } from "#contract/runtime-catalog.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { checkPackages } from "./check-packages.ts";
import { type BrokenRuntime, type InstalledRuntime, lookAt } from "./find-runtimes.ts";
import { installNode } from "./node-build.ts";
import { runNpm } from "./npm.ts";
import { npmError } from "./npm-error.ts";
import { type Resolved, resolvePackages } from "./resolve-packages.ts";
import { measure, trimPackages } from "./runtime-files.ts";
import { type RuntimeLock, some } from "./runtime-lock.ts";
import { manifestName, type RuntimeManifest } from "./runtime-manifest.ts";
import { makeWorkFolder, removeLeftovers } from "./work-folders.ts";

const tellEveryMs = 10_000;

export interface InstallOrder {
  readonly runtime: CatalogRuntime;
  /** null: what the packages need is resolved anew. */
  readonly lock: RuntimeLock | null;
  /** The runtimes folder. */
  readonly folder: string;
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly tell: (line: string) => void;
  /** Integrity hashes of the Node.js builds, for tests. */
  readonly nodePins?: Readonly<Record<string, string>>;
}

/**
 * Makes the folder of a runtime: its Node.js, and the catalog's packages with what they need, none of which is executed. It is made
 * beside its place and moved there when it is whole, so there is never half a runtime.
 *
 * @returns the runtime, and whether it had been there already
 * @throws {AppError} with a sentence that says what to do; {ConfigError} where there is no npm
 */
export async function installRuntime(order: InstallOrder): Promise<{ readonly manifest: RuntimeManifest; readonly wasThere: boolean }> {
  const { runtime, folder, tell, signal } = order;
  const target = join(folder, runtime.name);
  const found = await lookAt(runtime.name, target);
  const again = found === null ? null : reasonToRepeat(found, order.lock);
  if (found !== null && "manifest" in found && again === null) return { manifest: found.manifest, wasThere: true };
  if (again !== null) tell(`${again}; it is installed anew`);
  const work = await openWorkFolder(folder, runtime.name);
  try {
    const manifest = await build(order, work);
    await writeFile(join(work, manifestName), `${JSON.stringify(manifest, null, 2)}\n`);
    signal.throwIfAborted();
    if (found !== null) await rename(target, await makeWorkFolder(folder, runtime.name, "old"));
    await rename(work, target);
    await removeLeftovers(folder);
    return { manifest, wasThere: false };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** @throws {ConfigError} where the runtimes folder cannot be written */
async function openWorkFolder(folder: string, runtime: string): Promise<string> {
  try {
    await mkdir(folder, { recursive: true });
    await removeLeftovers(folder);
    return await makeWorkFolder(folder, runtime);
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "error";
    throw new ConfigError(
      `RUNTIMES_DIR: ${folder} cannot be written (${code}); name a folder that this user may write. Images of Outpost get their runtimes ` +
        "when they are built, with the build argument RUNTIMES",
      { cause },
    );
  }
}

function reasonToRepeat(found: InstalledRuntime | BrokenRuntime, lock: RuntimeLock | null): string | null {
  if ("because" in found) return `what is there is not whole: ${found.because}`;
  return found.manifest.lock === digestOf(lock) ? null : "it is there, but made from another lock";
}

const digestOf = (lock: RuntimeLock | null): string => lock?.sha256 ?? "off";

async function build({ runtime, lock, env, signal, tell, nodePins }: InstallOrder, work: string): Promise<RuntimeManifest> {
  using progress = tellProgress(tell);
  const run = { env, signal, onAnswer: progress.onAnswer };
  tell(`resolving ${Object.keys(runtime.dependencies).length} packages${lock === null ? ", without a lock" : " as locked"}`);
  const onLeftOut = (one: RuntimeManifest["leftOut"][number]): void => tell(`left out: ${one.package} ${one.version}, ${one.because}`);
  const resolved = await resolvePackages(runtime, lock, work, { ...run, onLeftOut });
  if (resolved.unlocked.length > 0) tell(`not in the lock, and resolved now: ${some(resolved.unlocked)}`);
  await fetchPackages(resolved, lock, work, run, tell);
  const nodeJsVersion = await installNode(runtime.nodeJsVersion, work, run, nodePins);
  if (nodeJsVersion !== runtime.nodeJsVersion) {
    tell(`Node.js ${nodeJsVersion} instead of ${runtime.nodeJsVersion}, which npm's registry does not have for this machine`);
  }
  const withoutMain = await checkPackages(work, signal);
  return {
    format: 1,
    runtimeId: runtime.name,
    platform: `${process.platform}-${process.arch}`,
    nodeJsVersion,
    catalogNodeJsVersion: runtime.nodeJsVersion,
    lock: digestOf(lock),
    packages: resolved.packages,
    unlocked: [...resolved.unlocked],
    leftOut: [...resolved.leftOut],
    withoutMain: [...withoutMain],
    ...(await measure(work)),
  };
}

async function fetchPackages(
  resolved: Resolved,
  lock: RuntimeLock | null,
  work: string,
  run: Parameters<typeof runNpm>[2],
  tell: (line: string) => void,
): Promise<void> {
  tell(`fetching ${resolved.count} packages, with those that they need`);
  const outcome = await runNpm(["ci"], work, run);
  if (!outcome.ok) throw npmError(outcome, lock !== null);
  await mkdir(join(work, "node_modules"), { recursive: true }); // npm makes none for no packages
  const trimmed = await trimPackages(work);
  tell(`removed ${Math.round(trimmed / 1e6)} MB of source maps and type declarations`);
}

/** A line now and then, so that a slow network does not look like a hang. */
function tellProgress(tell: (line: string) => void): Disposable & { readonly onAnswer: () => void } {
  const startMs = performance.now();
  let answers = 0;
  const timer = setInterval(() => {
    tell(`${Math.round((performance.now() - startMs) / 1000)} s, ${answers} answers of npm's registry`);
  }, tellEveryMs);
  return {
    onAnswer() {
      answers += 1;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
