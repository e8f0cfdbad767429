import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { type CatalogRuntime, runtimeCatalog } from "#contract/runtime-catalog.ts";
import type { InstallOrder } from "../../../src/agent/runtimes/install-runtime.ts";
import type { Published, TinyRegistry } from "./tiny-registry.ts";

/** Why there is no npm to test with, or null. */
export const npmMissing = ((): string | null => {
  try {
    execFileSync("npm", ["--version"], { stdio: "ignore" });
    return null;
  } catch {
    return "npm is not installed";
  }
})();
if (npmMissing !== null) process.stdout.write(`Tests that install runtimes are skipped: ${npmMissing}.\n`);

const [newest] = runtimeCatalog;
if (newest === undefined) throw new Error("the catalog is empty");
const nodePackage = `node-${process.platform}-${process.arch}`;

/** A runtime of the catalog's newest name with packages of the test. */
export function tinyRuntime(dependencies: Readonly<Record<string, string>>): CatalogRuntime {
  return { ...newest, dependencies } as CatalogRuntime;
}

/** The platform package of that Node.js. What starts is the Node.js of the tests; it only says that it is the other one. */
export function nodeBuild(version = newest?.nodeJsVersion ?? "", says = version): Published {
  const script = `#!/bin/sh\nif [ "$1" = --version ]; then echo v${says}; else exec ${process.execPath} "$@"; fi\n`;
  return {
    name: nodePackage,
    version,
    files: { "bin/node": script, "include/node.h": "", LICENSE: "free" },
    more: { bin: { node: "bin/node" } },
  };
}

/** npm's surroundings: this registry, a cache of its own, and nothing of the user's. */
export function npmEnv(registry: Pick<TinyRegistry, "url">, home: string): Record<string, string | undefined> {
  const own = {
    HOME: home,
    npm_config_registry: registry.url,
    npm_config_cache: join(home, "cache"),
    npm_config_userconfig: join(home, "npmrc"),
  };
  return { PATH: process.env["PATH"], ...own, npm_config_fetch_retries: "0", npm_config_fund: "false" };
}

/** An order of an install, and the lines that it told. */
export function tinyOrder(
  registry: Pick<TinyRegistry, "url">,
  home: string,
  dependencies: Readonly<Record<string, string>>,
  more: Partial<InstallOrder> = {},
): InstallOrder & { readonly told: string[] } {
  const told: string[] = [];
  return {
    runtime: tinyRuntime(dependencies),
    lock: null,
    folder: join(home, "runtimes"),
    env: npmEnv(registry, home),
    signal: new AbortController().signal,
    tell: (line) => told.push(line),
    nodePins: {},
    ...more,
    told,
  };
}
