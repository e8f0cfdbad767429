import type { Stats } from "node:fs";
import { lstat, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { codeBundleLimits } from "#contract/code-bundles.ts";
import { BundleEntries } from "#domain/bundle-entries.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import type { Included } from "./included.ts";
import { codeOf, refusal } from "./refusal.ts";

/** A file or a link of a bundle. */
export interface BundledFile {
  /** As seen from the root, with `/`. */
  readonly path: string;
  readonly bytes: number;
  readonly stats: Stats;
}

export interface Collected {
  /** In the order of their paths. */
  readonly files: readonly BundledFile[];
  readonly unpackedBytes: number;
}

interface Collecting {
  readonly root: string;
  readonly included: Included;
  /** Of the root: lock files that nobody reads. */
  readonly leftOut: readonly string[];
  /** Holds each file to the rules of those who unpack it. */
  readonly entries: BundleEntries;
  readonly files: BundledFile[];
}

/**
 * The files of a project that no rule leaves out, and those that are included by name.
 *
 * @param rules those of the folders above the root
 * @throws {ConfigError} for what no bundle may hold, and for too much
 */
export async function collectFiles(
  root: string,
  rules: IgnoreRules,
  included: Included,
  leftOut: readonly string[] = [],
  limits: { readonly entries: number; readonly unpackedBytes: number } = codeBundleLimits,
): Promise<Collected> {
  const collecting = { root, included, leftOut, entries: new BundleEntries(limits), files: [] };
  await collect(collecting, "", rules, false);
  included.refuseUnmet();
  const { files, entries } = collecting as Collecting;
  return { files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)), unpackedBytes: entries.unpackedBytes };
}

/** @param isLeftOut whether only what is included by name comes along */
async function collect(collecting: Collecting, folder: string, above: IgnoreRules, isLeftOut: boolean): Promise<void> {
  const { root, included, leftOut } = collecting;
  const rules = isLeftOut ? above : await above.within(root, folder);
  for (const found of await namesIn(join(root, folder))) {
    const path = folder === "" ? found.name : `${folder}/${found.name}`;
    const isFolder = found.isDirectory();
    const stays = isLeftOut || leftOut.includes(path) || rules.leavesOut(path, isFolder);
    if (!isFolder && (!stays || included.takes(path))) await take(collecting, path);
    if (isFolder && (!stays || included.mayTakeFrom(path))) await collect(collecting, path, rules, stays);
  }
}

async function namesIn(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    throw refusal(
      `The folder ${folder} cannot be read (${codeOf(cause)}). Make it readable, or leave it out with a line in .outpostignore`,
      cause,
    );
  }
}

async function take({ root, entries, files }: Collecting, path: string): Promise<void> {
  const stats = await lstat(join(root, path));
  const kind = kindOf(stats);
  const bytes = kind === "file" ? stats.size : 0;
  const target = kind === "link" ? (await readlink(join(root, path))).replaceAll("\\", "/") : "";
  files.push({ path, bytes, stats });
  const problem = entries.take({ path, kind, target, bytes });
  if (problem !== null)
    throw refusal(
      `The project cannot be bundled: ${problem}. ${mostIn(files)}Leave out what the tests do not need with a line in .outpostignore`,
    );
}

function kindOf(stats: Stats): string {
  if (stats.isFile()) return "file";
  if (stats.isSymbolicLink()) return "link";
  if (stats.isSocket()) return "socket";
  return stats.isFIFO() ? "pipe" : "device";
}

/** Where the most of a large project is. */
function mostIn(files: readonly BundledFile[]): string {
  const many = 1_000;
  if (files.length < many) return "";
  const folders = Map.groupBy(files, ({ path }) => path.split("/").slice(0, -1).slice(0, 2).join("/"));
  const [folder, most] = [...folders].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? ["", []];
  return `${most.length} of its files are in ${folder === "" ? "its uppermost folder" : folder}. `;
}
