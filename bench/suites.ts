import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { npmLock, npmProject, playwrightRegistry } from "../test/agent/suites/project.ts";
import { SuitesUnderTest } from "../test/agent/suites/suite-under-test.ts";
import { browserPath, noPlaywright, playwrightRuntime, runtimesFolder } from "../test/support/playwright-runtime.ts";
import { percentile, table } from "./support/processes.ts";

/**
 * What the agent adds to a suite: its run, ready and with its packages kept, beside plain `playwright test` of the same project (aim: at most 10 %
 * of wall time), and how long an unchanged suite takes until its tests begin (aim: at most 1 s). The two take turns, so that others on the machine
 * slow down both; ratios are of each pair.
 *
 *   B bench/suites.ts [pairs, 10]
 */
if (noPlaywright !== null) throw new Error(noPlaywright);
const [pairs = 10] = process.argv.slice(2).map(Number);
const runtime = join(runtimesFolder, playwrightRuntime);

/** The target has a thread of its own. */
const target = new Worker(new URL("./support/browser-target.ts", import.meta.url));
const url = await new Promise<string>((resolve) => target.once("message", resolve));

const spec = (name: string): string => `import { expect, test } from "@playwright/test";
for (const n of [1, 2, 3, 4]) {
  test("${name} finds " + n, async ({ page }) => {
    await page.goto("${url}/");
    await page.getByLabel("Search").fill("tides " + n);
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByRole("heading", { name: "Found" })).toBeVisible();
  });
}
test("${name} answers", async ({ request }) => { expect((await request.get("${url}/")).status()).toBe(200); });
`;
const use = { trace: "retain-on-failure", launchOptions: { executablePath: browserPath, args: ["--no-sandbox"] } };
const files = {
  "playwright.config.ts": `export default ${JSON.stringify({ workers: 2, fullyParallel: true, reporter: "line", use })};`,
  ...Object.fromEntries(["one", "two", "three", "four"].map((name) => [`${name}.spec.ts`, spec(name)])),
};

/** Seconds of the project as anybody runs it. */
async function plain(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-bench-suites-"));
  try {
    symlinkSync(join(runtime, "node_modules"), join(folder, "node_modules"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const began = performance.now();
    const words = [join(runtime, "node_modules/@playwright/test/cli.js"), "test"];
    const child = spawn(join(runtime, "bin/node"), words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    const said = Promise.all([child.stdout, child.stderr].map((stream) => stream.setEncoding("utf8").toArray()));
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error((await said).flat().join(""));
    return (performance.now() - began) / 1_000;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

await using registry = await playwrightRegistry();
await using suites = await SuitesUnderTest.start({ registry: registry.url });
const codeBundlePath = suites.add(npmProject(await npmLock(registry), files));

/** Seconds of one run by the agent, all of it, and those until its tests begin. */
async function ours(): Promise<{ readonly wall: number; readonly prepared: number; readonly isCached: boolean }> {
  const began = performance.now();
  const { failure, outcome, result } = await suites.run({ codeBundlePath });
  const wall = (performance.now() - began) / 1_000;
  if (failure !== null || outcome !== "passed") throw new Error(failure?.message ?? JSON.stringify(result.errors));
  const { bundle, packages } = result.preparationMs;
  return { wall, prepared: (bundle + packages) / 1_000, isCached: result.cachedPackages };
}

const first = await ours();
await plain(); // what the disk has to read once
const told: { readonly ours: Awaited<ReturnType<typeof ours>>; readonly plain: number }[] = [];
for (let pair = 0; pair < pairs; pair += 1) {
  const before = pair % 2 === 0 ? await ours() : null;
  const seconds = await plain();
  told.push({ ours: before ?? (await ours()), plain: seconds });
}
if (told.some(({ ours: { isCached } }) => !isCached)) throw new Error("packages were installed again");
const spread = (values: readonly number[], digits: number): string[] => [0, 50, 100].map((one) => percentile(values, one).toFixed(digits));
process.stdout.write(
  `${table([
    ["20 tests, 2 workers", "least", "median", "most"],
    [
      "the agent, s",
      ...spread(
        told.map(({ ours: { wall } }) => wall),
        2,
      ),
    ],
    [
      "plain, s",
      ...spread(
        told.map((one) => one.plain),
        2,
      ),
    ],
    [
      "ratio of each pair",
      ...spread(
        told.map((one) => one.ours.wall / one.plain),
        2,
      ),
    ],
    [
      "preparation of an unchanged suite, s",
      ...spread(
        told.map(({ ours: { prepared } }) => prepared),
        3,
      ),
    ],
  ])}\nFirst run, with its install: preparation ${first.prepared.toFixed(1)} s\n`,
);
await target.terminate();
