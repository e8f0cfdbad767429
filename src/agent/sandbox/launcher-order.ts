import { fileURLToPath } from "node:url";
import type { ReadablePath } from "./readable-paths.ts";
import type { Instruction } from "./seccomp-filter.ts";

/** A path and what may be done below it, as a sum of `right`. */
export type LandlockPath = readonly [path: string, rights: number];

/** Rights of Landlock; those that a kernel does not know, or that a file cannot have, are left out by whoever sets them. */
export const right = { execute: 1, writeFile: 2, readFile: 4, readFolder: 8, everythingButExecute: 0x7ffe } as const;

/** What `launcher.cjs` does before it becomes `argv`. */
export interface LauncherOrder {
  /** Null: whoever starts it puts its own id there (`keeper.cjs`). */
  readonly parentPid: number | null;
  readonly user: number | null;
  /** Bubblewrap that root starts may need them to make namespaces; it drops them itself. */
  readonly keepsPowers: boolean;
  readonly limits: readonly (readonly [resource: number, limit: number])[];
  /** Without paths only the network is held, and only where the kernel can. */
  readonly landlock: { readonly paths: readonly LandlockPath[] | null; readonly tcpPort: number };
  readonly filter: readonly Instruction[] | null;
  /** A kernel that takes no filter gets none. */
  readonly isBestEffort: boolean;
  readonly argv: readonly string[];
  readonly env: readonly string[];
}

/** Beside the module that starts it, where the bundler puts it too. */
export const launcher = fileURLToPath(new URL("./launcher.cjs", import.meta.url));

/** For this process's own Node.js. */
export function launcherArgs(order: LauncherOrder): string[] {
  return ["--no-warnings", "--max-semi-space-size=1", launcher, JSON.stringify(order)];
}

export function readingRule({ path, isFolder, isProgram }: ReadablePath): LandlockPath {
  return [path, right.readFile + (isFolder ? right.readFolder : 0) + (isProgram ? right.execute : 0)];
}
