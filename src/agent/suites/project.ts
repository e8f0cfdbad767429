import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { AppError } from "#domain/app-error.ts";
import { type Installation, installationOf } from "#domain/package-managers.ts";
import { leavesFolder } from "#domain/script-problems.ts";

const testPackage = "@playwright/test";
/** Of folders of packages in a project of many: deeper ones belong to packages. */
const deepest = 5;

/** Where the tests are in a project. @throws {AppError} invalid_input */
export function testFolder(root: string, workingDir: string | null): string {
  const path = (workingDir ?? "").replace(/^\.\/|\/+$/g, "");
  if (path === "" || path === ".") return root;
  if (leavesFolder(path))
    throw new AppError("invalid_input", `workingDir must be a folder of the bundle; received ${JSON.stringify(path)}`);
  const folder = join(root, path);
  if (!existsSync(folder)) throw new AppError("invalid_input", `workingDir is not in the bundle; received ${JSON.stringify(path)}`);
  return folder;
}

/** How the packages of a project come; null: they are in it already. @throws {AppError} invalid_input where nobody can tell */
export function installation(root: string): Installation | null {
  if (existsSync(join(root, "node_modules"))) return null;
  const manifest = textOf(root, "package.json");
  if (manifest === null)
    throw new AppError(
      "invalid_input",
      "install failed: there is no package.json in the bundle; upload the folder that has it, with the lock file",
    );
  const found = installationOf(readdirSync(root), manifest, (name) => textOf(root, name) ?? "");
  if ("problem" in found) throw new AppError("invalid_input", `install failed: ${found.problem}`);
  return found;
}

export function textOf(root: string, name: string): string | null {
  const path = join(root, name);
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

/** Whether packages lie in the project itself: then what is installed depends on all of it. */
export function hasOwnPackages(root: string): boolean {
  if (existsSync(join(root, "pnpm-workspace.yaml"))) return true;
  const texts = [textOf(root, "package.json") ?? "", textOf(root, "package-lock.json") ?? "", textOf(root, "yarn.lock") ?? ""];
  return texts.some((text) =>
    /"workspaces"|"(?:file|link|portal|workspace|patch):|@(?:file|link|portal|workspace|patch):|"link": true/.test(text),
  );
}

/** All `node_modules` of a project that belong to its own packages, as paths below its root. */
export function packageFolders(root: string, folder = root, depth = 0): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const path = join(folder, entry.name);
    if (entry.name === "node_modules") return [relative(root, path)];
    return depth < deepest ? packageFolders(root, path, depth + 1) : [];
  });
}

/** The nearest `@playwright/test` from a folder upwards. @throws {AppError} invalid_input where the project has none */
export function playwrightOf(root: string, folder: string): string {
  for (let at = folder; at.startsWith(root); at = join(at, "..")) {
    const found = join(at, "node_modules", testPackage);
    if (existsSync(join(found, "cli.js"))) return found;
  }
  throw new AppError(
    "invalid_input",
    `the project has no ${testPackage}: add it to devDependencies of its package.json, and commit the lock file`,
  );
}
