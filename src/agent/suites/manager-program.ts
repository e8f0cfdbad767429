import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { AppError } from "#domain/app-error.ts";
import type { PackageManager } from "#domain/package-managers.ts";

/** A package manager of this machine, as a program of Node.js. */
export interface ManagerProgram {
  readonly file: string;
  /** What it reads of itself. */
  readonly folders: readonly string[];
}

const ofSystem = ["/usr/share/nodejs", "/usr/share/npm", "/usr/lib/node_modules", "/usr/local/lib/node_modules"];

/** @throws {AppError} not_found where this machine has none */
export function managerProgram(manager: PackageManager, path: string): ManagerProgram {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, manager))
    .find((file) => existsSync(file));
  if (found === undefined)
    throw new AppError(
      "not_found",
      `install failed: this agent has no ${manager}. Install it on the agent's machine (npm install --global ${manager}), or bring node_modules in the bundle`,
    );
  const file = realpathSync(found);
  return { file, folders: [dirname(dirname(file)), ...ofSystem].filter((folder) => existsSync(folder)) };
}
