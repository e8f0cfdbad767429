import { existsSync } from "node:fs";
import { lchown, lstat, mkdir, realpath, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "#domain/app-error.ts";
import type { Installation } from "#domain/package-managers.ts";
import type { Network } from "../egress/network.ts";
import type { Installed, PackageCache } from "./package-cache.ts";
import { installation, packageFolders, playwrightOf, testFolder, textOf } from "./project.ts";
import type { SuiteTask } from "./suite-task.ts";
import type { SuitePlace } from "./suite-tree.ts";
import { giveTo } from "./unpack-bundle.ts";

/** A project that can begin. */
export interface Prepared {
  /** Where its packages are; null: in the project itself. */
  readonly folder: string | null;
  /** A folder that has the suite's Playwright as a runtime has it. */
  readonly view: string;
  readonly testFolder: string;
  readonly manager: string | null;
  readonly isCached: boolean;
  readonly log: readonly string[];
}

/** Puts packages beside the project, and all of it where the run may write it. @param file its bundle @throws {AppError}; the signal's reason */
export async function prepareSuite(
  task: SuiteTask,
  place: SuitePlace,
  file: string,
  { packages, user }: { readonly packages: Pick<PackageCache, "get">; readonly user: number | null },
  network: Network,
  signal: AbortSignal,
): Promise<Prepared> {
  const asked = installation(place.work);
  const installed = asked === null ? null : await packages.get(installTask(task, place, file, asked), network, signal);
  if (installed !== null) await linkPackages(installed, place);
  const folder = testFolder(place.work, task.settings.workingDir);
  const view = await viewOf(playwrightOf(place.work, folder), join(place.folder.run, "view"));
  if (user !== null) {
    await giveTo(user, place.work);
    await lchown(place.folder.run, user, user);
  }
  const manager = asked === null ? null : [asked.manager, asked.version?.split("+")[0] ?? ""].join(" ").trim();
  const { isCached, log } = installed ?? { isCached: true, log: [] };
  return { folder: installed?.folder ?? null, view, testFolder: folder, manager, isCached, log };
}

function installTask(task: SuiteTask, place: SuitePlace, file: string, asked: Installation): Parameters<PackageCache["get"]>[0] {
  return {
    accountId: task.bundles.accountId,
    root: place.work,
    bundle: { sha256: task.sha256, file },
    installation: asked,
    installCommand: task.settings.installCommand,
    node: task.node,
    workingDir: task.settings.workingDir,
    environment: registryVariables(place.work, task.environment),
  };
}

async function linkPackages({ folder }: Installed, place: SuitePlace): Promise<void> {
  for (const path of await packageFolders(folder)) {
    await makeRealFolders(place.work, dirname(path));
    await symlink(join(folder, path), join(place.work, path));
  }
}

/** Folders below a root that hold a path, none of them a link: what an install made of the names of a bundle may lead anywhere. @throws {AppError} */
async function makeRealFolders(root: string, path: string): Promise<void> {
  let folder = root;
  for (const part of path.split("/").filter((one) => one !== "." && one !== "")) {
    folder = join(folder, part);
    const about = await lstat(folder).catch(() => null);
    if (about === null) await mkdir(folder);
    else if (!about.isDirectory())
      throw new AppError("invalid_input", `install failed: ${JSON.stringify(path)} is no folder of the bundle`);
  }
}

/** Package managers put Playwright's packages in different places; what we load of it is found by links. */
export async function viewOf(testPackage: string, view: string): Promise<string> {
  const modules = join(view, "node_modules");
  await mkdir(join(modules, "@playwright"), { recursive: true });
  const test = await realpath(testPackage);
  await symlink(test, join(modules, "@playwright/test"));
  const beside = async (from: string, name: string): Promise<string | null> => {
    const places = [join(from, "node_modules", name), join(from, "..", name), join(from, "../..", name)];
    const found = places.find((path) => existsSync(path));
    return found === undefined ? null : realpath(found);
  };
  const playwright = await beside(test, "playwright");
  const core = (playwright === null ? null : await beside(playwright, "playwright-core")) ?? (await beside(test, "playwright-core"));
  if (playwright !== null) await symlink(playwright, join(modules, "playwright"));
  if (core !== null) await symlink(core, join(modules, "playwright-core"));
  return view;
}

/** What a project's registry settings ask for: secrets of the check that they do not name stay away from installs. */
function registryVariables(root: string, environment: Readonly<Record<string, string>>): Record<string, string> {
  const settings = [".npmrc", ".yarnrc.yml", ".yarnrc", "bunfig.toml"].map((name) => textOf(root, name) ?? "").join("\n");
  const named = new Set([...settings.matchAll(/\$\{?([A-Za-z_]\w*)/g)].map(([, name]) => name));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => named.has(name)));
}
