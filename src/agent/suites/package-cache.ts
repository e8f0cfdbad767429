import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { lstat, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { installLimitMs } from "#contract/checks/index.ts";
import { AppError } from "#domain/app-error.ts";
import type { Installation, PackageManager } from "#domain/package-managers.ts";
import { needsShell } from "#domain/suite-problems.ts";
import type { Network } from "../egress/network.ts";
import { insideFolder, type TreeParts } from "../playwright/fence.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
import { Holds } from "./holds.ts";
import { isTouched, makeRoom } from "./make-room.ts";
import { type ManagerProgram, managerOf } from "./manager-program.ts";
import { fetchedManager } from "./manager-store.ts";
import { OneAtATime } from "./one-at-a-time.ts";
import { hasOwnPackages, textOf } from "./project.ts";
import { cacheFolders } from "./suite-caches.ts";
import type { SuiteNode } from "./suite-task.ts";
import { SuitePlace, type SuiteTree } from "./suite-tree.ts";
import { giveTo, takeBack, unpackBundle } from "./unpack-bundle.ts";

export interface InstallTask {
  /** Of the account, so that nobody shares what another one's project brought. */
  readonly accountId: string;
  /** The project, unpacked; nothing of it has run. */
  readonly root: string;
  readonly bundle: { readonly sha256: string; readonly file: string };
  readonly installation: Installation;
  /** Empty: what the manager's lock file asks for. */
  readonly installCommand: string;
  readonly node: SuiteNode;
  /** Where its tests are, below the root. */
  readonly workingDir: string | null;
  /** Those that the project's registry settings name. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface Installed {
  /** The project as it was installed, which no run may write. */
  readonly folder: string;
  readonly isCached: boolean;
  /** What the manager said, line by line; empty where nothing was installed. */
  readonly log: readonly string[];
}

export interface PackageCacheOptions {
  readonly folder: string;
  /** Where installs have their folders for a time. */
  readonly runsFolder: string;
  readonly mostBytes: number;
  readonly user: number | null;
  readonly toolsFolder: string;
  /** A registry of this machine; null: npm's. */
  readonly registry: string | null;
  /** PATH, where package managers are. */
  readonly path: string;
  readonly authorities: () => Promise<string | null>;
  /** For what is made of packages once they are installed. @throws the signal's reason */
  readonly onInstalled: (folder: string, task: InstallTask, network: Network, signal: AbortSignal) => Promise<void>;
}

const limits: TreeLimits = { memoryBytes: 2 * 1024 ** 3, processes: 128, folderBytes: 4 * 1024 ** 3 };
const shownLines = 50;
/** Of what a manager wrote, which plug-ins of a project write, too. */
const [mostLines, longestLine] = [2_000, 500];

/** What projects depend on, installed once for each lock file; what was used longest ago goes first. */
export class PackageCache {
  readonly #options: PackageCacheOptions;
  readonly #used = new Holds();
  readonly #installing = new OneAtATime<Installed>();

  constructor(options: PackageCacheOptions) {
    this.#options = options;
  }

  /** Keeps a folder for as long as a run needs it. */
  hold(folder: string): Disposable {
    return this.#used.hold(folder);
  }

  /** @throws {AppError} unavailable: the install failed; @throws the signal's reason */
  async get(task: InstallTask, network: Network, signal: AbortSignal): Promise<Installed> {
    const key = keyOf(task);
    const folder = join(this.#options.folder, key);
    const find = async (): Promise<Installed | null> => ((await isTouched(folder)) ? { folder, isCached: true, log: [] } : null);
    return this.#installing.get(key, find, () => this.#install(task, folder, network, signal), signal);
  }

  async #install(task: InstallTask, folder: string, network: Network, signal: AbortSignal): Promise<Installed> {
    const { user, runsFolder, mostBytes, toolsFolder } = this.#options;
    const { installation, bundle } = task;
    const node = task.node.file;
    const words = wordsOf(task);
    const program = await this.#program(installation, node, network, signal);
    await using place = await SuitePlace.make(runsFolder, user);
    await unpackBundle(bundle.file, place.work);
    if (user !== null) await giveTo(user, place.work);
    const authorities = await this.#options.authorities();
    const parts: Omit<TreeParts, "runFolder" | "proxyPort"> = {
      runtimeFolder: program.folders[0] ?? place.work,
      reads: [...program.folders, ...(authorities === null ? [] : [authorities])],
      node,
      wrapper: null,
      browser: null,
      ffmpeg: null,
      programs: program.isNative ? [program.file] : [],
      toolsFolder,
      user,
    };
    const start = program.isNative ? [join(insideFolder, "install-native.cjs")] : ["--require", join(insideFolder, "install.cjs")];
    const tree = place.start(
      {
        parts,
        words: [node, ...start, program.file, ...words],
        env: { ...this.#settings(place, installation.manager), ...(authorities !== null && { NODE_EXTRA_CA_CERTS: authorities }) },
        order: { proxy: place.proxy, folder: place.work, env: task.environment },
        limits,
      },
      network,
    );
    const log = await this.#finish(tree, place, installation, signal);
    await mkdir(this.#options.folder, { recursive: true, mode: 0o711 });
    await rename(place.work, folder).catch(async (error: unknown) => {
      if (!existsSync(folder)) throw error; // or another agent was faster
    });
    await this.#options.onInstalled(folder, task, network, signal);
    await makeRoom(this.#options.folder, mostBytes, (path) => path === folder || this.#used.has(path));
    return { folder, isCached: false, log };
  }

  /** Waits for the end of an install and takes what it made. @returns its last lines @throws {AppError}; the signal's reason */
  async #finish(tree: SuiteTree, place: SuitePlace, installation: Installation, signal: AbortSignal): Promise<readonly string[]> {
    const made = await lstat(place.work);
    const end = await tree.end(installLimitMs, signal).catch(async (error: unknown) => {
      await tree.stop();
      throw error;
    });
    const left = await tree.stop();
    const log = linesOf(tree.lastErrors).slice(-shownLines);
    if (end.how !== "ended" || tree.exit !== 0 || !(await isFolder(join(place.work, "node_modules"))))
      throw failed(installation, end.how, { first: linesOf(tree.errors), last: log }, place.refusals[0]?.host);
    // Code of the project ran beside it: what has its name must be what was made, and nobody may change it from here on.
    const now = await lstat(place.work);
    if (left > 0 || !now.isDirectory() || now.ino !== made.ino || now.dev !== made.dev)
      throw new AppError(
        "unavailable",
        "install failed: what the project ran at its install put something else in the place of its folder",
      );
    if (this.#options.user !== null) await takeBack(place.work);
    return log;
  }

  async #program(installation: Installation, node: string, network: Network, signal: AbortSignal): Promise<ManagerProgram> {
    const found = managerOf(installation, this.#options.path);
    if ("file" in found) return found;
    const folder = join(dirname(this.#options.folder), cacheFolders.managers);
    return fetchedManager(found, node, { ...this.#options, folder }, network, signal);
  }

  /** Of the user's own nothing counts: the project says where its packages come from. */
  #settings({ folder: { run } }: SuitePlace, manager: PackageManager): Record<string, string> {
    const { registry } = this.#options;
    return {
      npm_config_cache: join(run, "tmp/npm"),
      npm_config_globalconfig: join(run, "home/none"),
      npm_config_update_notifier: "false",
      npm_config_loglevel: "warn",
      npm_config_fetch_retry_mintimeout: "1000",
      npm_config_fetch_retry_maxtimeout: "5000",
      ...(manager === "pnpm" && { npm_config_store_dir: join(run, "tmp/pnpm") }),
      ...(manager === "bun" && { BUN_INSTALL_CACHE_DIR: join(run, "tmp/bun"), BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0", DO_NOT_TRACK: "1" }),
      YARN_CACHE_FOLDER: join(run, "tmp/yarn"),
      YARN_GLOBAL_FOLDER: join(run, "tmp/yarn-global"),
      YARN_ENABLE_GLOBAL_CACHE: "false",
      YARN_ENABLE_TELEMETRY: "0",
      YARN_IGNORE_PATH: "1", // the program of the project is another process, without a way out
      YARN_NODE_LINKER: "node-modules", // Playwright is loaded from files
      ...(registry !== null && { npm_config_registry: registry, YARN_NPM_REGISTRY_SERVER: registry }),
    };
  }
}

/** @throws {AppError} */
function wordsOf({ installation, installCommand }: InstallTask): readonly string[] {
  if (installCommand.trim() === "") return installation.words;
  const [manager, ...words] = installCommand.trim().split(/\s+/);
  const isPlain = manager === installation.manager && !needsShell(installCommand);
  if (isPlain) return [...words, ...(manager === "yarn" ? [] : ["--ignore-scripts"])];
  throw new AppError(
    "invalid_input",
    `install failed: installCommand must be ${installation.manager} with its words, as the lock file is ${installation.lock}; no shell reads it; received ${JSON.stringify(installCommand.slice(0, 200))}`,
  );
}

function keyOf(task: InstallTask): string {
  const { accountId, root, installation, installCommand, node, bundle, environment } = task;
  const whole = hasOwnPackages(root) ? bundle.sha256 : "";
  const about = [
    accountId,
    process.platform,
    process.arch,
    node.file,
    installation.words,
    installation.version,
    installCommand,
    whole,
    environment,
  ];
  const hash = createHash("sha256").update(JSON.stringify(about));
  for (const name of ["package.json", installation.lock, ".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml"])
    hash.update(
      createHash("sha256")
        .update(`${name}\0${textOf(root, name) ?? ""}`)
        .digest(),
    );
  return hash.digest("hex").slice(0, 40);
}

/** Whether a line says why: managers have words for it, and lines beside with a code alone. */
function isTelling(line: string): boolean {
  return (
    /error|\berr\b|ERR_|forbidden|YN00(?!00)\d\d/i.test(line) &&
    /\w \w/.test(line) &&
    !/\b(?:code|errno) \S+$|Failed with errors|│ [+-]/.test(line)
  );
}

function failed(
  installation: Installation,
  how: string,
  { first, last }: { readonly first: readonly string[]; readonly last: readonly string[] },
  refused: string | undefined,
): AppError {
  const told = first.find(isTelling);
  const why =
    how === "late"
      ? `it did not end within ${installLimitMs / 1_000} s`
      : refused !== undefined
        ? `EPOLICY ${refused} is not allowed by this agent's egress policy`
        : (told ?? last.at(-1) ?? how);
  const command = `${installation.manager} ${installation.words[0]}`;
  return new AppError("unavailable", `install failed: ${command}: ${why.slice(0, 500)}`, { attributes: { log: last } });
}

async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isDirectory() === true;
}

function linesOf(text: string): readonly string[] {
  const lines = Buffer.from(text, "latin1")
    .toString()
    .split("\n", mostLines)
    .map((line) => line.slice(0, longestLine).trimEnd());
  return lines.filter((line) => line !== "");
}
