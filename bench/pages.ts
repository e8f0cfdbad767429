import { loadavg } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, type Dispatcher } from "undici";
import { type PageToMeasure, pagesToMeasure } from "./support/pages-measured.ts";
import { pagesSite } from "./support/pages-store.ts";
import { cpuSeconds, memoryMb, percentile } from "./support/processes.ts";
import type { EngineName } from "./support/site.ts";

/**
 * Every page of the console and every public page over 5,000 checks and 10 million results, by a control plane in a process of its own: how
 * long its document takes one after another, with four asked for at once, and when nobody looked at it for so long that nothing of it is
 * remembered. Both engines. The store is filled once and stays in the folder (12 GB for both).
 *
 * BENCH_DAYS: of so many days all checks have results; the first ten of five times as many.
 *
 *   npm run build && B bench/pages.ts [engines, sqlite,postgres] [checks, 5000] [only pages whose name has this] [first looks, 6] [looks, 30]
 */
const engines = (process.argv[2] ?? "sqlite,postgres").split(",") as EngineName[];
const checkCount = Number(process.argv[3] ?? 5_000);
const only = process.argv[4] ?? "";
const firstLooks = Number(process.argv[5] ?? 6);
const folder = process.env["BENCH_FOLDER"] ?? "/tmp/outpost-bench-pages";
const repeats = Number(process.argv[6] ?? 30);
const lanes = 4;
/** What was read is remembered for 10 s, by badges for 30. */
const forgottenMs = 10_100;

for (const engine of engines) await measure(engine);

async function measure(engine: EngineName): Promise<void> {
  await using site = await pagesSite(folder, engine, checkCount);
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  const pages = (await pagesToMeasure(url, site.apiKey, site.checkIds)).filter(({ name }) => name.includes(only));
  await site.activate(); // a check that was changed is again what its definition says
  const agent = new Agent({ connections: lanes });
  const ask = asking(agent, url);
  for (const page of pages) for (let no = 0; no < 5; no += 1) await ask(page, no); // what the compiler has not seen yet
  print([`${engine}, ${checkCount} checks, ms`, "p50", "p95", "p99", "4 at once", "p95", "p99", "first look", "worst", "CPU", "KB"]);
  for (const page of pages) print(await measured(page, ask, controlPlane.pid));
  await agent.close();
  const memory = memoryMb(controlPlane.pid);
  print([`memory ${memory.now.toFixed(0)} MB, at most ${memory.peak.toFixed(0)} MB; load ${loadavg()[0]?.toFixed(1)}`]);
}

/** At once, as a whole table takes minutes. */
function print([name = "", ...figures]: readonly string[]): void {
  process.stdout.write(`${name.padEnd(44)}${figures.map((figure) => figure.padStart(11)).join("")}\n`);
}

type Ask = (page: PageToMeasure, no: number) => Promise<{ readonly ms: number; readonly bytes: number }>;

async function measured(page: PageToMeasure, ask: Ask, pid: number): Promise<readonly string[]> {
  const one: number[] = [];
  const cpuBefore = cpuSeconds(pid);
  let bytes = 0;
  for (let no = 0; no < repeats; no += 1) {
    const answer = await ask(page, no);
    one.push(answer.ms);
    ({ bytes } = answer);
  }
  const cpuMs = (1_000 * (cpuSeconds(pid) - cpuBefore)) / repeats;
  const together: number[] = [];
  let next = repeats;
  const lane = async (): Promise<void> => {
    while (next < 3 * repeats) together.push((await ask(page, next++)).ms);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  const first: number[] = [];
  for (let no = 0; page.isRemembered && no < firstLooks; no += 1) {
    await pause(forgottenMs);
    first.push((await ask(page, no)).ms);
  }
  const texts = (values: readonly number[], quantiles: readonly number[]): readonly string[] =>
    quantiles.map((quantile) => (values.length === 0 ? "" : percentile(values, quantile).toFixed(1)));
  const figures = [...texts(one, [50, 95, 99]), ...texts(together, [50, 95, 99]), ...texts(first, [50, 100])];
  return [page.name, ...figures, cpuMs.toFixed(1), (bytes / 1_000).toFixed(0)];
}

function asking(dispatcher: Dispatcher, origin: string): Ask {
  return async ({ name, path, cookie }, no) => {
    const startedAt = performance.now();
    const headers = { "accept-encoding": "gzip", ...(cookie !== null && { cookie }) };
    const answer = await dispatcher.request({ origin, method: "GET", path: path(no), headers });
    const bytes = await answer.body.bytes();
    if (answer.statusCode !== 200) throw new Error(`${name}: ${path(no)}: ${answer.statusCode}`);
    return { ms: performance.now() - startedAt, bytes: bytes.length };
  };
}
