import { lockFiles as managerOfLock, type PackageManager, packageManagers } from "#domain/package-managers.ts";
import { refusal } from "./refusal.ts";

/** Of a manager with two, the first is the one that it reads. */
export const lockFiles: readonly string[] = Object.keys(managerOfLock);

export interface Lock {
  readonly manager: PackageManager;
  /** Its name. */
  readonly file: string;
}

/**
 * Which lock file an agent installs by.
 *
 * @param present names of the files beside `package.json`
 * @param declared `packageManager` of `package.json`, such as `pnpm@10.2.0`: decides between lock files of several managers
 * @throws {ConfigError}
 */
export function lockOf(present: readonly string[], declared: unknown, folder: string): Lock {
  const found = packageManagers.flatMap((manager) => {
    const file = lockFiles.find((name) => managerOfLock[name] === manager && present.includes(name));
    return file === undefined ? [] : [{ manager, file }];
  });
  if (found.length === 0) {
    const names = lockFiles.join(", ");
    throw refusal(
      `${folder} has no lock file, so nobody can install what you tested with. Run your package manager's install, which writes one of ${names}`,
    );
  }
  const wanted = managerIn(declared, folder);
  if (wanted === undefined) return theOnly(found, folder);
  const lock = found.find(({ manager }) => manager === wanted);
  if (lock !== undefined) return lock;
  const there = found.map(({ file }) => file).join(", ");
  throw refusal(
    `package.json in ${folder} names ${wanted} as packageManager, and the lock file there is ${there}. Run ${wanted} install, or correct packageManager`,
  );
}

function theOnly(found: readonly Lock[], folder: string): Lock {
  const [lock, ...others] = found;
  if (lock === undefined || others.length > 0) {
    const names = found.map(({ file }) => file).join(" and ");
    throw refusal(
      `${folder} has the lock files of several package managers: ${names}. Remove all but one, or name the manager as packageManager in package.json`,
    );
  }
  return lock;
}

function managerIn(declared: unknown, folder: string): PackageManager | undefined {
  if (declared === undefined || declared === null) return undefined;
  const name = typeof declared === "string" ? declared.split("@")[0] : undefined;
  const known = packageManagers.find((manager) => manager === name);
  if (known !== undefined) return known;
  throw refusal(
    `package.json in ${folder} names ${JSON.stringify(declared)} as packageManager; agents install with ${packageManagers.join(", ")}`,
  );
}
