import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { archHere, childFolder } from "../sandbox/launch.ts";
import { type LandlockPath, type LauncherOrder, launcher, readingRule, right } from "../sandbox/launcher-order.ts";
import { type ReadablePath, readablePaths } from "../sandbox/readable-paths.ts";
import { treeFilter } from "../sandbox/seccomp-filter.ts";
import { settingsAbove } from "./run-folder.ts";

/** What runs inside of the fence, beside the module that starts it, where the bundler puts it too. */
export const insideFolder = fileURLToPath(new URL("./inside", import.meta.url));

/** What a tree is made of. */
export interface TreeParts {
  readonly runtimeFolder: string;
  readonly node: string;
  /** All of what it may write. */
  readonly runFolder: string;
  /** What Playwright starts as the browser; null where there is none. */
  readonly wrapper: string | null;
  readonly browser: string | null;
  readonly ffmpeg: string | null;
  /** Others that it may read. */
  readonly reads?: readonly string[];
  /** Others that it may execute. */
  readonly programs?: readonly string[];
  /** Links to ffmpeg where Playwright looks for it. */
  readonly toolsFolder: string;
  readonly proxyPort: number;
  /** The user that it runs as; null: the agent's own. */
  readonly user: number | null;
}

/** Programs that a browser and a test runner read beside what Node.js does. */
const ofBrowsers = [
  "/etc/chromium",
  "/etc/fonts",
  "/etc/group",
  "/etc/passwd",
  "/usr/share/chromium",
  "/usr/share/fontconfig",
  "/usr/share/fonts",
  "/usr/share/icu",
];
/** Only a rule of its own lets a tree execute a browser, or read it: a loader of the system starts what can be read. */
const browserFolders = ["/usr/lib/chromium", "/usr/lib/chromium-browser"];
const devices = ["/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"];
const looksAt = ["/proc", "/sys/devices/system/cpu"];

/** Resources by their numbers in `asm-generic/resource.h`. */
const resource = { cpu: 0, fileSize: 1, data: 2, core: 4, processes: 6, files: 7 } as const;
const gigabyte = 1024 ** 3;
/** Processor time of one process: the backstop where nobody comes to stop it. */
const cpuSeconds = 1_800;
/** Threads count, and those of other runs of the same user; who has more processes than a run may have is seen by the keeper. */
const mostThreads = 4_096;

const treeLimits: LauncherOrder["limits"] = [
  [resource.cpu, cpuSeconds],
  [resource.fileSize, gigabyte],
  [resource.data, 2 * gigabyte],
  [resource.core, 0],
  [resource.processes, mostThreads],
  [resource.files, 4_096],
];

/**
 * The outer fence, as an order for the launcher: what a run may read, execute and write, one port that it may connect to, and the calls of a
 * tree of processes. What it writes it cannot execute by name; the loader of the system starts what can be read, and the fence holds that, too.
 */
export function outerFence(
  parts: TreeParts,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Omit<LauncherOrder, "parentPid"> {
  const programs = [parts.node, process.execPath, parts.wrapper, parts.ffmpeg, ...(parts.programs ?? [])].filter((path) => path !== null);
  const paths = [
    ...readablePaths(parts.runtimeFolder, parts.node, childFolder).flatMap(withoutBrowsers).map(readingRule),
    ...reading([
      ...ofBrowsers,
      ...looksAt,
      insideFolder,
      launcher,
      parts.toolsFolder,
      ...settingsAbove(parts.runFolder),
      ...(parts.reads ?? []),
    ]),
    ...programs.map((path): LandlockPath => [path, right.readFile + right.execute]),
    ...programsOf(parts.browser),
    ...writing([parts.runFolder], devices),
  ];
  return {
    user: parts.user,
    keepsPowers: false,
    limits: treeLimits,
    landlock: { paths, tcpPort: parts.proxyPort },
    filter: treeFilter(archHere()),
    isBestEffort: false,
    argv,
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  };
}

/**
 * The inner fence: of the run's folder only its temporary files, no other process's files in /proc but what anybody may see, and an
 * environment of its own.
 */
export function innerFence(
  { runFolder, proxyPort, browser }: TreeParts,
  argv: readonly string[],
  more: readonly LandlockPath[] = [],
): Omit<LauncherOrder, "parentPid"> {
  const [home, temporary] = [join(runFolder, "home"), join(runFolder, "tmp")];
  const env = {
    HOME: home,
    TMPDIR: temporary,
    XDG_CACHE_HOME: home,
    XDG_CONFIG_HOME: home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    DBUS_SESSION_BUS_ADDRESS: "disabled:",
  };
  const paths = [
    ...readablePaths("/usr/lib", "/usr/lib", "/usr/lib").map(readingRule),
    ...reading([...ofBrowsers, ...looksAt]),
    ...programsOf(browser),
    ...more,
    ...writing([home, temporary], devices),
  ];
  return {
    user: null,
    keepsPowers: false,
    limits: [],
    landlock: { paths, tcpPort: proxyPort },
    filter: null, // the outer one holds
    isBestEffort: false,
    argv,
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  };
}

/** A folder of the system with a browser in it, as what else is there. Links lead to what has a rule of its own, or none. */
function withoutBrowsers(one: ReadablePath): ReadablePath[] {
  const real = one.isFolder ? realpathSync(one.path) : "";
  if (!browserFolders.some((folder) => dirname(folder) === real && existsSync(folder))) return [one];
  return readdirSync(real, { withFileTypes: true }).flatMap((entry) => {
    const path = join(real, entry.name);
    return entry.isSymbolicLink() || browserFolders.includes(path) ? [] : { ...one, path, isFolder: entry.isDirectory() };
  });
}

/** A browser and the files beside it; one that lies among other programs comes alone. */
function programsOf(browser: string | null): LandlockPath[] {
  if (browser === null) return [];
  const isAmongItsOwn = existsSync(join(dirname(browser), "icudtl.dat"));
  return [[isAmongItsOwn ? dirname(browser) : browser, right.readFile + right.execute + (isAmongItsOwn ? right.readFolder : 0)]];
}

function reading(paths: readonly string[]): LandlockPath[] {
  return paths
    .filter((path) => existsSync(path))
    .map((path) => readingRule({ path, isFolder: statSync(path).isDirectory(), isProgram: false }));
}

function writing(folders: readonly string[], files: readonly string[]): LandlockPath[] {
  return [
    ...folders.map((path): LandlockPath => [path, right.everythingButExecute]),
    ...files.map((path): LandlockPath => [path, right.readFile + right.writeFile]),
  ];
}
