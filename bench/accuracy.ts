import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { FakeControlPlane, fakeJob } from "../test/support/fake-control-plane.ts";
import { freePort } from "../test/support/free-ports.ts";
import { percentile, readyAgent, script, table, untilOk } from "./support/processes.ts";

/**
 * How true the reported total is: a target that answers after exactly 50 ms, checked by the real agent; what it
 * reports should be 50 ms and a little. Spread: a check every 10 ms. Burst: all due at once.
 *
 *   node --conditions=source bench/accuracy.ts [rounds, 10]
 */
const rounds = Number(process.argv[2] ?? 10);
const port = await freePort();
await using _target = script("delayed-target.ts", [String(port), "50"]);
await using controlPlane = await FakeControlPlane.start();
await using _agent = await readyAgent(controlPlane, {
  DATA_DIR: mkdtempSync(join(tmpdir(), "outpost-bench-")),
  JOB_CONCURRENCY: "600",
});
await untilOk(`http://127.0.0.1:${port}/`);
const url = `http://127.0.0.1:${port}/`;

await burst(500); // warms up
const rows = [["", "reported total p50 ms", "p99 ms", "checks"]];
rows.push(await measure("100 spread over a second", spread));
rows.push(await measure("100 due at once", () => burst(100)));
rows.push(await measure("500 due at once", () => burst(500)));
console.log(`\n${table(rows)}\n`);

async function measure(name: string, round: () => Promise<number[]>): Promise<string[]> {
  const totals: number[] = [];
  for (let n = 0; n < rounds; n += 1) {
    totals.push(...(await round()));
    await pause(300);
  }
  return [name, percentile(totals, 50).toFixed(2), percentile(totals, 99).toFixed(2), String(totals.length)];
}

async function spread(): Promise<number[]> {
  const from = controlPlane.reports.length;
  const started = performance.now();
  for (let n = 0; n < 100; n += 1) {
    controlPlane.enqueue(fakeJob(url));
    await pause(Math.max(0, started + (n + 1) * 10 - performance.now()));
  }
  return totalsFrom(from, 100);
}

async function burst(count: number): Promise<number[]> {
  const from = controlPlane.reports.length;
  controlPlane.enqueue(...Array.from({ length: count }, () => fakeJob(url)));
  return totalsFrom(from, count);
}

async function totalsFrom(from: number, count: number): Promise<number[]> {
  await controlPlane.until(() => controlPlane.reports.length >= from + count, 60_000);
  return controlPlane.reports.slice(from, from + count).map((report) => {
    if (report.hasFailures) throw new Error(`a check failed: ${report.errorMessage}`);
    return report.responseTimeMs;
  });
}
