import { cpuSeconds, percentile, table } from "./support/processes.ts";
import { type EngineName, Site } from "./support/site.ts";

/**
 * Pages for everybody with 5,000 checks and a day of their results, by a control plane in a process of its own: how long a page of a
 * dashboard takes when nothing is remembered of it, when its account was just read, and when it was just shown; a status page. Both engines.
 *
 *   B bench/pages.ts [engines, sqlite,postgres] [checks, 5000]
 */
const engines = (process.argv[2] ?? "sqlite,postgres").split(",") as EngineName[];
const checkCount = Number(process.argv[3] ?? 5_000);
const dashboards = 60;
const [hourMs, dayMs] = [3_600_000, 86_400_000];

for (const engine of engines) await measure(engine);

async function measure(engine: EngineName): Promise<void> {
  await using site = await Site.make(engine, checkCount);
  const toMs = Math.floor(Date.now() / 60_000) * 60_000;
  const written = await site.fill(toMs - dayMs, toMs);
  await site.withStorage(async ({ analytics }) => {
    while (await analytics.compact(toMs - 2 * hourMs, 250));
  });
  await site.activate();
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  const make = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${site.apiKey}`, "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(await answer.text());
  };
  for (let no = 0; no < dashboards; no += 1) await make("/v1/dashboards", { header: "Bench", customUrl: `bench-${no}`, checksPerPage: 20 });
  await make("/v1/status-pages", { name: "Bench", url: "bench", cards: [] });

  const [times, bytes] = [new Map<string, number[]>(), new Map<string, number>()];
  const ask = async (name: string, path: string): Promise<void> => {
    const startedAt = performance.now();
    const answer = await fetch(`${url}${path}`);
    const { length } = await answer.text();
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
    times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
    bytes.set(name, length);
  };
  const cpuBefore = cpuSeconds(controlPlane.pid);
  for (let no = 0; no < dashboards; no += 1) await ask("a page whose account was just read", `/dashboards/bench-${no}?page=${no + 1}`);
  for (let no = 0; no < dashboards; no += 1) await ask("a page that was just shown", "/dashboards/bench-1?page=2");
  for (let no = 0; no < dashboards; no += 1) await ask("a status page", "/status/bench");
  const cpuMs = (1_000 * (cpuSeconds(controlPlane.pid) - cpuBefore)) / (3 * dashboards);
  for (let no = 0; no < 10; no += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10_050); // what was read is remembered for so long
    });
    await ask("a page of which nothing is remembered", `/dashboards/bench-${no}?page=${no + 1}`);
  }
  const figures = [...times].map(([name, ms]) => [name, ...[50, 95].map((p) => percentile(ms, p).toFixed(1)), String(bytes.get(name))]);
  process.stdout.write(`\n${engine}, ${checkCount} checks, ${written} results, ms; ${cpuMs.toFixed(1)} ms of CPU each on average\n`);
  process.stdout.write(`${table([["", "p50", "p95", "bytes"], ...figures])}\n`);
}
