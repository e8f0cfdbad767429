import { readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, posix, relative, resolve, sep } from "node:path";
import { type Body, isBody } from "#domain/json-paths.ts";
import { readYaml } from "#importers/yaml-text.ts";
import { manifestOf, textIfThere } from "./manifest.ts";
import { lockFiles } from "./package-manager.ts";
import { codeOf, refusal } from "./refusal.ts";

/** Where a suite lies, and what has to come along. */
export interface SuiteProject {
  /** The folder that is bundled: the suite's own, its package's, or the workspace's that it is a package of. */
  readonly root: string;
  /** The suite's folder as seen from there, with `/`; empty where they are the same. */
  readonly workingDir: string;
  /** The folder of the repository; undefined where there is none. */
  readonly repository: string | undefined;
  /** `package.json` of the root. */
  readonly rootManifest: Body;
  /** `package.json` that is nearest to the suite. */
  readonly manifest: Body;
  /** What people call it: the name of its package, or of its folder. */
  readonly name: string;
}

/**
 * Finds the package of a folder, and the workspace above it.
 *
 * @param workingDir where `folder` is the root already: the suite's folder as seen from there
 * @throws {ConfigError}
 */
export async function findProject(folder: string, workingDir: string | null): Promise<SuiteProject> {
  const given = await folderAt(folder);
  const suite = workingDir === null ? given : await folderBelow(given, workingDir);
  const top = await repositoryOf(suite);
  const home = await nearest(suite, top, async (at) => (await manifestOf(at)) !== undefined);
  if (home === undefined)
    throw refusal(`${folder} has no package.json, and no folder above it has one. Name the folder of your Playwright project`);
  const root = workingDir === null ? ((await workspaceOf(home, top)) ?? home) : given;
  if (root !== given && (await isFarTooMuch(root)))
    throw refusal(
      `${given} has no package.json of its own, and the next one is in ${root}, all of which would be bundled. Add a package.json and a lock file to the suite's folder`,
    );
  const [rootManifest, manifest] = [await manifestOf(root), await manifestOf(home)];
  if (rootManifest === undefined || manifest === undefined)
    throw refusal(`${root} has no package.json. Name the folder that has it and your lock file`);
  const { name } = home === suite ? manifest : {};
  return {
    root,
    workingDir: relative(root, suite).split(sep).join("/"),
    repository: top,
    rootManifest,
    manifest,
    name: typeof name === "string" && name !== "" ? name : basename(suite),
  };
}

/** A `package.json` in somebody's home folder is mostly there by mistake. */
async function isFarTooMuch(root: string): Promise<boolean> {
  const home = await realpath(homedir()).catch(() => homedir()); // users of containers may have none
  return root === dirname(root) || root === home;
}

async function folderAt(folder: string): Promise<string> {
  try {
    const path = await realpath(resolve(folder));
    if ((await stat(path)).isDirectory()) return path;
  } catch (cause) {
    throw refusal(`The folder ${resolve(folder)} cannot be read (${codeOf(cause)})`, cause);
  }
  throw refusal(`${folder} is no folder. Name the folder that has your playwright.config`);
}

async function folderBelow(root: string, workingDir: string): Promise<string> {
  const path = await folderAt(join(root, workingDir));
  if (path !== root && !path.startsWith(root + sep)) throw refusal(`--working-dir ${workingDir} leads out of the folder ${root}`);
  return path;
}

/** The folder of the repository: nothing above it is looked at. */
function repositoryOf(folder: string): Promise<string | undefined> {
  return nearest(folder, undefined, async (at) => (await readdir(at).catch((): string[] => [])).includes(".git"));
}

/** The first of a folder and those above it, up to `top`. */
async function nearest(folder: string, top: string | undefined, holds: (at: string) => Promise<boolean>): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if (await holds(at)) return at;
    if (at === top || at === dirname(at)) return undefined;
  }
}

/** The root of the workspace that a package belongs to. A package with a lock file of its own stands alone. */
async function workspaceOf(home: string, top: string | undefined): Promise<string | undefined> {
  const names = await readdir(home);
  if (lockFiles.some((name) => names.includes(name))) return undefined;
  if (home === top) return undefined;
  return nearest(dirname(home), top, async (at) => isMember(relative(at, home).split(sep).join("/"), await workspacePatterns(at)));
}

/** Later patterns win, and `!` takes back: as pnpm reads them. */
function isMember(path: string, patterns: readonly string[]): boolean {
  const last = patterns.findLast((pattern) => posix.matchesGlob(path, tidy(pattern.replace(/^!/, ""))));
  return last !== undefined && !last.startsWith("!");
}

function tidy(pattern: string): string {
  return pattern.replace(/^\.\//, "").replace(/\/+$/, "");
}

async function workspacePatterns(folder: string): Promise<readonly string[]> {
  const file = join(folder, "pnpm-workspace.yaml");
  const yaml = await textIfThere(file);
  const workspaces = (await manifestOf(folder))?.["workspaces"];
  const [document] = yaml === undefined ? [] : readYaml(yaml);
  const lists = [isBody(document) ? document["packages"] : undefined, isBody(workspaces) ? workspaces["packages"] : workspaces];
  return lists.flat().filter((one): one is string => typeof one === "string");
}
