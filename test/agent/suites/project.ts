import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BundleMember, bundleOf } from "../../support/code-bundle.ts";
import { playwrightRuntime, runtimesFolder } from "../../support/playwright-runtime.ts";
import { TinyRegistry } from "../runtimes/tiny-registry.ts";

const modules = join(runtimesFolder, playwrightRuntime, "node_modules");
/** Another package of the runtime may have a Playwright of its own. */
const folders = ["@playwright/test", "playwright", "playwright/node_modules/playwright-core"];

export const playwrightVersion = "1.58.2";

/** A registry that has the Playwright of the runtime, and no other package. */
export async function playwrightRegistry(): Promise<TinyRegistry> {
  const registry = await TinyRegistry.start([]);
  await registry.publish({ name: "fsevents", version: "2.3.2", files: {}, more: { os: ["darwin"] } });
  for (const name of folders) await registry.publishFolder(join(modules, name));
  return registry;
}

/** The lock file of npm for a project that needs Playwright, as npm itself writes it. */
export async function npmLock(registry: TinyRegistry, more: object = {}): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "outpost-lock-"));
  try {
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest(more)));
    await promisify(execFile)("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund", `--registry=${registry.url}`], {
      cwd: folder,
    });
    return await readFile(join(folder, "package-lock.json"), "utf8");
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function manifest(more: object = {}) {
  return { name: "e2e", private: true, devDependencies: { "@playwright/test": playwrightVersion }, ...more };
}

/** A project as a bundle. */
export function bundled(files: Readonly<Record<string, string>>, links: readonly BundleMember[] = []): Buffer {
  return bundleOf([...Object.entries(files).map(([path, body]) => ({ path, body })), ...links]);
}

/** What every project here has, installed by npm. */
export function npmProject(lock: string, files: Readonly<Record<string, string>>): Buffer {
  return bundled({ "package.json": JSON.stringify(manifest()), "package-lock.json": lock, ...files });
}
