import { writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/**
 * Loaded before a program (`--import`): each SIGUSR2 writes the longest delay of its event loop since the one before, ms, to the file that
 * BENCH_LOOP_DELAY_FILE names.
 */
const file = process.env["BENCH_LOOP_DELAY_FILE"];
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on("SIGUSR2", () => {
  if (file !== undefined) writeFileSync(file, `${delay.max / 1e6}\n`);
  delay.reset();
});
