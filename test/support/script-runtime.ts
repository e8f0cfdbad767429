import { constants } from "node:fs";
import { chmod, copyFile, cp, link, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RuntimeId } from "#contract/runtime-catalog.ts";
import { manifestName, nodePath, type RuntimeManifest } from "../../src/agent/runtimes/runtime-manifest.ts";

const modules = join(import.meta.dirname, "../../node_modules");
/** What scripts of tests load: one with `require`, one with both, one with `import` alone and what it needs. */
const packages = [
  "semver",
  "zod",
  "node-fetch",
  "data-uri-to-buffer",
  "fetch-blob",
  "formdata-polyfill",
  "node-domexception",
  "web-streams-polyfill",
] as const;

/** A runtimes folder (RUNTIMES_DIR) with one runtime in it. */
export interface ScriptRuntime extends AsyncDisposable {
  /** What RUNTIMES_DIR names; the runtime lies in `<folder>/<runtimeId>`. */
  readonly folder: string;
  readonly runtimeId: RuntimeId;
}

/** Installs a runtime of a few packages whose Node.js is `node`, the one of the tests by default. Any user may read it. */
export async function makeScriptRuntime(runtimeId: RuntimeId = "2026.04", node = process.execPath): Promise<ScriptRuntime> {
  const folder = await mkdtemp(join(tmpdir(), "outpost-runtimes-"));
  await chmod(folder, 0o755);
  const home = join(folder, runtimeId);
  await mkdir(join(home, dirname(nodePath)), { recursive: true });
  await linkOrCopy(await realpath(node), join(home, nodePath));
  for (const name of packages) await cp(join(modules, name), join(home, "node_modules", name), { recursive: true });
  await writeFile(join(home, "package.json"), "{}\n");
  await writeFile(join(home, manifestName), JSON.stringify(manifestOf(runtimeId)));
  return { folder, runtimeId, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** A program of 150 MB: linked where the file system allows it. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to, constants.COPYFILE_FICLONE));
}

function manifestOf(runtimeId: RuntimeId): RuntimeManifest {
  return {
    format: 1,
    runtimeId,
    platform: `${process.platform}-${process.arch}`,
    nodeJsVersion: process.versions.node,
    catalogNodeJsVersion: process.versions.node,
    lock: "off",
    packages: { "node-fetch": "3.3.2", semver: "7.0.0", zod: "4.6.7" },
    unlocked: [],
    leftOut: [],
    withoutMain: [],
    files: 0,
    bytes: 0,
  };
}
