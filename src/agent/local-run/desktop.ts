import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { isOneScriptType, type OneScriptType, scriptLimitMs } from "#contract/checks/index.ts";
import { ConfigError, type Env } from "#daemon/env.ts";
import { insideFolder } from "../playwright/fence.ts";
import { linkProgram } from "../playwright/link-program.ts";
import { type PreparedTask, prepareTask } from "../playwright/task.ts";
import { nodePath } from "../runtimes/runtime-manifest.ts";
import type { LocalCheck } from "./local-check.ts";
import { localRun, type VariableSources } from "./local-material.ts";

/** How Playwright shows itself: the browser's window, or its own with steps and times. */
export type Shown = "headed" | "ui";

export interface Desktop {
  readonly env: Env;
  readonly runtimesFolder: string;
  readonly sources: VariableSources;
  readonly runtimeOf: (check: LocalCheck) => string | null;
}

/** With windows: `chromium-headless-shell` has none. */
const browserPaths = [
  "/usr/lib/chromium/chromium",
  "/usr/lib/chromium-browser/chromium-browser",
  "/usr/bin/chromium",
  "/usr/bin/google-chrome",
];

/**
 * Runs a check that is a script before the eyes of whoever wrote it, by the runtime's own Playwright. No fence holds it, as a window is a way
 * out: it may do what its user may.
 *
 * @returns Playwright's exit code
 * @throws {ConfigError} where there is no desktop, browser or runtime
 */
export async function onDesktop(check: LocalCheck, shown: Shown, desktop: Desktop): Promise<number> {
  const { runtime, browser } = found(check, shown, desktop);
  using held = holdSignals();
  const folder = await mkdtemp(join(tmpdir(), "outpost-desktop-"));
  try {
    const work = join(folder, "work");
    const { env: variables, files } = await writeCheck(check as LocalCheck<OneScriptType>, work, browser, desktop);
    await symlink(join(runtime, "node_modules"), join(work, "node_modules"));
    provideHelpers(folder, files);
    const words = [join(runtime, "node_modules/@playwright/test/cli.js"), "test", "-c", "playwright.config.cjs", `--${shown}`];
    const isUi = shown === "ui"; // its own window is a browser, too, and no setting names which
    if (isUi) await linkProgram("chromium", browser, runtime, folder);
    const env = { ...desktop.env, ...variables, SERVICE: "1", ...(isUi && { PLAYWRIGHT_BROWSERS_PATH: folder }) };
    if (held.signal !== null) return 1;
    const child = spawn(join(runtime, nodePath), words, { cwd: work, env, stdio: "inherit" });
    held.end = (signal) => child.kill(signal);
    const [code] = (await once(child, "exit")) as [number | null];
    return code ?? 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As runs have them. */
function provideHelpers(folder: string, files: PreparedTask["files"]): void {
  const provide = createRequire(import.meta.url)(join(insideFolder, "provide-helpers.cjs")) as typeof provideHelpers;
  provide(folder, files);
}

const endings = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

interface HeldSignals extends Disposable {
  /** What came first. */
  readonly signal: NodeJS.Signals | null;
  end: (signal: NodeJS.Signals) => void;
}

/** A signal ends Playwright, which closes its windows, and this process once its folder is gone. */
function holdSignals(): HeldSignals {
  let signal: NodeJS.Signals | null = null;
  const held = {
    get signal() {
      return signal;
    },
    end: (_signal: NodeJS.Signals): void => {},
    [Symbol.dispose]() {
      for (const name of endings) process.off(name, onSignal);
      if (signal !== null) process.kill(process.pid, signal);
    },
  };
  const onSignal = (came: NodeJS.Signals): void => {
    signal = came;
    held.end(came);
  };
  for (const name of endings) process.on(name, onSignal);
  return held;
}

/** @throws {ConfigError} */
function found(check: LocalCheck, shown: Shown, { env, runtimesFolder, runtimeOf }: Desktop): { runtime: string; browser: string } {
  if (!isOneScriptType(check.type)) throw new ConfigError(`--${shown} is for BROWSER and MULTI_STEP checks; this one is ${check.type}`);
  if (process.platform === "linux" && !env["DISPLAY"] && !env["WAYLAND_DISPLAY"])
    throw new ConfigError(
      `--${shown} needs a desktop, and there is none here (neither DISPLAY nor WAYLAND_DISPLAY is set); without it the check runs unseen`,
    );
  const browser = [env["BROWSER_PATH"] ?? "", ...browserPaths].find((path) => existsSync(path) && !path.includes("headless"));
  if (browser === undefined)
    throw new ConfigError(`--${shown} needs a Chromium with windows: apt-get install chromium, or its path in BROWSER_PATH`);
  const id = runtimeOf(check) ?? "";
  const runtime = resolve(runtimesFolder, id);
  if (!existsSync(join(runtime, "node_modules/@playwright/test/cli.js")))
    throw new ConfigError(`runtime ${id} is not installed in ${runtimesFolder}: outpost runtime install ${id}`);
  return { runtime, browser };
}

async function writeCheck(
  check: LocalCheck<OneScriptType>,
  folder: string,
  browser: string,
  { sources, runtimeOf }: Desktop,
): Promise<PreparedTask> {
  const { script, scriptPath, dependencies } = check.settings;
  const { material } = localRun(check, null, sources, runtimeOf(check));
  const environment = Object.fromEntries(material.variables.map(({ key, value }) => [key, value]));
  const task = { type: check.type, runtimeId: runtimeOf(check) ?? "", script: script ?? "", scriptPath: scriptPath ?? "check.spec.ts" };
  const limits = {
    files: dependencies ?? [],
    environment,
    secrets: [],
    certificates: [],
    baselines: [],
    limitMs: scriptLimitMs,
    keepsAll: false,
  };
  const prepared = prepareTask({ ...task, ...limits });
  for (const { path, content } of prepared.files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const config = {
    testDir: ".",
    testMatch: prepared.script,
    workers: 1,
    timeout: scriptLimitMs,
    reporter: "list",
    use: { timezoneId: "UTC", launchOptions: { executablePath: browser } },
  };
  await writeFile(join(folder, "playwright.config.cjs"), `module.exports = ${JSON.stringify(config)};\n`);
  return prepared;
}
