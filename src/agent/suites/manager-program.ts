import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { AppError } from "#domain/app-error.ts";
import type { Installation, PackageManager } from "#domain/package-managers.ts";

/** A package manager, as a program of Node.js. */
export interface ManagerProgram {
  readonly file: string;
  /** What it reads of itself. */
  readonly folders: readonly string[];
}

/** A package manager as npm's registry has it. */
export interface ManagerPackage {
  readonly name: string;
  readonly version: string;
  /** Of the package manager's own pin; null where the project has none. */
  readonly sha512: string | null;
  /** What its package.json calls its program. */
  readonly command: string;
}

const ofSystem = ["/usr/share/nodejs", "/usr/share/npm", "/usr/lib/node_modules", "/usr/local/lib/node_modules"];

/** Taken where a project names no version and this machine has none. */
const packages: Readonly<Record<"npm" | "pnpm" | "yarn" | "berry", Omit<ManagerPackage, "sha512">>> = {
  npm: { name: "npm", version: "11.21.2", command: "npm" },
  pnpm: { name: "pnpm", version: "10.34.8", command: "pnpm" },
  yarn: { name: "yarn", version: "1.22.22", command: "yarn" },
  berry: { name: "@yarnpkg/cli-dist", version: "4.18.1", command: "yarn" },
};

/** A version that a project names exactly, with or without a digest: `9.15.0`, `9.15.0+sha512.a1b2…`. */
const exact = /^(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+sha512\.([0-9a-f]{128}))?$/;

/**
 * What installs a project: the version that it names, else the one of this machine, else a usual one. npm is the machine's whatever a
 * project names: all of its versions read the same lock files.
 *
 * @throws {AppError} invalid_input for bun
 */
export function managerOf({ manager, version }: Installation, path: string): ManagerProgram | ManagerPackage {
  if (manager === "bun")
    throw new AppError(
      "invalid_input",
      "install failed: agents do not install with bun yet: commit a package-lock.json, or bring node_modules in the bundle",
    );
  const [, named, sha512 = null] = exact.exec(version ?? "") ?? [];
  const here = named === undefined || manager === "npm" ? programOnPath(manager, path) : null;
  if (here !== null && !isModern(manager, version)) return here;
  const usual = packages[isModern(manager, version) ? "berry" : manager];
  return { ...usual, version: named ?? usual.version, sha512 };
}

/** From 2 on yarn is another program, and is found under another name. */
function isModern(manager: PackageManager, version: string | null): boolean {
  return manager === "yarn" && version !== null && !version.startsWith("1");
}

/** What only has its name (a shim of corepack, a script) would need, or grant, other folders than a package manager's: it does not count. */
function programOnPath(manager: PackageManager, path: string): ManagerProgram | null {
  for (const folder of path.split(delimiter)) {
    const found = join(folder, manager);
    if (!existsSync(found)) continue;
    const file = realpathSync(found);
    const own = dirname(dirname(file));
    if (nameOf(own) === manager) return { file, folders: [own, ...ofSystem].filter((one) => existsSync(one)) };
  }
  return null;
}

/** As its package.json says. */
function nameOf(folder: string): unknown {
  try {
    return (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { readonly name?: unknown } | null)?.name;
  } catch {
    return undefined;
  }
}
