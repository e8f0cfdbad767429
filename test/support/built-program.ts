import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { guideFiles } from "../../src/control-plane/pages/guide/guide-files.ts";

const folderVariable = "OUTPOST_TEST_BUILT";
const root = join(import.meta.dirname, "../..");
let build: ChildProcess | undefined;

/**
 * Vitest's `globalSetup`: builds the program beside the first tests, once for a state of the sources. The hundreds of processes of the whole suite start
 * from it in a third of the time that they take from source; those that come before it is ready start from source.
 */
export function setup(): void {
  const folder = join(tmpdir(), `outpost-tests-built-${userInfo().username}`, sourceHash());
  process.env[folderVariable] = folder;
  if (existsSync(folder)) return;
  build = spawn(process.execPath, ["--conditions=source", import.meta.filename, folder], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

export function teardown(): void {
  build?.kill();
}

/** What Node.js starts for `outpost`, with the flags that it needs. */
export function outpostProgram(): readonly string[] {
  const built = join(process.env[folderVariable] ?? "", "cli.js");
  return existsSync(built) ? ["--disable-warning=ExperimentalWarning", built] : outpostSource;
}

export const outpostSource = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(root, "src/cli.ts")];

function sourceHash(): string {
  const hash = createHash("sha256");
  for (const file of ["package-lock.json", "rolldown.config.ts", ...globSync("src/**/*.*", { cwd: root }).toSorted(), ...guideFiles(root)])
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest("hex").slice(0, 16);
}

/** As `npm run build` does, to a folder of its own. */
async function buildTo(folder: string): Promise<void> {
  const { rolldown } = await import("rolldown");
  const { default: parts } = await import("../../rolldown.config.ts");
  const draft = `${folder}.${process.pid}`;
  const dirOf = (dir: string): string => dir.replace(/^dist\/all/, draft);
  mkdirSync(draft, { recursive: true });
  for (const name of readdirSync(dirname(folder))) removeOld(join(dirname(folder), name));
  for (const part of parts) {
    const [output] = [part.output].flat();
    if (output?.dir === undefined || !/^dist\/all(\/|$)/.test(output.dir)) continue;
    await using bundle = await rolldown(part);
    await bundle.write({ ...output, dir: dirOf(output.dir), cleanDir: false });
  }
  try {
    renameSync(draft, folder);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true }); // another run was first
    if (!existsSync(folder)) throw error;
  }
}

/** Of earlier states of the sources; a run that still goes on may load more of it. */
function removeOld(path: string): void {
  if (Date.now() - statSync(path).mtimeMs > 86_400_000) rmSync(path, { recursive: true, force: true });
}

const [, entry, folder] = process.argv;
if (entry !== undefined && folder !== undefined && import.meta.url === pathToFileURL(entry).href) await buildTo(folder);
