import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Network } from "../egress/network.ts";
import { compiledIn, takeCompiled } from "../playwright/compiled-code.ts";
import type { SuiteGround } from "../playwright/playwright-engine.ts";
import type { TreeLimits } from "../sandbox/keep-tree.ts";
import { viewOf } from "./prepare-suite.ts";
import { playwrightOf, testFolder } from "./project.ts";
import { type StartedTask, startSuite } from "./start-suite.ts";
import { SuitePlace } from "./suite-tree.ts";
import { giveTo } from "./unpack-bundle.ts";

/*
 * What Node.js compiled of a project's Playwright, kept beside its packages: compiling it takes each process of a run longer than loading it.
 * A suite of ours makes it once, right after the install and from the packages alone: what one run leaves must not be what another one loads.
 */

/** Below the packages, where no package can be. */
export const compiledOf = (installed: string): string => join(installed, "node_modules/.outpost-compiled");

/** What most tests do. Playwright's output lies beside the nearest package.json. */
const project = (hasBrowser: boolean): Record<string, string> => ({
  "package.json": "{}",
  "playwright.config.ts": `export default { workers: 1, reporter: "line", use: { trace: "retain-on-failure" } };`,
  "one.spec.ts": `import { expect, test } from "@playwright/test";
test("is compiled", async (${hasBrowser ? "{ page }" : "{}"}) => {
  ${hasBrowser ? pageSteps : "expect(1).toBe(1);"}
});
`,
});
const pageSteps = `await page.goto("data:text/html,<label>Name<input></label><button>Send</button>");
  await page.getByLabel("Name").fill("tides");
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByText("Name")).toBeVisible();`;

const limitMs = 60_000;

/** Nothing is kept where it cannot be made: then each run compiles, and says itself what is wrong. @throws the signal's reason */
export async function compilePackages(
  installed: string,
  { node, workingDir }: { readonly node: StartedTask["node"]; readonly workingDir: string | null },
  { ground, runsFolder, limits }: { readonly ground: SuiteGround; readonly runsFolder: string; readonly limits: TreeLimits },
  network: Network,
  signal: AbortSignal,
): Promise<void> {
  try {
    const playwright = playwrightOf(installed, testFolder(installed, workingDir));
    await using place = await SuitePlace.make(runsFolder, ground.user);
    const { work, folder } = place;
    await viewOf(playwright, work);
    for (const [name, text] of Object.entries(project(ground.browserPath !== null))) await writeFile(join(work, name), text);
    if (ground.user !== null) await giveTo(ground.user, work);
    const task: StartedTask = { node, words: [], environment: {}, secrets: [], certificates: [], limitMs };
    const made = compiledIn(folder.run);
    const settings = { workers: 1, hasScreenshots: false, limits, compiled: { OUTPOST_COMPILES: made } };
    const tree = await startSuite(task, place, { folder: installed, view: work, testFolder: work }, ground, settings, network);
    await tree.end(limitMs, signal).finally(() => tree.stop());
    await takeCompiled(made, compiledOf(installed));
  } catch {
    signal.throwIfAborted();
  }
}
