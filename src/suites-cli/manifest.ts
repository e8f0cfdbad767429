import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Body, isBody } from "#domain/json-paths.ts";
import { codeOf, refusal } from "./refusal.ts";

/** The text of a file; undefined where there is none. @throws {ConfigError} where it cannot be read */
export async function textIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    const code = codeOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw refusal(`${file} cannot be read (${code})`, cause);
  }
}

/** What `package.json` of a folder says; undefined where there is none. @throws {ConfigError} where it is no JSON object */
export async function manifestOf(folder: string): Promise<Body | undefined> {
  const file = join(folder, "package.json");
  const text = await textIfThere(file);
  if (text === undefined) return undefined;
  try {
    const manifest: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    if (isBody(manifest)) return manifest;
  } catch (cause) {
    throw refusal(`${file} is no JSON. Put it right, then try again`, cause);
  }
  throw refusal(`${file} must hold a JSON object`);
}

/** The range of a package that a manifest depends on, in whichever way; undefined where it does not. */
export function dependencyIn(manifest: Body | undefined, name: string): string | undefined {
  for (const field of ["devDependencies", "dependencies", "optionalDependencies"]) {
    const ranges = manifest?.[field];
    const range = isBody(ranges) ? ranges[name] : undefined;
    if (typeof range === "string") return range;
  }
  return undefined;
}
