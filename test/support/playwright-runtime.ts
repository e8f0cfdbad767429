import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

export const playwrightRuntime = "2026.04";
const { HOME = "", XDG_CACHE_HOME = join(HOME, ".cache"), OUTPOST_TOOLS_DIR = join(XDG_CACHE_HOME, "outpost-tools") } = process.env;
const folders = [
  process.env["OUTPOST_TEST_RUNTIMES"] ?? "",
  join(import.meta.dirname, "../../data/runtimes"),
  join(OUTPOST_TOOLS_DIR, "runtimes"),
];
const found = folders.find((folder) => existsSync(join(folder, playwrightRuntime, "runtime.json")));

/** A folder with the runtime: 545 MB that no test fetches by itself. */
export const runtimesFolder = found ?? "";
export const browserPath = "/usr/lib/chromium/chromium-headless-shell";

/** Why scripts of Playwright do not run here, or null. */
export const noPlaywright = reason();
if (noPlaywright !== null) process.stdout.write(`tests of Playwright are skipped: ${noPlaywright}\n`);

function reason(): string | null {
  if (process.platform !== "linux") return "this is no Linux";
  if (found === undefined) return `there is no runtime ${playwrightRuntime}; .ci/runtime installs it`;
  if (!existsSync(browserPath)) return "chromium-headless-shell is not installed";
  if (process.getuid?.() !== 0) return null;
  // Runs have a user of their own where the agent is root.
  const asOther = (path: string): boolean =>
    spawnSync("setpriv", ["--reuid", "64123", "--regid", "64123", "--clear-groups", "test", "-r", path]).status === 0;
  const unread = [found, import.meta.dirname].find((path) => !asOther(path));
  return unread === undefined ? null : `another user cannot read ${unread}`;
}
