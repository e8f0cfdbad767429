import { setTimeout as sleep } from "node:timers/promises";
import { createAgentModel } from "../../src/agent/agentic/agent-model.ts";
import { createAgenticRunner } from "../../src/agent/agentic/agentic-runner.ts";
import type { AgenticPlan } from "../../src/contract/agent-plans.ts";
import { noProxies } from "../../src/daemon/proxy.ts";
import { EngineUnderTest } from "../../test/agent/playwright/engine-under-test.ts";
import { playwrightRuntime } from "../../test/support/playwright-runtime.ts";
import { until } from "../../test/support/processes.ts";
import { runContext } from "../../test/support/run-context.ts";
import type { Journey, RunCost } from "../agentic.ts";
import { usedSeconds } from "./group-cpu.ts";

/* In turns, a script and the plan of an agentic check that go the same way; tells what each run took, without the start of the next pair and with it. */
const [rounds = "1", given = "[]"] = process.argv.slice(2);
const journeys = JSON.parse(given) as readonly Journey[];
/** Nobody is asked: it is only there because no agentic check runs without one. */
const endpoint = { url: "http://127.0.0.1:9/v1", name: "none", key: null };
const model = createAgentModel({ model: endpoint, maxTurns: 1, maxTokens: 1, concurrency: 1, prices: null }, noProxies, () => []);
await using tested = await EngineUnderTest.start({ warm: 1, multiStepConcurrency: 0 });
const runner = createAgenticRunner(tested.engine, model);

async function runScript({ script }: Journey): Promise<void> {
  const { outcome, failure, result } = await tested.run("BROWSER", script);
  if (outcome !== "passed") throw new Error(failure?.message ?? JSON.stringify(result.errors));
}

async function runPlan({ plan }: Journey): Promise<void> {
  const plans = { kept: plan as AgenticPlan, keep: () => Promise.resolve(), noteUse: () => Promise.resolve() };
  const script = { runtimeId: playwrightRuntime, environment: {}, snippets: {}, secrets: [] };
  const settings = { prompt: `Open ${String(plan.steps[0]?.input["url"])}`, allowedHosts: [], shouldFail: false };
  const { outcome, result } = await runner.run(settings, runContext({ script, plans }));
  if (outcome !== "passed" || result.mode !== "replay") throw new Error(JSON.stringify(result));
}

async function costOf(run: (journey: Journey) => Promise<void>, journey: Journey): Promise<RunCost> {
  const [startMs, before] = [performance.now(), usedSeconds()];
  await run(journey);
  const wall = (performance.now() - startMs) / 1_000;
  const cpu = usedSeconds() - before;
  await until("a pair that waits", () => tested.engine.state().warm > 0);
  await sleep(2_500); // it is loaded by then
  return { wall, cpu, cpuWithNext: usedSeconds() - before };
}

const told: (readonly [script: RunCost, replay: RunCost])[][] = journeys.map(() => []);
for (let round = 0; round <= Number(rounds); round += 1) {
  for (const [index, journey] of journeys.entries()) {
    const both = [await costOf(runScript, journey), await costOf(runPlan, journey)] as const;
    if (round > 0) told[index]?.push(both);
  }
}
process.stdout.write(JSON.stringify(told));
