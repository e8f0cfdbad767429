import { existsSync } from "node:fs";
import { join } from "node:path";

const { HOME = "", XDG_CACHE_HOME = join(HOME, ".cache"), OUTPOST_TOOLS_DIR = join(XDG_CACHE_HOME, "outpost-tools") } = process.env;
/** Made by `npm install --prefix <it> pnpm@10.34.8 @yarnpkg/cli-dist@4.18.1`. */
const folder = join(OUTPOST_TOOLS_DIR, "managers/node_modules");

/** Where the packages of managers are that agents fetch from a registry. */
export const managerFolders = { pnpm: join(folder, "pnpm"), yarn: join(folder, "@yarnpkg/cli-dist") };

const missing = Object.entries(managerFolders).flatMap(([name, path]) => (existsSync(join(path, "package.json")) ? [] : [name]));
/** Why suites of these managers are not tried here, or null. */
export const noManagers = missing.length === 0 ? null : `${folder} has no ${missing.join(" and no ")}`;
if (noManagers !== null) process.stdout.write(`suites of pnpm and yarn are skipped: ${noManagers}\n`);
