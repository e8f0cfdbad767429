import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { noPlaywright } from "../test/support/playwright-runtime.ts";
import { makeGroup, removeGroup, usedSeconds, wordsInGroup } from "./support/group-cpu.ts";
import { percentile, table } from "./support/processes.ts";
import { searchScript } from "./support/search-script.ts";

/**
 * What the parts of a browser check cost, as ratios to the same check as it is: without its trace, with a video, on a pair that does not wait. All take
 * turns in one run, so that a busy machine is busy for all of them. CPU is of all processes, hence as root; what an agent costs without checks is
 * taken off.
 *
 *   B bench/browsers-parts.ts [rounds, 3]
 */
if (noPlaywright !== null) throw new Error(noPlaywright);
const [rounds = 3] = process.argv.slice(2).map(Number);
const runsOfRound = 4;

const target = new Worker(new URL("./support/browser-target.ts", import.meta.url));
const url = await new Promise<string>((resolve) => target.once("message", resolve));
const script = searchScript(url);
const using = (use: object): string => `require("@playwright/test").test.use(${JSON.stringify(use)});\n${script}`;

const variants: Readonly<Record<string, readonly [script: string, warm: number]>> = {
  "as it is": [script, 1],
  "without trace": [using({ trace: "off", screenshot: "off" }), 1],
  "with video": [using({ video: "on" }), 1],
  "no pair waits": [script, 0],
};

interface Told {
  readonly wall: number;
  readonly toStart: number;
  readonly toVerdict: number;
}

/** One agent that makes so many runs, and one more before they are measured. */
function child([text, warm]: readonly [string, number], count: number): { readonly cpu: number; readonly told: readonly Told[] } {
  const words = ["--disable-warning=ExperimentalWarning", "--conditions=source", join(import.meta.dirname, "support/browser-runs.ts")];
  makeGroup();
  try {
    const args = [process.execPath, ...words, "BROWSER", String(count), text, String(warm)];
    const { status, stdout, stderr } = spawnSync("sh", wordsInGroup(args), { encoding: "utf8" });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return { cpu: usedSeconds(), told: JSON.parse(stdout) as Told[] };
  } finally {
    removeGroup();
  }
}

const seen = Object.entries(variants).map(([name, variant]) => ({ name, variant, cpu: [] as number[], told: [] as Told[] }));
for (let round = 0; round < rounds; round += 1)
  for (const { variant, cpu, told } of seen) {
    const idle = child(variant, 0).cpu;
    const made = child(variant, runsOfRound);
    cpu.push((made.cpu - idle) / runsOfRound);
    told.push(...made.told);
  }

const median = (values: readonly number[]): number => percentile(values, 50);
const medians = seen.map(({ name, cpu, told }) => ({
  name,
  cpu: median(cpu),
  wall: median(told.map((one) => one.wall)),
  toStart: median(told.map((one) => one.toStart)),
  toVerdict: median(told.map((one) => one.toVerdict)),
}));
const [usual] = medians;
const rows = medians.map(({ name, cpu, wall, toStart, toVerdict }) => [
  name,
  ...[wall, cpu, toStart, toVerdict, wall / (usual?.wall ?? 1), cpu / (usual?.cpu ?? 1), 60 / cpu].map((value) => value.toFixed(2)),
]);
const heads = ["", "wall s", "CPU s", "to test start s", "test end to verdict s", "wall ratio", "CPU ratio", "a minute and core"];
process.stdout.write(`${table([heads, ...rows])}\n`);
await target.terminate();
