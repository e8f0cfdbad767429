import { setTimeout as sleep } from "node:timers/promises";
import { EngineUnderTest } from "../../test/agent/playwright/engine-under-test.ts";
import { until } from "../../test/support/processes.ts";

/* Runs a script so many times, one after another, on a pair that waits; tells each run's seconds. */
const [type = "BROWSER", count = "1", script = ""] = process.argv.slice(2);
const kind = type === "MULTI_STEP" ? "MULTI_STEP" : "BROWSER";
await using tested = await EngineUnderTest.start({ warm: 1 });
const told: { readonly wall: number; readonly toStart: number }[] = [];
for (let run = 0; run <= Number(count); run += 1) {
  const startMs = performance.now();
  const epochMs = Date.now();
  const { outcome, failure, result } = await tested.run(kind, script);
  if (outcome !== "passed") throw new Error(failure?.message ?? JSON.stringify(result.errors));
  if (run > 0) told.push({ wall: (performance.now() - startMs) / 1_000, toStart: (result.startTime - epochMs) / 1_000 });
  await until("a pair that waits", () => tested.engine.state().warm > 0);
  await sleep(2_500); // it is loaded by then
}
process.stdout.write(JSON.stringify(told));
