import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

export const playwrightRuntime = "2026.04";
const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
const folders = [
  process.env["OUTPOST_TEST_RUNTIMES"],
  join(import.meta.dirname, "../../data/runtimes"),
  join(process.env["OUTPOST_TOOLS_DIR"] ?? join(cache, "outpost-tools"), "runtimes"),
];
const found = folders.find((folder) => folder !== undefined && existsSync(join(folder, playwrightRuntime, "runtime.json")));

/** A folder with the runtime: 545 MB that no test fetches by itself. */
export const runtimesFolder = found ?? "";
export const browserPath = "/usr/lib/chromium/chromium-headless-shell";

/** Why scripts of Playwright do not run here, or null. */
export const noPlaywright = reason();
if (noPlaywright !== null) process.stdout.write(`tests of Playwright are skipped: ${noPlaywright}\n`);

function reason(): string | null {
  if (process.platform !== "linux") return "this is no Linux";
  if (found === undefined) return `there is no runtime ${playwrightRuntime}; .ci/runtime installs it`;
  return existsSync(browserPath) ? null : "chromium-headless-shell is not installed";
}
