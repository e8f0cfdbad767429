import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Installation, PackageManager } from "#domain/package-managers.ts";

export interface ManagerProgram {
  readonly file: string;
  /** Whether the system starts it, and not Node.js. */
  readonly isNative: boolean;
  /** What it reads of itself. */
  readonly folders: readonly string[];
}

/** A package manager as npm's registry has it. */
export interface ManagerPackage {
  readonly name: string;
  readonly version: string;
  /** Of the package manager's own pin; null where the project has none. */
  readonly sha512: string | null;
  /** What its package.json calls its program; or the program's own path in the package, of one that the system starts. */
  readonly program: { readonly command: string } | { readonly native: string };
}

const ofSystem = ["/usr/share/nodejs", "/usr/share/npm", "/usr/lib/node_modules", "/usr/local/lib/node_modules"];

/** Taken where a project names no version and this machine has none. */
const packages: Readonly<Record<PackageManager | "berry", Omit<ManagerPackage, "sha512">>> = {
  npm: { name: "npm", version: "11.21.2", program: { command: "npm" } },
  pnpm: { name: "pnpm", version: "10.34.8", program: { command: "pnpm" } },
  yarn: { name: "yarn", version: "1.22.22", program: { command: "yarn" } },
  berry: { name: "@yarnpkg/cli-dist", version: "4.18.1", program: { command: "yarn" } },
  // The package `bun` fetches one of these when it is installed; the baseline runs on every x64 processor.
  bun: {
    name: process.arch === "arm64" ? "@oven/bun-linux-aarch64" : "@oven/bun-linux-x64-baseline",
    version: "1.4.5",
    program: { native: "bin/bun" },
  },
};

/** A version that a project names exactly, with or without a digest: `9.15.0`, `9.15.0+sha512.a1b2…`. */
const exact = /^(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\+sha512\.([0-9a-f]{128}))?$/;

/**
 * What installs a project: the version that it names, else the one of this machine, else a usual one. npm is the machine's whatever a
 * project names: all of its versions read the same lock files.
 */
export function managerOf({ manager, version }: Installation, path: string): ManagerProgram | ManagerPackage {
  const [, named, sha512 = null] = exact.exec(version ?? "") ?? [];
  if (manager === "bun") return { ...packages.bun, version: named ?? packages.bun.version, sha512: null }; // a pin is of the package `bun`
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
    if (nameOf(own) === manager) return { file, isNative: false, folders: [own, ...ofSystem].filter((one) => existsSync(one)) };
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
