import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { EngineUnderTest } from "../test/agent/playwright/engine-under-test.ts";
import { FakeControlPlane } from "../test/support/fake-control-plane.ts";
import { browserPath, noPlaywright, runtimesFolder } from "../test/support/playwright-runtime.ts";
import { until } from "../test/support/processes.ts";
import type { Answered } from "./support/delayed-pages.ts";
import { memoryMb, percentile, readyAgent, table } from "./support/processes.ts";

/**
 * What a browser check says of time beside what its target saw: the durations of steps and of requests against the time between a request's arrival and
 * the end of its answer. Beside it how long the launch of the browser takes behind its fence, and what browser checks cost an agent that runs none.
 * `npm run build` comes first.
 *
 *   B bench/browsers-truth.ts [rounds, 5]
 */
if (noPlaywright !== null) throw new Error(noPlaywright);
const [rounds = 5] = process.argv.slice(2).map(Number);
const waits = [0, 20, 50, 100, 200, 400];

const target = new Worker(new URL("./support/delayed-pages.ts", import.meta.url));
const url = await new Promise<string>((resolve) => target.once("message", resolve));
const answered = new Map<string, number>();
target.on("message", ({ path, tookMs }: Answered) => answered.set(path, tookMs));

/** Each test begins anew, so the start of a test that needs no browser tells what a test costs without it. */
const script = (run: number): string => `const { test } = require("@playwright/test");
let ended = 0;
for (const name of ["first", "without browser"]) test(name, async () => { if (ended) console.log("start " + (Date.now() - ended)); ended = Date.now(); });
test("with browser", async ({ browser }) => console.log("launch " + (Date.now() - ended)));
test("pages", async ({ page, request }) => {
  for (const [index, wait] of ${JSON.stringify(waits)}.entries()) {
    await test.step("page " + index, () => page.goto("${url}/page-${run}-" + index + "?wait=" + wait));
    await test.step("api " + index, () => request.get("${url}/api-${run}-" + index + "?wait=" + wait));
  }
});`;

const launches: number[] = [];
const errors = {
  "step of a page": [] as number[],
  "step of a request": [] as number[],
  "request of a page": [] as number[],
  "request by script": [] as number[],
};
{
  await using tested = await EngineUnderTest.start({ warm: 1 });
  for (let run = 0; run <= rounds; run += 1) {
    const { outcome, failure, result } = await tested.run("BROWSER", script(run));
    if (outcome !== "passed") throw new Error(failure?.message ?? JSON.stringify(result.errors));
    if (run > 0) judge(run, result);
    await until("a pair that waits", () => tested.engine.state().warm > 0);
    await pause(2_500); // it is loaded by then
  }
}

function judge(run: number, result: Awaited<ReturnType<EngineUnderTest["run"]>>["result"]): void {
  const logged = (word: string): number => Number(result.jobLog.find(({ msg }) => msg.startsWith(word))?.msg.split(" ")[1]);
  launches.push(logged("launch") - logged("start"));
  for (const index of waits.keys())
    for (const kind of ["page", "api"] as const) {
      const path = `/${kind}-${run}-${index}`;
      const truthMs = answered.get(path) ?? Number.NaN;
      const step = result.steps.find(({ title }) => title === `${kind} ${index}`)?.durationMs ?? Number.NaN;
      const request = result.requests.find((each) => each.url.includes(`${path}?`))?.durationMs ?? Number.NaN;
      errors[kind === "page" ? "step of a page" : "step of a request"].push(step - truthMs);
      errors[kind === "page" ? "request of a page" : "request by script"].push(request - truthMs);
    }
}

const figures = (values: readonly number[]): string[] => [50, 95, 100].map((p) => percentile(values, p).toFixed(1));
const rows = Object.entries(errors).map(([name, values]) => [`${name}: longer than its target saw, ms`, ...figures(values)]);
console.log(table([["", "p50", "p95", "most"], ...rows, ["launch of the browser, ms", ...figures(launches)]]));
await target.terminate();

/** Resident memory of an agent that nobody gives a browser check, in turns: with all that browser checks need, and without. */
const memory: Record<string, number[]> = { without: [], with: [] };
for (let turn = 0; turn < 3; turn += 1)
  for (const [name, variables] of [
    ["without", { RUNTIMES_DIR: "/var/empty", BROWSER_CONCURRENCY: "0" }],
    ["with", { RUNTIMES_DIR: runtimesFolder, BROWSER_PATH: browserPath }],
  ] as const) {
    await using controlPlane = await FakeControlPlane.start();
    await using agent = await readyAgent(controlPlane, variables);
    await pause(30_000);
    memory[name]?.push(memoryMb(agent.pid).now);
  }
const ofAgent = Object.entries(memory).map(([name, values]) => [
  `idle agent ${name} browser checks, MB`,
  ...values.map((mb) => mb.toFixed(1)),
]);
console.log(`\n${table([["", "1st", "2nd", "3rd"], ...ofAgent])}`);
