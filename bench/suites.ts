import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { npmLock, npmProject, playwrightRegistry } from "../test/agent/suites/project.ts";
import { SuitesUnderTest } from "../test/agent/suites/suite-under-test.ts";
import { noPlaywright, playwrightRuntime, runtimesFolder } from "../test/support/playwright-runtime.ts";
import { cpuSecondsOf } from "./support/group-cpu.ts";
import { percentile, table } from "./support/processes.ts";
import { reporterOf, suiteFiles, writeSuite } from "./support/suite-bench.ts";

/**
 * What the agent adds to a suite: its run, ready and with its packages kept, beside plain `playwright test` of the same project (aim: at most 10 %
 * of wall time), and how long an unchanged suite takes until its tests begin (aim: at most 1 s). The two take turns, so that others on the machine
 * slow down both; ratios are of each pair.
 *
 *   B bench/suites.ts [pairs, 10] [reporter of the project: line or html, line]
 */
if (noPlaywright !== null) throw new Error(noPlaywright);
const [, , given = "10", name] = process.argv;
const pairs = Number(given);
const reporter = reporterOf(name);
const runtime = join(runtimesFolder, playwrightRuntime);

/** The target has a thread of its own. */
const target = new Worker(new URL("./support/browser-target.ts", import.meta.url));
const url = await new Promise<string>((resolve) => target.once("message", resolve));

const playwright = [join(runtime, "bin/node"), join(runtime, "node_modules/@playwright/test/cli.js"), "test"] as const;

/** The project as anybody runs it. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "outpost-bench-suites-"));
  try {
    symlinkSync(join(runtime, "node_modules"), join(folder, "node_modules"));
    writeSuite(folder, url, reporter);
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function plain(): Promise<number> {
  return inFolder(async (cwd) => {
    const began = performance.now();
    const [program, ...words] = playwright;
    const child = spawn(program, words, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    const said = Promise.all([child.stdout, child.stderr].map((stream) => stream.setEncoding("utf8").toArray()));
    const [code] = (await once(child, "exit")) as [number | null];
    if (code !== 0) throw new Error((await said).flat().join(""));
    return (performance.now() - began) / 1_000;
  });
}

/** Of one run: of several, less those of one with its install. */
async function cpuOfOurs(runs: number): Promise<number> {
  const program = [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    "--conditions=source",
    join(import.meta.dirname, "support/suite-runs.ts"),
  ];
  const first = await cpuSecondsOf([...program, url, "1", reporter]);
  return ((await cpuSecondsOf([...program, url, String(runs + 1), reporter])) - first) / runs;
}

await using registry = await playwrightRegistry();
await using suites = await SuitesUnderTest.start({ registry: registry.url });
const codeBundlePath = suites.add(npmProject(await npmLock(registry), suiteFiles(url, reporter)));

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
const runs = Math.max(2, Math.ceil(pairs / 2));
const cpu = { ours: await cpuOfOurs(runs), plain: [] as number[] };
for (let run = 0; run < runs; run += 1) cpu.plain.push(await inFolder((cwd) => cpuSecondsOf(playwright, cwd)));
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
  ])}\nCPU of a run: ${cpu.ours.toFixed(2)} s, plain ${spread(cpu.plain, 2).join(", ")} s, ratio ${(cpu.ours / percentile(cpu.plain, 50)).toFixed(2)}
First run, with its install: preparation ${first.prepared.toFixed(1)} s\n`,
);
await target.terminate();
