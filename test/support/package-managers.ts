import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Made by `npm ci --prefix test/managers --ignore-scripts`. */
const folder = join(import.meta.dirname, "../managers/node_modules");
const bun = process.arch === "arm64" ? "@oven/bun-linux-aarch64" : "@oven/bun-linux-x64-baseline";

/** Where the packages of managers are that agents fetch from a registry. */
export const managerFolders = { pnpm: join(folder, "pnpm"), yarn: join(folder, "@yarnpkg/cli-dist"), bun: join(folder, bun) };

const missing = Object.entries(managerFolders).flatMap(([name, path]) => (existsSync(join(path, "package.json")) ? [] : [name]));
/** Why suites of these managers are not tried here, or null. */
export const noManagers =
  missing.length === 0 ? null : `there is no ${missing.join(" and no ")}; run npm ci --prefix test/managers --ignore-scripts`;
if (noManagers !== null) process.stdout.write(`suites of pnpm, yarn and bun are skipped: ${noManagers}\n`);

const npm = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((path) => join(path, "npm"))
  .find((path) => existsSync(path));
/** npm of this machine, with the packages in it. */
export const npmFolder = npm === undefined ? "" : join(realpathSync(npm), "../..");
