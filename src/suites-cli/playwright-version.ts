import { isBody } from "#domain/json-paths.ts";
import { readYaml } from "#importers/yaml-text.ts";

const name = "@playwright/test";
const exact = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

/**
 * The version of `@playwright/test` that is installed, by a lock file; where that does not tell, by a range that is a version.
 *
 * @param lock name and text of the lock file @param workingDir of the suite, as seen from the lock file; empty: beside it
 * @returns null where neither tells
 */
export function playwrightVersion(
  lock: { readonly file: string; readonly text: string },
  workingDir: string,
  range: string,
): string | null {
  const told = readers[lock.file]?.(lock.text, workingDir) ?? null;
  const version = told?.replace(/\(.*$/, "") ?? range;
  return exact.test(version) ? version : null;
}

type Reader = (text: string, workingDir: string) => string | null;

const readers: Readonly<Record<string, Reader>> = {
  "package-lock.json": inNpmLock,
  "npm-shrinkwrap.json": inNpmLock,
  "pnpm-lock.yaml": inPnpmLock,
  "yarn.lock": (text) => /^"?@playwright\/test@[^\n]*:\n\s+version:? "?([^"\s]+)"?/m.exec(text)?.[1] ?? null,
  "bun.lock": (text) => /"@playwright\/test": \["@playwright\/test@([^"]+)"/.exec(text)?.[1] ?? null,
};

/** The nearest `node_modules` wins, as Node.js looks. */
function inNpmLock(text: string, workingDir: string): string | null {
  const lock = jsonOf(text);
  const packages = isBody(lock) ? lock["packages"] : undefined;
  const folders = workingDir === "" ? [] : workingDir.split("/");
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const at = [...folders.slice(0, depth), "node_modules", name].join("/");
    const found = isBody(packages) ? packages[at] : undefined;
    if (isBody(found) && typeof found["version"] === "string") return found["version"];
  }
  return null;
}

/** Only the part with what each package asks for is read: the whole of a large lock takes seconds. */
function inPnpmLock(text: string, workingDir: string): string | null {
  const part = /^importers:\n(?:(?: .*)?\n)*/m.exec(text)?.[0];
  const [document] = part === undefined ? [] : readYaml(part);
  const importers = isBody(document) ? document["importers"] : undefined;
  const folders = workingDir === "" ? [] : workingDir.split("/");
  for (let depth = folders.length; depth >= 0; depth -= 1) {
    const version = ofImporter(isBody(importers) ? importers[folders.slice(0, depth).join("/") || "."] : undefined);
    if (version !== null) return version;
  }
  return null;
}

function ofImporter(importer: unknown): string | null {
  for (const field of ["devDependencies", "dependencies", "optionalDependencies"]) {
    const dependencies = isBody(importer) ? importer[field] : undefined;
    const found = isBody(dependencies) ? dependencies[name] : undefined;
    if (isBody(found) && typeof found["version"] === "string") return found["version"];
  }
  return null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the package manager will say what is wrong with its own file
  }
}
