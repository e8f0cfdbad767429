import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, posix } from "node:path";
import type { PackageManager } from "#domain/package-managers.ts";
import { collectFiles } from "./collect-files.ts";
import { findProject, type SuiteProject } from "./find-project.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { Included } from "./included.ts";
import { dependencyIn } from "./manifest.ts";
import { packFiles } from "./pack-files.ts";
import { type Lock, lockFiles, lockOf } from "./package-manager.ts";
import { playwrightVersion } from "./playwright-version.ts";
import { refusal } from "./refusal.ts";
import { isHarmless, looksSecret } from "./secret-names.ts";

export interface BundleOptions {
  /** Where the folder is the root already: the suite's folder as seen from there. */
  readonly workingDir: string | null;
  /** Paths and patterns that come along although a rule leaves them out, as seen from the suite's folder. */
  readonly include: readonly string[];
  /** Whether the command that runs the tests names a configuration itself. */
  readonly namesConfig: boolean;
}

/** A suite as it is uploaded, and what people want to know of it before. */
export interface SuiteBundle {
  /** What a check names it by. */
  readonly key: string;
  readonly sha256: string;
  readonly bytes: readonly Uint8Array[];
  readonly size: number;
  readonly unpackedBytes: number;
  readonly files: number;
  readonly largest: readonly { readonly path: string; readonly bytes: number }[];
  /** Files in it that look like secrets. */
  readonly secrets: readonly string[];
  readonly manager: PackageManager;
  readonly playwrightVersion: string | null;
  /** Of the lock file and of every package.json: SHA-256, hexadecimal. What is installed stays as long as it does. */
  readonly cacheHash: string;
  /** The suite's folder in the bundle; empty: the uppermost one. */
  readonly workingDir: string;
  /** The folder that was bundled. */
  readonly root: string;
  readonly suiteName: string;
}

const shownLargest = 3;

/** Makes a bundle of the Playwright project in a folder. @throws {ConfigError} for one that no agent could run */
export async function suiteBundle(folder: string, { workingDir, include, namesConfig }: BundleOptions): Promise<SuiteBundle> {
  const project = await findProject(folder, workingDir);
  const { root, repository, rootManifest, name } = project;
  const lock = lockOf(await readdir(root), rootManifest["packageManager"], root);
  const range = await playwrightRange(project, namesConfig);
  const rules = await IgnoreRules.above(root, repository ?? root);
  const otherLocks = lockFiles.filter((file) => file !== lock.file);
  const { files, unpackedBytes } = await collectFiles(root, rules, new Included(include, project.workingDir), otherLocks);
  const paths = files.filter(({ stats }) => stats.isFile()).map(({ path }) => path);
  for (const needed of [lock.file, "package.json"]) {
    if (!paths.includes(needed))
      throw refusal(
        `A rule in .gitignore or .outpostignore leaves out ${needed}, which the installation needs. Write !/${needed} into ${join(root, ".outpostignore")}`,
      );
  }
  const { bytes, size, sha256 } = await packFiles(root, files);
  return {
    key: `${sha256}.tar.gz`,
    sha256,
    bytes,
    size,
    unpackedBytes,
    files: files.length,
    largest: files.toSorted((a, b) => b.bytes - a.bytes).slice(0, shownLargest),
    secrets: await secretsIn(root, paths),
    manager: lock.manager,
    playwrightVersion: await versionOf(project, lock, range),
    cacheHash: await hashOf(
      root,
      paths.filter((path) => path === lock.file || posix.basename(path) === "package.json"),
    ),
    workingDir: project.workingDir,
    root,
    suiteName: name,
  };
}

/** What the project asks for of Playwright. @throws {ConfigError} where it is no project of Playwright */
async function playwrightRange({ root, workingDir, manifest, rootManifest }: SuiteProject, namesConfig: boolean): Promise<string> {
  const suite = join(root, workingDir);
  if (!namesConfig && !(await readdir(suite)).some((file) => /^playwright\.config\.[cm]?[jt]s$/.test(file))) {
    throw refusal(
      `${suite} has no playwright.config.ts (or .js, .mts, .mjs, .cts, .cjs). Name the folder that has it, or a --test-command with --config`,
    );
  }
  const range = dependencyIn(manifest, "@playwright/test") ?? dependencyIn(rootManifest, "@playwright/test");
  if (range === undefined)
    throw refusal(
      `package.json does not depend on @playwright/test, so an agent would not install it. Add it to devDependencies of ${suite}`,
    );
  return range;
}

async function versionOf({ root, workingDir }: SuiteProject, { file }: Lock, range: string): Promise<string | null> {
  return playwrightVersion({ file, text: file === "bun.lockb" ? "" : await readFile(join(root, file), "utf8") }, workingDir, range);
}

async function hashOf(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const path of paths) {
    hash.update(`${path}\0`);
    for await (const chunk of createReadStream(join(root, path))) hash.update(chunk as Buffer);
    hash.update("\0");
  }
  return hash.digest("hex");
}

async function secretsIn(root: string, paths: readonly string[]): Promise<readonly string[]> {
  const secrets: string[] = [];
  for (const path of paths.filter(looksSecret)) {
    // Keys may be no text; what is asked is only whether settings name one.
    if (!isHarmless(path, await readFile(join(root, path), "latin1"))) secrets.push(path);
  }
  return secrets;
}
