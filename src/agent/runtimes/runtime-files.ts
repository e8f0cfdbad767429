import { opendir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Half of what the packages weigh, and nothing that a running script loads: source maps and type declarations. */
const unused = /\.(map|d\.[cm]?ts)$/;
/** A compiler needs the declarations of its language. */
const compiler = /\/node_modules\/typescript\//;

/** Removes from the packages in `folder` what no script loads. @returns how many bytes that were */
export async function trimPackages(folder: string): Promise<number> {
  let bytes = 0;
  for await (const path of filesOf(join(folder, "node_modules"))) {
    if (!unused.test(path) || compiler.test(path)) continue;
    bytes += (await stat(path)).size;
    await rm(path);
  }
  return bytes;
}

/** How many files there are in `folder`, and their size in bytes. */
export async function measure(folder: string): Promise<{ readonly files: number; readonly bytes: number }> {
  let files = 0;
  let bytes = 0;
  for await (const path of filesOf(folder)) {
    files += 1;
    bytes += (await stat(path)).size;
  }
  return { files, bytes };
}

async function* filesOf(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesOf(path);
    else if (entry.isFile()) yield path;
  }
}
