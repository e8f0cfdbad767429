import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { AgenticPlan } from "../src/contract/agent-plans.ts";
import { shopPassword } from "../test/agent/agentic/shop.ts";
import { noPlaywright } from "../test/support/playwright-runtime.ts";
import { makeGroup, removeGroup, wordsInGroup } from "./support/group-cpu.ts";
import { percentile, table } from "./support/processes.ts";
import { searchScript } from "./support/search-script.ts";

/** One way through a site, as a script and as the steps of an agentic check. */
export interface Journey {
  readonly name: string;
  readonly script: string;
  readonly plan: Pick<AgenticPlan, "steps" | "assertions"> & { readonly version: 1; readonly summary: string };
}

/** Seconds of one run. */
export interface RunCost {
  readonly wall: number;
  readonly cpu: number;
  /** The start of the pair for the next run in it. */
  readonly cpuWithNext: number;
}

/**
 * What the replay of an agentic check costs beside a browser check that goes the same way (aim: at most 1.2 of its wall time). They take turns, on pairs
 * that wait; ratios are of two runs that followed each other. CPU is of all processes together, hence as root.
 *
 *   B bench/agentic.ts [rounds, 10]
 */
if (import.meta.main) {
  if (noPlaywright !== null) throw new Error(noPlaywright);
  const [rounds = 10] = process.argv.slice(2).map(Number);
  /** Targets have threads of their own: this one waits for its child. */
  const targets = ["browser-target", "shop-target"].map((name) => new Worker(new URL(`./support/${name}.ts`, import.meta.url)));
  const [form = "", shop = ""] = await Promise.all(targets.map(addressOf));
  const journeys = [search(form), signIn(shop)];
  const costs = measured(rounds, journeys);
  const rows = [["median of runs", "wall s", "CPU s", "CPU s with the next pair", "wall ratio", "CPU ratio", "with the next pair"]];
  for (const [index, { name }] of journeys.entries()) {
    const both = costs[index] ?? [];
    const of = (which: 0 | 1, what: keyof RunCost): string => median(both.map((pair) => pair[which][what])).toFixed(2);
    const ratio = (what: keyof RunCost): string => median(both.map(([script, replay]) => replay[what] / script[what])).toFixed(2);
    rows.push([`${name}, BROWSER`, of(0, "wall"), of(0, "cpu"), of(0, "cpuWithNext"), "", "", ""]);
    rows.push([`${name}, AGENTIC`, of(1, "wall"), of(1, "cpu"), of(1, "cpuWithNext"), ratio("wall"), ratio("cpu"), ratio("cpuWithNext")]);
  }
  process.stdout.write(`${table(rows)}\n`);
  await Promise.all(targets.map((target) => target.terminate()));
}

function addressOf(target: Worker): Promise<string> {
  return new Promise((resolve) => target.once("message", resolve));
}

function measured(rounds: number, journeys: readonly Journey[]): (readonly [script: RunCost, replay: RunCost])[][] {
  makeGroup();
  try {
    const program = join(import.meta.dirname, "support/agentic-runs.ts");
    const words = [process.execPath, "--disable-warning=ExperimentalWarning", "--conditions=source", program];
    const { status, stdout, stderr } = spawnSync("sh", wordsInGroup([...words, String(rounds), JSON.stringify(journeys)]), {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`${stdout}${stderr}`);
    return JSON.parse(stdout) as (readonly [RunCost, RunCost])[][];
  } finally {
    removeGroup();
  }
}

function median(values: readonly number[]): number {
  return percentile(values, 50);
}

function search(url: string): Journey {
  return {
    name: "three steps",
    script: searchScript(url),
    plan: planOf("Found", [
      ["browser_open", { url: `${url}/` }],
      ["browser_fill", { label: "Search", value: "tides" }],
      ["browser_click", { role: "button", name: "Search" }],
    ]),
  };
}

function signIn(url: string): Journey {
  return {
    name: "five steps",
    script: `const { expect, test } = require("@playwright/test");
test("sign in", async ({ page }) => {
  await page.goto("${url}/");
  await page.getByRole("link", { name: "Sign in" }).click();
  await page.getByLabel("User").fill("ann");
  await page.getByLabel("Password").fill("${shopPassword}");
  await page.getByRole("button", { name: "Go" }).click();
  await expect(page.getByRole("heading", { name: "Hello, Ann" })).toBeVisible();
});`,
    plan: planOf("Hello, Ann", [
      ["browser_open", { url: `${url}/` }],
      ["browser_click", { role: "link", name: "Sign in" }],
      ["browser_fill", { label: "User", value: "ann" }],
      ["browser_fill", { label: "Password", value: shopPassword }],
      ["browser_click", { role: "button", name: "Go" }],
    ]),
  };
}

function planOf(seen: string, steps: readonly (readonly [tool: string, input: Readonly<Record<string, unknown>>])[]): Journey["plan"] {
  return {
    version: 1,
    summary: "It went well.",
    steps: steps.map(([tool, input]) => ({ tool, input })),
    assertions: [{ condition: "it is shown", passed: true, expected: seen, actual: seen }],
  };
}
