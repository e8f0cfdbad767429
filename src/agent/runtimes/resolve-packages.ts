import { readFile, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join } from "node:path";
import type { CatalogRuntime } from "#contract/runtime-catalog.ts";
import { AppError } from "#domain/app-error.ts";
import { isMissingFromRegistry, type NpmRun, runNpm } from "./npm.ts";
import { npmError } from "./npm-error.ts";
import { asPackageLock, lockedVersions, lockProblem, PackageLock, type RuntimeLock } from "./runtime-lock.ts";
import type { RuntimeManifest } from "./runtime-manifest.ts";

type LeftOut = RuntimeManifest["leftOut"][number];
type Packages = Readonly<Record<string, string>>;

export interface Resolved {
  /** Of the catalog: those that can be installed. */
  readonly packages: Packages;
  readonly leftOut: readonly LeftOut[];
  /** Of `packages`: those that the lock does not know. */
  readonly unlocked: readonly string[];
  /** How many packages there are, with those that they need. */
  readonly count: number;
  readonly lock: PackageLock;
}

/** The packages of the catalog that npm can install, and why the others are none: it also names modules of Node.js and single files. */
export function installable({ dependencies }: Pick<CatalogRuntime, "dependencies">): Pick<Resolved, "packages" | "leftOut"> {
  const because = (name: string): string | null => {
    if (isBuiltin(name)) return "it comes with Node.js";
    const [owner] = /^(@[^/]+\/)?[^/]+/.exec(name) ?? [name];
    return owner === name ? null : `it is a file of the package ${owner}`;
  };
  const all = Object.entries(dependencies);
  return {
    packages: Object.fromEntries(all.filter(([name]) => because(name) === null)),
    leftOut: all.flatMap(([name, version]) => {
      const reason = because(name);
      return reason === null ? [] : [{ package: name, version, because: reason }];
    }),
  };
}

/**
 * Writes package.json and package-lock.json into `folder`: the catalog's packages, and what they need as the lock says. Packages that
 * the registry does not have are left out, unless they are locked.
 *
 * @param lock null: npm resolves anew
 * @throws {AppError} whose message says what to do
 */
export async function resolvePackages(
  runtime: CatalogRuntime,
  lock: RuntimeLock | null,
  folder: string,
  run: NpmRun & { readonly onLeftOut: (one: LeftOut) => void },
): Promise<Resolved> {
  const { leftOut, ...first } = installable(runtime);
  leftOut.forEach(run.onLeftOut);
  const locked = lock === null ? new Map<string, string>() : lockedVersions(lock);
  let packages = first.packages;
  const gone: LeftOut[] = [];
  for (;;) {
    await writeOrder(folder, runtime.name, packages, lock);
    const outcome = await runNpm(["install", "--package-lock-only"], folder, run);
    if (outcome.ok) break;
    const name = isMissingFromRegistry(outcome.code) ? namedIn(outcome.message, packages) : undefined;
    if (name === undefined) throw npmError(outcome, lock !== null);
    const version = packages[name] ?? "";
    if (locked.has(name)) throw notAsLocked(runtime.name, `npm's registry here does not have ${name}@${version}`);
    const one = { package: name, version, because: "the registry of npm does not have it" };
    run.onLeftOut(one);
    gone.push(one);
    packages = Object.fromEntries(Object.entries(packages).filter(([other]) => other !== name));
  }
  const resolved = PackageLock.parse(JSON.parse(await readFile(join(folder, "package-lock.json"), "utf8")));
  const unlocked = lock === null ? [] : Object.keys(packages).filter((name) => !locked.has(name));
  const problem = lock === null ? null : lockProblem(lock, resolved, unlocked.length > 0);
  if (problem !== null) throw notAsLocked(runtime.name, problem);
  return {
    packages,
    leftOut: [...leftOut, ...gone],
    unlocked,
    count: Object.keys(resolved.packages).length - 1,
    lock: resolved,
  };
}

function notAsLocked(runtime: string, problem: string): AppError {
  const next = "Use a registry that mirrors npm's whole, or set RUNTIME_LOCK=off to take what this one has";
  return new AppError("conflict", `Runtime ${runtime} cannot be installed as locked: ${problem}. ${next}`);
}

/** What npm is told to install. The name and version are what package.json must have. */
async function writeOrder(folder: string, runtime: string, packages: Packages, lock: RuntimeLock | null): Promise<void> {
  const order = { name: `outpost-runtime-${runtime}`, version: "1.0.0", private: true };
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ ...order, dependencies: packages }, null, 2)}\n`);
  if (lock !== null) await writeFile(join(folder, "package-lock.json"), JSON.stringify({ ...order, ...asPackageLock(lock) }));
}

/** The package of ours that npm's message is about: it names it with its version. */
function namedIn(message: string, packages: Packages): string | undefined {
  return Object.entries(packages).find(([name, version]) => {
    const at = message.indexOf(`${name}@${version}`);
    const end = at + name.length + 1 + version.length;
    return at >= 0 && !/[\w@/.-]/.test(message[at - 1] ?? " ") && !/^[\w+-]|^\.\w/.test(message.slice(end, end + 2));
  })?.[0];
}
