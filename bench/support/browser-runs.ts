import { setTimeout as sleep } from "node:timers/promises";
import { EngineUnderTest } from "../../test/agent/playwright/engine-under-test.ts";
import { until } from "../../test/support/processes.ts";

/* Runs a script so many times, one after another, on a pair that waits, unless `warm` is 0; tells each run's seconds. */
const [type = "BROWSER", count = "1", script = "", warm = "1"] = process.argv.slice(2);
const kind = type === "MULTI_STEP" ? "MULTI_STEP" : "BROWSER";
await using tested = await EngineUnderTest.start({ warm: Number(warm) });
const told: { readonly wall: number; readonly toStart: number; readonly toVerdict: number }[] = [];
for (let run = 0; run <= Number(count); run += 1) {
  const startMs = performance.now();
  const epochMs = Date.now();
  const { outcome, failure, result } = await tested.run(kind, script);
  if (outcome !== "passed") throw new Error(failure?.message ?? JSON.stringify(result.errors));
  const wall = performance.now() - startMs;
  const toVerdict = Math.max(0, epochMs + wall - result.endTime) / 1_000;
  if (run > 0) told.push({ wall: wall / 1_000, toStart: (result.startTime - epochMs) / 1_000, toVerdict });
  if (warm === "0") continue;
  await until("a pair that waits", () => tested.engine.state().warm > 0);
  await sleep(2_500); // it is loaded by then
}
process.stdout.write(JSON.stringify(told));
