import { setTimeout as pause } from "node:timers/promises";
import { memoryMb, table } from "./support/processes.ts";
import { Site } from "./support/site.ts";

/**
 * What an idle control plane holds on SQLite, by how much its store has: it grows until the caches of its connections are full, and no further.
 *
 *   node --conditions=source bench/store-size.ts
 */
const hoursOfHistory = [0, 2, 8, 24, 48];
const looksSeconds = [5, 20, 60];
const rows: string[][] = [];
for (const hours of hoursOfHistory) rows.push(await measured(hours));
console.log(table([["results", ...looksSeconds.map((seconds) => `MB after ${seconds} s`)], ...rows]));

async function measured(hours: number): Promise<string[]> {
  await using site = await Site.make("sqlite", 1_000);
  const toMs = Math.floor(Date.now() / 60_000) * 60_000;
  const written = hours === 0 ? 0 : await site.fill(toMs - hours * 3_600_000, toMs);
  await using process = (await site.start()).process;
  const startedMs = performance.now();
  const seen: string[] = [];
  for (const seconds of looksSeconds) {
    await pause(startedMs + seconds * 1_000 - performance.now());
    seen.push(memoryMb(process.pid).now.toFixed(0));
  }
  return [written.toLocaleString("en-US"), ...seen];
}
