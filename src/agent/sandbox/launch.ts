import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { linuxCalls } from "../net/libc.ts";
import { type LandlockPath, type LauncherOrder, launcherArgs, readingRule, right } from "./launcher-order.ts";
import { nodeFlags } from "./node-flags.ts";
import { type ProcessLimits, resourceLimits } from "./process-limits.ts";
import { type ReadablePath, readablePaths } from "./readable-paths.ts";
import type { SandboxLevel } from "./sandbox.ts";
import type { ScriptLimits } from "./script-limits.ts";
import { type FilteredArch, filterBytes, type Instruction, seccompFilter, socketFilter } from "./seccomp-filter.ts";

/** The runtime as a child needs it. */
export interface ScriptRuntime {
  readonly id: string;
  readonly folder: string;
  readonly node: string;
  /** The options that its Node.js knows. */
  readonly flags: ReadonlySet<string>;
}

/** How children of a runtime are kept apart. */
export interface Confinement {
  readonly level: Exclude<SandboxLevel, 0>;
  /** The user that they run as; null: the agent's own. */
  readonly user: number | null;
  /** What a child holds while it waits (`dataBytes`); null before one was seen. */
  readonly idleBytes: number | null;
}

/** A child to start: words, and what it reads from descriptor 5 before it begins. */
export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly filter: Buffer | null;
  /** It limits itself, because this process may not be allowed to. */
  readonly limitsItself: boolean;
}

/** Beside the module that starts them, where the bundler puts them too. */
export const childFolder = fileURLToPath(new URL("./child", import.meta.url));
const bootstrap = `${childFolder}/bootstrap.cjs`;

/** Scripts of one phase are few; the parent's clock stops them long before. */
const scriptsOfPhase = 8;

/**
 * The start of one child, which may connect to `proxyPort` alone. `isGuarded: false` leaves out what Node.js itself does for levels 2 and 3, so that the self-test proves
 * what the kernel does.
 */
export function launchOf(
  runtime: ScriptRuntime,
  confinement: Confinement,
  limits: ScriptLimits,
  proxyPort: number,
  isGuarded = true,
): Launch {
  const { level, user } = confinement;
  const env = { PATH: "/usr/local/bin:/usr/bin:/bin", TZ: Intl.DateTimeFormat().resolvedOptions().timeZone };
  const flags = nodeFlags(runtime.flags, [`${childFolder}/*`, `${runtime.folder}/*`], isGuarded || level === 1);
  const paths = readablePaths(runtime.folder, runtime.node, childFolder);
  const words = [runtime.node, ...flags, bootstrap, runtime.folder, ...(isGuarded ? [] : ["raw"])];
  const [command = "", ...args] = level === 3 ? [programPath("bwrap"), ...bubblewrapArgs(paths), ...words] : words;
  const filter = level === 3 ? filterBytes(seccompFilter(archHere(), false)) : null;
  if (linuxCalls() === null) return { command, args, env, filter, limitsItself: false };
  const order: LauncherOrder = {
    parentPid: process.pid,
    user,
    keepsPowers: level === 3 && user === null,
    limits: user === null ? [] : resourceLimits(processLimits(limits, scriptsOfPhase), confinement.idleBytes),
    landlock: { paths: level === 2 ? landlockPaths(paths) : null, tcpPort: proxyPort },
    filter: filterOf(level),
    isBestEffort: level === 1,
    argv: [command, ...args],
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
  };
  return { command: process.execPath, args: launcherArgs(order), env, filter, limitsItself: user !== null };
}

/** What the launcher sets; bubblewrap sets its own. */
function filterOf(level: Confinement["level"]): readonly Instruction[] | null {
  if (level === 3 || noFilterHere() !== null) return null;
  return level === 2 ? seccompFilter(archHere(), true) : socketFilter(archHere());
}

/** What a phase of so many scripts may take. */
export function processLimits({ memoryBytes, scriptMs }: ScriptLimits, scripts: number): ProcessLimits {
  return { memoryBytes, cpuSeconds: Math.ceil((scriptMs / 1_000) * 2 * scripts) + 5 };
}

function landlockPaths(paths: readonly ReadablePath[]): LandlockPath[] {
  return [
    ...paths.map(readingRule),
    ...["/proc/self", "/sys/devices/system/cpu"].map((path): LandlockPath => [path, right.readFile + right.readFolder]),
    ...["/dev/urandom", "/proc/meminfo", "/proc/cpuinfo", "/proc/stat", "/proc/uptime"].map((path): LandlockPath => [path, right.readFile]),
  ];
}

/** Where a program of the system lies; its bare name where it does not, which fails to start with that name. */
export function programPath(name: string): string {
  return ["/usr/bin", "/usr/local/bin", "/bin"].map((folder) => `${folder}/${name}`).find((path) => existsSync(path)) ?? name;
}

/** Namespaces of its own but for the network, no capabilities, and of the file system what is named. */
function bubblewrapArgs(paths: readonly ReadablePath[]): string[] {
  const apart = ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--new-session"];
  const fileSystem = ["--proc", "/proc", "--dev", "/dev", "--size", String(10 * 1024 * 1024), "--tmpfs", "/tmp"];
  const shown = paths.flatMap(({ path }) => ["--ro-bind", path, path]);
  const closed = ["--remount-ro", "/dev", "--remount-ro", "/"]; // file systems in memory too, without a limit
  return [...apart, "--die-with-parent", "--cap-drop", "ALL", ...fileSystem, ...shown, ...closed, "--seccomp", "5", "--chdir", "/", "--"];
}

/** Why the kernel's calls cannot be filtered here, or null. */
export function noFilterHere(): string | null {
  if (process.platform !== "linux") return "only Linux has it";
  return process.arch === "x64" || process.arch === "arm64" ? null : `it is written for x86-64 and arm64, not for ${process.arch}`;
}

/** @throws {Error} elsewhere: `noFilterHere` is asked first */
export function archHere(): FilteredArch {
  if (process.arch === "x64" || process.arch === "arm64") return process.arch;
  throw new Error(`no filter for ${process.arch}`);
}
