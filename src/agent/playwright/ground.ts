import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type RuntimeId, runtimeCatalog, runtimeIds } from "#contract/runtime-catalog.ts";
import type { Logger } from "#daemon/logger.ts";
import { nodePath, readManifest } from "../runtimes/runtime-manifest.ts";
import { noFilterHere, programPath } from "../sandbox/launch.ts";
import { nobody } from "../sandbox/negotiate-level.ts";
import type { EgressWall, SandboxLevel } from "../sandbox/sandbox.ts";
import { makeTargets, type Targets } from "../sandbox/self-test.ts";
import { type Authorities, authorityStore } from "./authorities.ts";
import { linkProgram } from "./link-program.ts";
import type { PlaywrightOffer, PlaywrightType } from "./playwright-engine.ts";
import { browserVersion, type FenceTest, testFences } from "./self-test.ts";

/** What a machine has for runs, and what was proved of it. */
export interface Ground {
  readonly offers: ReadonlyMap<string, PlaywrightOffer>;
  readonly runtimes: ReadonlyMap<string, { readonly runtimeFolder: string; readonly node: string; readonly nodeVersion: string }>;
  /** `chromium/156.0.8078.79`. */
  readonly browser: string | null;
  readonly browserPath: string | null;
  readonly ffmpeg: string | null;
  readonly toolsFolder: string;
  /** The user that runs have; null: the agent's own. */
  readonly user: number | null;
  readonly level: SandboxLevel;
  readonly egressWall: EgressWall;
  readonly authorities: (extraCas: readonly string[]) => Promise<Authorities | null>;
}

export interface SurveyOptions {
  readonly runtimesFolder: string;
  readonly dataFolder: string;
  readonly browserPath?: string | null;
  readonly wantedWall?: "auto" | "require";
  readonly scratchFolders: readonly string[];
  readonly withBrowser: boolean;
  readonly withMultiStep: boolean;
  readonly log: Pick<Logger, "info" | "warn">;
}

const browserPaths = ["/usr/lib/chromium/chromium-headless-shell", "/usr/lib/chromium/chromium"];
const noBrowser = "there is no chromium-headless-shell: apt-get install chromium-headless-shell";

interface Tried {
  readonly id: RuntimeId;
  readonly offer: PlaywrightOffer;
  readonly runtimeFolder: string;
  readonly node: string;
  readonly nodeVersion: string;
  readonly user: number | null;
  readonly test: FenceTest | null;
}

/** Looks at what is here and attacks it, one runtime after the other. */
export async function survey(options: SurveyOptions): Promise<Ground> {
  const toolsFolder = join(options.dataFolder, "tools");
  const present = await presentRuntimes(resolve(options.runtimesFolder));
  const found = present.length === 0 ? nothing : await findPrograms(options);
  if (present.length > 0) await mkdir(toolsFolder, { recursive: true, mode: 0o755 });
  await using targets = present.length === 0 ? null : await makeTargets(options.scratchFolders);
  const tried: Tried[] = [];
  for (const one of present) tried.push(await tryRuntime(one, { ...found, toolsFolder }, targets, options));
  for (const { id, offer } of tried)
    options.log[offer.limitation === null ? "info" : "warn"]({ runtime: id, ...offer }, "scripts of Playwright, as they run here");
  return { ...found, toolsFolder, ...summed(tried), authorities: authorityStore(toolsFolder) };
}

const nothing = { ffmpeg: null, browser: null, browserPath: null } as const;

async function findPrograms({ browserPath, withBrowser }: SurveyOptions): Promise<Pick<Ground, "browser" | "browserPath" | "ffmpeg">> {
  const path = browserPath ?? browserPaths.find((one) => existsSync(one)) ?? null;
  const browser = path === null || !withBrowser ? null : await browserVersion(path);
  const ffmpeg = programPath("ffmpeg");
  return { browser, browserPath: browser === null ? null : path, ffmpeg: existsSync(ffmpeg) ? ffmpeg : null };
}

function summed(tried: readonly Tried[]): Pick<Ground, "offers" | "runtimes" | "user" | "level" | "egressWall"> {
  const proved = tried.filter(({ offer }) => offer.types.length > 0);
  return {
    offers: new Map(tried.map(({ id, offer }) => [id, offer])),
    runtimes: new Map(tried.map(({ id, runtimeFolder, node, nodeVersion }) => [id, { runtimeFolder, node, nodeVersion }])),
    user: proved[0]?.user ?? null,
    level: proved.length > 0 ? 2 : 0,
    egressWall: proved.every(({ test }) => test?.holdsEgress === true) ? "kernel" : "process",
  };
}

interface Present {
  readonly id: RuntimeId;
  readonly folder: string;
  readonly playwrightVersion: string;
  readonly nodeVersion: string;
}

type Known = Pick<Ground, "ffmpeg" | "toolsFolder" | "browserPath">;

async function tryRuntime(
  { id, folder, playwrightVersion, nodeVersion }: Present,
  known: Known,
  targets: Targets | null,
  options: SurveyOptions,
): Promise<Tried> {
  const parts = { runtimeFolder: folder, node: join(folder, nodePath), nodeVersion };
  const none = (limitation: string): Tried => ({
    id,
    ...parts,
    user: null,
    test: null,
    offer: { types: [], playwrightVersion, limitation },
  });
  const unfit = noFilterHere();
  if (unfit !== null) return none(`the fence needs a filter of system calls: ${unfit}`);
  if (targets === null) return none(`its test can write to none of ${options.scratchFolders.join(", ")}`);
  if (known.ffmpeg !== null) await linkProgram("ffmpeg", known.ffmpeg, folder, known.toolsFolder);
  let first: Tried | null = null;
  for (const user of process.getuid?.() === 0 ? [nobody, null] : [null]) {
    const test = await testFences({ ...parts, ...known, user }, known.browserPath, targets, options.dataFolder).catch(broken);
    const offer = offerOf(id, playwrightVersion, test, known.browserPath, options);
    if (offer.types.length > 0) return { id, ...parts, user, test, offer };
    first ??= { id, ...parts, user, test, offer };
  }
  return first ?? none("it was not tried");
}

function broken(error: unknown): FenceTest {
  return {
    problem: error instanceof Error ? error.message : "its test did not start",
    browserProblem: null,
    holdsEgress: false,
    answer: null,
  };
}

function offerOf(
  id: RuntimeId,
  playwrightVersion: string,
  test: FenceTest,
  browser: string | null,
  options: SurveyOptions,
): PlaywrightOffer {
  const runtime = runtimeCatalog.find(({ name }) => name === id);
  if (test.problem !== null) return { types: [], playwrightVersion, limitation: `scripts cannot be kept apart here: ${test.problem}` };
  if (options.wantedWall === "require" && !test.holdsEgress)
    return { types: [], playwrightVersion, limitation: "the kernel does not hold connections, as BROWSER_EGRESS=require asks (Linux 6.7)" };
  const [types, limitations]: [PlaywrightType[], string[]] = [[], []];
  if (runtime?.multiStepSupport !== true) limitations.push(`runtime ${id} has no multistep checks`);
  else if (options.withMultiStep) types.push("MULTI_STEP");
  const browserProblem = browser === null ? noBrowser : test.browserProblem;
  if (browserProblem === null) types.push("BROWSER");
  else if (options.withBrowser) limitations.push(browserProblem);
  return { types, playwrightVersion, limitation: limitations.length === 0 ? null : limitations.join("; ") };
}

/** Those that have Playwright Test. A broken one is told about where runtimes are announced. */
async function presentRuntimes(runtimesFolder: string): Promise<Present[]> {
  const looked = await Promise.all(
    runtimeIds.map(async (id): Promise<Present | null> => {
      const folder = join(runtimesFolder, id);
      const manifest = await readManifest(folder).catch(() => null);
      const playwrightVersion = manifest?.packages["@playwright/test"];
      return manifest === null || playwrightVersion === undefined
        ? null
        : { id, folder, playwrightVersion, nodeVersion: manifest.nodeJsVersion };
    }),
  );
  return looked.filter((one) => one !== null);
}
