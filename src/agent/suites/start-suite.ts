import { join } from "node:path";
import type { Network } from "../egress/network.ts";
import { browserWrapper } from "../playwright/browser-wrapper.ts";
import { insideFolder, type TreeParts } from "../playwright/fence.ts";
import { linkProgram } from "../playwright/link-program.ts";
import { giveDatabase } from "../playwright/pair.ts";
import type { SuiteGround } from "../playwright/playwright-engine.ts";
import { writeProgram } from "../playwright/run-folder.ts";
import { shownSecrets } from "../playwright/task.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
import type { Prepared } from "./prepare-suite.ts";
import { textOf } from "./project.ts";
import type { SuiteTask } from "./suite-task.ts";
import type { SuitePlace, SuiteTree } from "./suite-tree.ts";

export interface SuiteSettings {
  readonly workers: number;
  readonly hasScreenshots: boolean;
  readonly limits: TreeLimits;
  /** A folder of what Node.js compiled: where it is, or where it is written. */
  readonly compiled: { readonly OUTPOST_COMPILED?: string; readonly OUTPOST_COMPILES?: string };
}

export type StartedTask = Pick<SuiteTask, "node" | "words" | "environment" | "secrets" | "certificates" | "limitMs">;

/** Before the limit, for reports and traces. */
const evidenceMs = 20_000;

/** Starts the project's own Playwright, with this agent's browser and way into the network. */
export async function startSuite(
  task: StartedTask,
  place: SuitePlace,
  prepared: Pick<Prepared, "folder" | "view" | "testFolder">,
  ground: SuiteGround,
  settings: SuiteSettings,
  network: Network,
): Promise<SuiteTree> {
  const { folder, view, testFolder: tests } = prepared;
  const { browserPath, ffmpeg, toolsFolder, user } = ground;
  const { run, program } = place.folder;
  const { port, authority } = place.proxy;
  const authorities = await ground.authorities();
  const parts: Omit<TreeParts, "runFolder" | "proxyPort"> = {
    runtimeFolder: folder ?? place.work,
    node: task.node.file,
    reads: authorities === null ? [] : [authorities.file],
    wrapper: browserPath === null ? null : program,
    browser: browserPath,
    ffmpeg,
    toolsFolder,
    user,
  };
  if (browserPath !== null)
    await writeProgram(program, browserWrapper({ ...parts, runFolder: run, proxyPort: port }, browserPath, authority.keyHash));
  if (authorities?.database != null) await giveDatabase(authorities.database, run, user);
  if (ffmpeg !== null) await linkProgram("ffmpeg", ffmpeg, view, toolsFolder);
  const cli = join(view, "node_modules/@playwright/test/cli.js");
  const words = [task.node.file, "--require", join(insideFolder, "suite.cjs"), cli, "test", ...withTraces(task.words, tests)];
  const env = {
    ...(authorities !== null && { NODE_EXTRA_CA_CERTS: authorities.file }),
    ...surroundings(run, view, toolsFolder),
    ...settings.compiled,
  };
  return place.start(
    { parts, words, env, order: orderOf(task, place, tests, ffmpeg !== null, settings), limits: settings.limits },
    network,
  );
}

function surroundings(run: string, view: string, toolsFolder: string): Record<string, string> {
  return {
    PLAYWRIGHT_BROWSERS_PATH: toolsFolder,
    PLAYWRIGHT_HTML_REPORT: join(run, "html-report"),
    PLAYWRIGHT_HTML_OUTPUT_DIR: join(run, "html-report"),
    PLAYWRIGHT_HTML_OPEN: "never",
    PW_TEST_HTML_REPORT_OPEN: "never",
    PW_TEST_REPORTER: join(insideFolder, "reporter.cjs"),
    PWTEST_CACHE_DIR: join(run, "cache"),
    OUTPOST_RUNTIME: view,
    OUTPOST_RUNNER: "1",
  };
}

function orderOf(
  { environment, secrets, certificates, limitMs }: StartedTask,
  place: SuitePlace,
  folder: string,
  hasVideo: boolean,
  { hasScreenshots, workers }: SuiteSettings,
): object {
  const { port, authorization, authority } = place.proxy;
  return {
    type: "BROWSER",
    folder,
    work: place.work,
    env: environment,
    limitMs,
    evidenceMs,
    keepsAll: false,
    certificates: certificates.map(({ host }) => host),
    authority: authority.certificate,
    shownSecrets: shownSecrets(secrets, environment),
    hasScreenshots,
    hasVideo,
    browser: place.folder.program,
    proxy: { port, authorization },
    mostWorkers: workers,
  };
}

/** Traces of tests that fail, unless the project says itself which it wants. */
function withTraces(words: readonly string[], folder: string): readonly string[] {
  if (words.some((word) => /^--trace\b/.test(word))) return words;
  const config = ["ts", "js", "mts", "mjs", "cts", "cjs"].map((end) => textOf(folder, `playwright.config.${end}`) ?? "").join("");
  return /\btrace\b/.test(config) ? words : ["--trace", "retain-on-failure", ...words];
}
