import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { AppError } from "#domain/app-error.ts";
import { type Installation, installationOf, lockFiles } from "#domain/package-managers.ts";
import { leavesFolder } from "#domain/script-problems.ts";

const testPackage = "@playwright/test";
/** Of folders of packages in a project of many: deeper ones belong to packages. */
const deepest = 5;
const mostFolders = 20_000;

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

/** Of settings and manifests, and of lock files. */
const [mostText, mostLock] = [1024 * 1024, 32 * 1024 * 1024];

/**
 * The text of a file of a project, which somebody else wrote: a link may lead to what an install made, and a file may be huge.
 *
 * @returns null where there is none, or none that lies in the project
 * @throws {AppError} invalid_input above its limit
 */
export function textOf(root: string, name: string): string | null {
  const path = insideOf(root, join(root, name));
  if (path === null) return null;
  const most = Object.hasOwn(lockFiles, name) ? mostLock : mostText;
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const about = fstatSync(file);
    if (!about.isFile()) return null;
    if (about.size > most) throw new AppError("invalid_input", `${name} of the bundle has ${about.size} bytes; at most ${most} are read`);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Where a path leads in the end; null where that is not in the project. */
function insideOf(root: string, path: string): string | null {
  try {
    const [folder, real] = [realpathSync(root), realpathSync(path)];
    return real.startsWith(`${folder}/`) ? real : null;
  } catch {
    return null; // it is not there, or leads nowhere
  }
}

/** Whether what is installed depends on more of the project than its manifest and lock file: packages of its own, patches, plug-ins. */
export function hasOwnPackages(root: string): boolean {
  const more = ["pnpm-workspace.yaml", ".pnpmfile.cjs", ".yarn", "patches"];
  if (more.some((name) => existsSync(join(root, name)))) return true;
  const texts = ["package.json", ...Object.keys(lockFiles)].map((name) => textOf(root, name) ?? "");
  return texts.some((text) => ownPackage.test(text));
}

const ownPackage =
  /"workspaces"|"(?:file|link|portal|workspace|patch):|@(?:file|link|portal|workspace|patch):|"link": true|: (?:file|link|workspace):/;

/**
 * All `node_modules` of a project that belong to its own packages, as paths below its root.
 *
 * @throws {AppError} invalid_input where there are more folders than a project has
 */
export async function packageFolders(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const open: { readonly folder: string; readonly depth: number }[] = [{ folder: root, depth: 0 }];
  for (let count = 0; open.length > 0; count += 1) {
    if (count > mostFolders) throw new AppError("invalid_input", `the project has more than ${mostFolders} folders after the install`);
    const { folder, depth } = open.pop() as (typeof open)[number]; // there is one
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const path = join(folder, entry.name);
      if (entry.name === "node_modules") found.push(relative(root, path));
      else if (depth < deepest) open.push({ folder: path, depth: depth + 1 });
    }
  }
  return found;
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
