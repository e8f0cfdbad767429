import { createHash } from "node:crypto";
import { Stats } from "node:fs";
import { join } from "node:path";
import { Pack } from "tar";
import { codeBundleLimits } from "#contract/code-bundles.ts";
import type { BundledFile } from "./collect-files.ts";
import { codeOf, refusal } from "./refusal.ts";

export interface Packed {
  readonly bytes: readonly Uint8Array[];
  readonly size: number;
  readonly sha256: string;
}

/**
 * Packs files so that the same files always make the same bytes: in order, without times, owners and what a umask left of their rights.
 *
 * @throws {ConfigError} for more than a bundle may be, and where a file cannot be read or changes meanwhile
 */
export async function packFiles(
  root: string,
  files: readonly BundledFile[],
  maxBytes: number = codeBundleLimits.packedBytes,
): Promise<Packed> {
  const statCache = new Map(files.map(({ path, stats }) => [join(root, path), withoutAccidents(stats)]));
  const pack = new Pack({ cwd: root, gzip: true, portable: true, mtime: new Date(0), noDirRecurse: true, strict: true, statCache });
  for (const { path } of files) pack.add(path);
  pack.end();
  const hash = createHash("sha256");
  const bytes: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of pack) {
      size += chunk.length;
      if (size > maxBytes) throw refusal(tooLarge(files, maxBytes));
      hash.update(chunk);
      bytes.push(chunk);
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === "ConfigError") throw cause;
    const file = cause instanceof Error && "path" in cause ? String(cause.path) : "A file of the project";
    throw refusal(`${file} could not be packed (${codeOf(cause)}). Was it changed meanwhile? Try again`, cause);
  }
  return { bytes, size, sha256: hash.digest("hex") };
}

/** Only whether a file can be run is the same on every machine. A second name of a file is packed as a file. */
function withoutAccidents(stats: Stats): Stats {
  const type = stats.mode & 0o170000;
  const rights = (stats.mode & 0o100) === 0 ? 0o644 : 0o755;
  return Object.assign(Object.create(Stats.prototype) as Stats, stats, { mode: type | rights, nlink: 1 });
}

function tooLarge(files: readonly BundledFile[], maxBytes: number): string {
  const largest = files.toSorted((a, b) => b.bytes - a.bytes).slice(0, 3);
  const told = largest.map(({ path, bytes }) => `${path} (${Math.round(bytes / 1e6)} MB)`).join(", ");
  return `The project is larger than ${maxBytes / 1e6} MB when packed. Leave out what the tests do not need with a line in .outpostignore; the largest files: ${told}`;
}
