import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { z } from "zod";
import { AppError } from "#domain/app-error.ts";
import { nodePath } from "./runtime-manifest.ts";

const limitMs = 60_000;

/** For every Node.js since 16. Looks each package up as an `import` in a script would, and loads nothing. */
const script = `
  import { existsSync, readFileSync } from "node:fs";
  import { fileURLToPath, pathToFileURL } from "node:url";
  const folder = process.argv.at(-1);
  const missing = [], withoutMain = [];
  for (const name of Object.keys(JSON.parse(readFileSync(folder + "/package.json", "utf8")).dependencies)) {
    if (!existsSync(folder + "/node_modules/" + name + "/package.json")) { missing.push(name); continue; }
    try {
      const file = await import.meta.resolve(name, pathToFileURL(folder + "/script.mjs").href);
      if (!existsSync(fileURLToPath(file))) withoutMain.push(name);
    } catch { withoutMain.push(name); }
  }
  console.log(JSON.stringify({ missing, withoutMain }));`;

const Answer = z.object({ missing: z.array(z.string()), withoutMain: z.array(z.string()) });

/**
 * Has the runtime's own Node.js look for each package that the folder's package.json names.
 *
 * @returns those that have no main file, so that only a path inside them can be loaded
 * @throws {AppError} unavailable, when a package is not there
 */
export async function checkPackages(folder: string, signal: AbortSignal): Promise<readonly string[]> {
  const flags = ["--no-warnings", "--experimental-import-meta-resolve", "--input-type=module"];
  const { stdout } = await promisify(execFile)(join(folder, nodePath), [...flags, "--eval", script, folder], {
    env: {},
    timeout: limitMs,
    signal,
  }).catch((cause: unknown) => {
    if (signal.aborted) throw cause;
    throw new AppError("unavailable", "the runtime's own Node.js did not look for the packages; is it for this system and processor?", {
      cause,
    });
  });
  const { missing, withoutMain } = Answer.parse(JSON.parse(stdout));
  if (missing.length === 0) return withoutMain;
  throw new AppError(
    "unavailable",
    `npm installed the runtime without ${missing.join(", ")}; try again, with an empty cache: npm cache clean --force`,
  );
}
