import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { browserPath, noPlaywright, playwrightRuntime, runtimesFolder } from "../test/support/playwright-runtime.ts";
import { makeGroup, removeGroup, usedSeconds, wordsInGroup } from "./support/group-cpu.ts";
import { percentile, table } from "./support/processes.ts";
import { searchScript } from "./support/search-script.ts";

/**
 * What a multistep and a browser check cost, beside plain `playwright test` of the same file (aim: at most 0.6 of its wall time and CPU). CPU is of
 * all processes together, hence as root. The agent's own part (its test of the fences, the first pair) is taken off by a run without checks.
 *
 *   B bench/browsers.ts [runs, 10]
 */
if (noPlaywright !== null) throw new Error(noPlaywright);
const [runs = 10] = process.argv.slice(2).map(Number);
const runtime = join(runtimesFolder, playwrightRuntime);

/** The target has a thread of its own: this one waits for children. */
const target = new Worker(new URL("./support/browser-target.ts", import.meta.url));
const url = await new Promise<string>((resolve) => target.once("message", resolve));

const scripts = {
  MULTI_STEP: `const { expect, test } = require("@playwright/test");
test("api", async ({ request }) => {
  expect((await request.get("${url}/")).status()).toBe(200);
  expect((await request.get("${url}/found")).status()).toBe(200);
});`,
  BROWSER: searchScript(url),
} as const;

/** Seconds of CPU of all processes that it starts, killed ones too: they are counted by a group of their own, which takes root. */
function measured(args: readonly string[], options: { readonly cwd?: string } = {}) {
  makeGroup();
  try {
    const startMs = performance.now();
    const { status, stdout, stderr } = spawnSync("sh", wordsInGroup(args), { encoding: "utf8", ...options });
    if (status !== 0) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
    const seconds = (performance.now() - startMs) / 1_000;
    return { cpu: usedSeconds(), seconds, stdout };
  } finally {
    removeGroup();
  }
}

function warm(type: keyof typeof scripts, count: number) {
  const words = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(import.meta.dirname, "support/browser-runs.ts")];
  const { cpu, stdout } = measured([process.execPath, ...words, type, String(count), scripts[type]]);
  return { cpu, told: JSON.parse(stdout) as { readonly wall: number; readonly toStart: number }[] };
}

function cold(type: keyof typeof scripts) {
  const folder = mkdtempSync(join(tmpdir(), "outpost-bench-browsers-"));
  symlinkSync(join(runtime, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "check.spec.js"), scripts[type]);
  const use = { trace: "retain-on-failure", launchOptions: { executablePath: browserPath, args: ["--no-sandbox"] } };
  writeFileSync(join(folder, "playwright.config.js"), `module.exports = ${JSON.stringify({ workers: 1, use })};`);
  try {
    return measured([join(runtime, "bin/node"), join(runtime, "node_modules/@playwright/test/cli.js"), "test"], { cwd: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const median = (values: readonly number[]): number => percentile(values, 50);
const rows: string[][] = [["", "wall s", "CPU s", "to test start s", "plain wall s", "plain CPU s", "wall ratio", "CPU ratio"]];
for (const type of ["MULTI_STEP", "BROWSER"] as const) {
  const idle = warm(type, 0).cpu;
  const { cpu, told } = warm(type, runs);
  const plain = Array.from({ length: Math.max(3, runs / 2) }, () => cold(type));
  const ours = { wall: median(told.map(({ wall }) => wall)), cpu: (cpu - idle) / runs };
  const theirs = { wall: median(plain.map(({ seconds }) => seconds)), cpu: median(plain.map((one) => one.cpu)) };
  const fixed = (value: number): string => value.toFixed(2);
  rows.push([
    type,
    fixed(ours.wall),
    fixed(ours.cpu),
    fixed(median(told.map(({ toStart }) => toStart))),
    fixed(theirs.wall),
    fixed(theirs.cpu),
    fixed(ours.wall / theirs.wall),
    fixed(ours.cpu / theirs.cpu),
  ]);
}
process.stdout.write(`${table(rows)}\n`);
await target.terminate();
