import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { systemClock } from "../src/agent/host/clock.ts";
import { createEgressPolicy } from "../src/agent/net/egress-policy.ts";
import { createStubResolver } from "../src/agent/net/stub-resolver.ts";
import { createTrust } from "../src/agent/net/tls.ts";
import { createPlaywrightEngine } from "../src/agent/playwright/create-playwright-engine.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../test/support/playwright-runtime.ts";

/**
 * Runs of multistep and browser checks in a row, every other one of each: what is left of them, and what the agent's part holds after every
 * hundred. One of ten fails, and leaves a trace and a picture, which are removed as the agent does once they are sent.
 *
 *   B bench/browsers-soak.ts [runs, 1000]
 */
if (noPlaywright !== null) throw new Error(noPlaywright);
if (globalThis.gc === undefined) throw new Error("start it with --expose-gc");
const [runs = 1_000] = process.argv.slice(2).map(Number);
const megabyte = 1024 * 1024;
const target = new Worker(new URL("./support/browser-target.ts", import.meta.url));
const url = await new Promise<string>((resolve) => target.once("message", resolve));
const folder = mkdtempSync(join(tmpdir(), "outpost-soak-"));
chmodSync(folder, 0o711);
const dataFolder = join(folder, "browser");

const multiStep = (status: number): string => `const { expect, test } = require("@playwright/test");
test("api", async ({ request }) => { expect((await request.get("${url}/")).status()).toBe(${status}); });`;
const browser = (heading: string): string => `const { expect, test } = require("@playwright/test");
test("form", async ({ page }) => {
  await page.goto("${url}/");
  await page.getByLabel("Search").fill("tides");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("heading", { name: "${heading}" })).toBeVisible({ timeout: 2_000 });
});`;

/** Processes of this machine that have the folder in their words or variables, whoever their parent is; and those that nobody waits for. */
function processesLeft(): number {
  const own = `${process.pid}`;
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid) || pid === own) return false;
    try {
      return (
        readFileSync(`/proc/${pid}/environ`, "latin1").includes(dataFolder) ||
        readFileSync(`/proc/${pid}/stat`, "latin1").includes(`) Z ${own} `)
      );
    } catch {
      return false; // it has ended
    }
  }).length;
}

/** Without what all runs share. */
function filesLeft(): { readonly files: number; readonly bytes: number } {
  const all = readdirSync(dataFolder, { recursive: true, withFileTypes: true }).filter(
    ({ parentPath, name }) => !join(parentPath, name).includes("/tools"),
  );
  const bytes = all.filter((one) => one.isFile()).reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  return { files: all.length, bytes };
}

function memory(): { readonly rss: number; readonly heap: number; readonly descriptors: number } {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  return {
    rss: Math.round(rss / megabyte),
    heap: Math.round((heapUsed / megabyte) * 10) / 10,
    descriptors: readdirSync("/proc/self/fd").length,
  };
}

const engine = await createPlaywrightEngine({
  runtimesFolder,
  dataFolder,
  browserConcurrency: 2,
  multiStepConcurrency: 2,
  warm: 1,
  trust: () => createTrust([]),
  log: { info() {}, warn() {} },
  clock: systemClock,
});
const policy = createEgressPolicy({ allowCidrs: [], denyCidrs: [], mode: "default", ownPorts: [] });
const resolver = createStubResolver();
const task = {
  runtimeId: playwrightRuntime,
  scriptPath: "check.spec.js",
  files: [],
  environment: {},
  secrets: [],
  certificates: [],
  baselines: [],
  limitMs: 120_000,
  keepsAll: false,
};
const counts = { passed: 0, failed: 0, degraded: 0, unexpected: 0 };

async function run(index: number): Promise<void> {
  const isToFail = index % 10 === 0;
  const one =
    index % 2 === 0
      ? ({ type: "BROWSER", script: browser(isToFail ? "Nothing" : "Found") } as const)
      : ({ type: "MULTI_STEP", script: multiStep(index % 10 === 5 ? 404 : 200) } as const);
  const context = { signal: new AbortController().signal, monotonicMs: systemClock.monotonicMs, proxyUrl: null, resolver, egress: policy };
  const { outcome, files, failure } = await engine.run({ ...task, ...one }, context);
  counts[outcome] += 1;
  const wanted = isToFail || index % 10 === 5 ? "failed" : "passed";
  if (outcome !== wanted || failure !== null) {
    counts.unexpected += 1;
    process.stdout.write(`run ${index} (${one.type}): ${outcome}, ${failure?.message ?? "no failure"}\n`);
  }
  for (const { content } of files) if ("file" in content) rmSync(content.file);
}

const startMs = performance.now();
let next = 0;
let done = 0;
async function inARow(): Promise<void> {
  while (next < runs) {
    await run((next += 1));
    done += 1;
    if (done % 100 !== 0 && done !== 20) continue;
    const { rss, heap, descriptors } = memory();
    const seconds = Math.round((performance.now() - startMs) / 1_000);
    process.stdout.write(`${done} runs, ${seconds} s: resident ${rss} MB, heap ${heap} MB, ${descriptors} descriptors\n`);
  }
}
await Promise.all([inARow(), inARow()]);
await engine.close();
await new Promise((resolve) => setTimeout(resolve, 1_000));
const { files, bytes } = filesLeft();
process.stdout.write(
  `${JSON.stringify(counts)}; left: ${engine.state().left} told and ${processesLeft()} found of processes, ${files} files and folders, ${bytes} bytes\n`,
);
await target.terminate();
rmSync(folder, { recursive: true });
