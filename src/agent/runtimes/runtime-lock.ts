import { createHash } from "node:crypto";
import { z } from "zod";

/**
 * The packages of a runtime, those behind the named ones too, at the version each had when the runtime was locked. A lock file of
 * npm is fifteen times as long; what it says beyond this is in the registry, and `sha256` tells whether that is still the same.
 */
export interface RuntimeLock {
  /** Of the locked packages' places, versions and integrity hashes. */
  readonly sha256: string;
  /** `place@version` words. The place of a package inside another one's node_modules is `outer>inner`. */
  readonly words: string;
}

/** The part of npm's package-lock.json (version 2 or 3) that is read. */
export const PackageLock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      name: z.string().optional(),
      version: z.string().optional(),
      integrity: z.string().optional(),
      inBundle: z.boolean().optional(),
    }),
  ),
});
export type PackageLock = z.output<typeof PackageLock>;

/** Place to version; a package under another name than its own has the version `npm:name@version`. */
export function lockedVersions({ words }: RuntimeLock): ReadonlyMap<string, string> {
  return new Map(
    words
      .trim()
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => {
        const at = word.indexOf("@", word.lastIndexOf(">") + 2); // a name may itself begin with `@`
        return [word.slice(0, at), word.slice(at + 1)] as const;
      }),
  );
}

interface Nested {
  version?: string;
  dependencies?: Record<string, Nested>;
}

/**
 * The lock as a package-lock.json of version 1, the one form in which npm takes places and versions alone and gets the rest from the
 * registry.
 */
export function asPackageLock(lock: RuntimeLock): object {
  const root: Nested = {};
  for (const [place, version] of lockedVersions(lock)) {
    let at = root;
    for (const name of place.split(">")) {
      at.dependencies ??= {};
      at = at.dependencies[name] ??= {};
    }
    at.version = version;
  }
  return { lockfileVersion: 1, requires: true, dependencies: root.dependencies ?? {} };
}

/** What npm resolved, in the words of a lock. Packages that come inside another one's archive are that one's. */
export function resolvedPlaces({ packages }: PackageLock): ReadonlyMap<string, { readonly version: string; readonly integrity: string }> {
  const places = Object.entries(packages).flatMap(([path, { name, version, integrity, inBundle }]) => {
    if (path === "" || version === undefined || inBundle === true) return [];
    const place = path.replace(/^node_modules\//, "").replaceAll("/node_modules/", ">");
    return [[place, { version: name === undefined ? version : `npm:${name}@${version}`, integrity: integrity ?? "" }] as const];
  });
  return new Map(places.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The lock that makes npm resolve the same again. */
export function lockFrom(resolved: PackageLock): RuntimeLock {
  const places = resolvedPlaces(resolved);
  const words = [...places].map(([place, { version }]) => `${place}@${version}`).join(" ");
  return { sha256: digestOf(resolved, [...places.keys()]), words };
}

/**
 * Why what npm resolved is not what the lock says, or null. Packages beyond the lock are right only where one was asked for that it does
 * not know (`hasUnlocked`), and never inside a locked one: there they would be loaded in place of what was locked.
 */
export function lockProblem(lock: RuntimeLock, resolved: PackageLock, hasUnlocked: boolean): string | null {
  const places = resolvedPlaces(resolved);
  const locked = lockedVersions(lock);
  const beyond = [...places.keys()].filter((place) => !locked.has(place));
  const foreign = beyond.filter((place) => !hasUnlocked || locked.has(place.slice(0, Math.max(0, place.lastIndexOf(">")))));
  if (foreign.length > 0) return `npm resolved ${some(foreign)}, which nothing that is locked needs`;
  const differing = [...locked].filter(([place, version]) => places.get(place)?.version !== version).map(([place]) => place);
  if (differing.length > 0) return `npm resolved ${some(differing)} otherwise than locked`;
  const unknown = [...locked].filter(([place]) => places.get(place)?.integrity === "").map(([place, version]) => `${place}@${version}`);
  if (unknown.length > 0) return `npm's registry here does not have ${some(unknown)}`;
  const sha256 = digestOf(resolved, [...locked.keys()]);
  if (sha256 === lock.sha256) return null;
  return `the registry has the locked versions with other contents (their digest is ${sha256} instead of ${lock.sha256})`;
}

/** Up to three names, and how many more. */
export function some(names: readonly string[]): string {
  return names.slice(0, 3).join(", ") + (names.length > 3 ? ` and ${names.length - 3} more` : "");
}

function digestOf(resolved: PackageLock, places: readonly string[]): string {
  const all = resolvedPlaces(resolved);
  const lines = places.toSorted().map((place) => `${place}@${all.get(place)?.version} ${all.get(place)?.integrity}\n`);
  return createHash("sha256").update(lines.join("")).digest("hex");
}
