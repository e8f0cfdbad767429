import { loadavg } from "node:os";
import { Pool } from "undici";
import type { CheckRow, Storage } from "../src/control-plane/storage/storage.ts";
import { browser } from "../test/control-plane/console/browser.ts";
import { busyChecks } from "./support/history-rows.ts";
import { placeHeavy } from "./support/pages-measured.ts";
import { newestStatuses } from "./support/pages-store.ts";
import { cpuSeconds, memoryMb, percentile, table, untilAlone } from "./support/processes.ts";
import { restOf } from "./support/rest.ts";
import { type EngineName, Site } from "./support/site.ts";

/**
 * What people ask for most, over a store of any size, by a control plane in a process of its own, beside the aims. The store is filled once
 * and stays in the folder: a fill that was stopped goes on, a later run adds what happened since. 100 million results of 2,000 checks take
 * 10 GB and six minutes on SQLite, twice that on PostgreSQL.
 *
 * BENCH_FILL=no: asks what is there, also of a fill that was stopped.
 *
 *   npm run build && B bench/reading.ts FOLDER [engines, sqlite,postgres] [results, 100000000] [checks, 2000] [days, 30] [turns, 60] [only, ""]
 */
const [folder, engines = "sqlite,postgres", ...numbers] = process.argv.slice(2);
if (folder === undefined) throw new Error("the folder in which the store stays is missing");
const [results = 100_000_000, checks = 2_000, days = 30, turns = 60] = numbers.slice(0, 4).map(Number);
const only = numbers[4] ?? "";
const summaryOfStore = "summary of 100 checks, 30 d, in the store";

for (const engine of engines.split(",") as EngineName[]) await measure(engine);

async function measure(engine: EngineName): Promise<void> {
  await using site = await Site.keep(folder ?? "", engine, checks, {
    change: (number) => ({ name: `Check ${number}`, tags: [`team-${number % 12}`] }),
  });
  const started = performance.now();
  const seconds = (): string => ((performance.now() - started) / 1_000).toFixed(0);
  if (process.env["BENCH_FILL"] !== "no")
    await site.fillHistory({ results, days }, (text) => process.stdout.write(`${engine}, ${seconds()} s: ${text}\n`));
  await site.ask("delete from check_statuses");
  await site.ask(newestStatuses);
  process.stdout.write(`${engine}: filled after ${seconds()} s\n`);
  const rows: (readonly string[])[] = [["ms", "p50", "p95", "most", "CPU", "aim p95"]];
  if (summaryOfStore.includes(only))
    rows.push(await site.withStorage(({ analytics }, _account, rowsOfChecks) => asked(inStore(analytics, rowsOfChecks))));
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  await placeHeavy(restOf(url, site.apiKey), site.checkIds);
  await site.activate();
  await untilAlone(controlPlane.pid);
  const pool = new Pool(url, { connections: 1 });
  for (const question of await questions(pool, url, site))
    if (question.name.includes(only)) rows.push(await asked(question, controlPlane.pid));
  await pool.close();
  const memory = memoryMb(controlPlane.pid).peak.toFixed(0);
  process.stdout.write(
    `\n${engine}, ${checks} checks, ${results} results of ${days} days; memory at most ${memory} MB; load ${loadavg()[0]?.toFixed(0)}\n`,
  );
  process.stdout.write(`${table(rows)}\n\n`);
}

interface Question {
  readonly name: string;
  readonly aimMs: number;
  readonly ask: (turn: number) => Promise<void>;
}

/** REST knows months and weeks alone. */
function inStore(analytics: Storage["analytics"], rowsOfChecks: readonly CheckRow[]): Question {
  const toMs = Date.now();
  return {
    name: summaryOfStore,
    aimMs: 100,
    async ask(turn) {
      const checkIds = Array.from({ length: 100 }, (_, n) => rowsOfChecks[n < busyChecks ? n : (turn * 101 + n * 37) % checks]?.id ?? 0);
      await analytics.summarize({ checkIds, fromMs: toMs - 30 * 86_400_000, toMs, metrics: ["responseTime"] });
    },
  };
}

async function asked({ name, aimMs, ask }: Question, pid = process.pid): Promise<readonly string[]> {
  for (let turn = -3; turn < 0; turn += 1) await ask(turns - turn);
  const times: number[] = [];
  const cpu = cpuSeconds(pid);
  for (let turn = 0; turn < turns; turn += 1) {
    const at = performance.now();
    await ask(turn);
    times.push(performance.now() - at);
  }
  const cpuMs = ((cpuSeconds(pid) - cpu) * 1_000) / turns;
  const p95 = percentile(times, 95);
  return [
    name,
    ...[percentile(times, 50), p95, percentile(times, 100), cpuMs].map((ms) => ms.toFixed(1)),
    `${aimMs}: ${p95 <= aimMs ? "yes" : "no"}`,
  ];
}

async function questions(pool: Pool, url: string, { apiKey, checkIds }: Site): Promise<readonly Question[]> {
  const person = browser(url);
  await person.get("/sign-in");
  await person.post("/sign-in", { key: apiKey });
  const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const ask = async (method: "GET" | "POST", path: string, body?: unknown): Promise<void> => {
    const headers = path.startsWith("/v") ? { authorization: `Bearer ${apiKey}`, "content-type": "application/json" } : { cookie };
    const answer = await pool.request({ method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  };
  const other = (turn: number): string => checkIds[busyChecks + ((turn * 37) % (checkIds.length - busyChecks))] ?? "";
  const busy = (turn: number): string => checkIds[turn % busyChecks] ?? "";
  const get = (name: string, aimMs: number, path: (turn: number) => string): Question => ({
    name,
    aimMs,
    ask: (turn) => ask("GET", path(turn)),
  });
  const series = (check: string, range: string, more: string): string =>
    `/v1/analytics/api-checks/${check}?quickRange=${range}&metrics=availability,responseTime_avg,responseTime_p95&limit=100&${more}`;
  const summary = (name: string, aimMs: number, quickRange: string): Question => ({
    name,
    aimMs,
    ask: (turn) =>
      ask("POST", `/v1/analytics/checks?quickRange=${quickRange}`, {
        checkIds: Array.from({ length: Math.min(100, checkIds.length) }, (_, n) => (n < busyChecks ? busy(n) : other(turn * 101 + n))),
      }),
  });
  return [
    get("list of 100 results", 10, (turn) => `/v2/check-results/${turn % 4 === 0 ? busy(turn) : other(turn)}?limit=100`),
    get("24 h by location, by hour", 10, (turn) => series(other(turn), "last24Hours", "groupBy=runLocation&aggregationInterval=60")),
    get("the same of a busy check", 10, (turn) => series(busy(turn), "last24Hours", "groupBy=runLocation&aggregationInterval=60")),
    get("30 d by location, by day", 50, (turn) => series(other(turn), "last30Days", "groupBy=runLocation&aggregationInterval=1440")),
    get("the same of a busy check", 50, (turn) => series(busy(turn), "last30Days", "groupBy=runLocation&aggregationInterval=1440")),
    get("30 d by status code, by day", 50, (turn) => series(other(turn), "last30Days", "groupBy=statusCode&aggregationInterval=1440")),
    get("30 d by location, one row", 50, (turn) => series(other(turn), "last30Days", "groupBy=runLocation")),
    summary("summary of 100 checks, 24 h", 100, "last24Hours"),
    get("statuses of all checks", 100, () => "/v1/check-statuses"),
    get("reporting of all checks", 100, () => "/v1/reporting"),
    get("page of a busy check, 24 h", 100, (turn) => `/checks/${busy(turn)}?range=24h`),
    get("overview", 150, () => "/checks"),
  ];
}
