export const packageManagers = ["npm", "pnpm", "yarn", "bun"] as const;
export type PackageManager = (typeof packageManagers)[number];

/** Whose file it is; each pins every package of a project. */
export const lockFiles: Readonly<Record<string, PackageManager>> = {
  "npm-shrinkwrap.json": "npm",
  "package-lock.json": "npm",
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "bun.lockb": "bun",
};

/** What installs the packages of a project. */
export interface Installation {
  readonly manager: PackageManager;
  /** Of yarn: from 2 on it is another program. Null where the project does not say. */
  readonly version: string | null;
  readonly lock: string;
  readonly words: readonly string[];
}

/**
 * By which manager a project is installed.
 *
 * @param names of the files in its root folder
 * @param manifest text of its package.json
 * @returns what is wrong, as a sentence, where nobody can tell
 */
export function installationOf(
  names: readonly string[],
  manifest: string,
  lockText: (name: string) => string,
): Installation | { readonly problem: string } {
  const wanted = wantedManager(manifest);
  if ("problem" in wanted) return wanted;
  const locks = names.filter((name) => Object.hasOwn(lockFiles, name));
  const fitting = wanted.manager === null ? locks : locks.filter((name) => lockFiles[name] === wanted.manager);
  const managers = new Set(fitting.map((name) => lockFiles[name]));
  const [lock] = fitting;
  if (lock === undefined) {
    const of = wanted.manager === null ? "" : ` of ${wanted.manager}, which package.json names as its packageManager`;
    return {
      problem: `there is no lock file${of}: commit one (${Object.keys(lockFiles).join(", ")}), so that each run has the same packages`,
    };
  }
  if (managers.size > 1)
    return {
      problem: `there are lock files of several package managers (${fitting.join(", ")}): keep one, or name it in packageManager of package.json`,
    };
  const manager = lockFiles[lock] as PackageManager; // its name is one of the table
  const version = wanted.version ?? (manager === "yarn" ? (isClassic(lockText(lock)) ? "1" : "4") : null);
  return { manager, version, lock, words: wordsOf(manager, version) };
}

function wantedManager(
  manifest: string,
): { readonly manager: PackageManager | null; readonly version: string | null } | { readonly problem: string } {
  const read = parsed(manifest);
  if (typeof read !== "object" || read === null) return { problem: "package.json cannot be read as JSON" };
  const text: unknown = "packageManager" in read ? read.packageManager : undefined;
  if (typeof text !== "string") return { manager: null, version: null };
  const [, name = "", version = null] = /^([^@]+)(?:@(.+))?$/.exec(text) ?? [];
  const manager = packageManagers.find((one) => one === name);
  if (manager !== undefined) return { manager, version };
  return {
    problem: `packageManager of package.json must be one of ${packageManagers.join(", ")}; received ${JSON.stringify(text.slice(0, 100))}`,
  };
}

function isClassic(lock: string): boolean {
  return /^# yarn lockfile v1$/m.test(lock.slice(0, 1_000));
}

/** Exactly what the lock file says; code of packages does not run. */
function wordsOf(manager: PackageManager, version: string | null): readonly string[] {
  switch (manager) {
    case "npm":
      return ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"];
    case "pnpm":
      return ["install", "--frozen-lockfile", "--ignore-scripts"];
    case "bun":
      return ["install", "--frozen-lockfile", "--ignore-scripts"];
    case "yarn":
      return version?.startsWith("1") === true
        ? ["install", "--frozen-lockfile", "--ignore-scripts", "--non-interactive"]
        : ["install", "--immutable", "--mode=skip-build"];
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
