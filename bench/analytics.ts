import { setTimeout as pause } from "node:timers/promises";
import pino from "pino";
import { Pool } from "undici";
import type { Operation } from "../src/contract/operation.ts";
import { operations } from "../src/contract/operations.ts";
import type { CheckRow, Storage } from "../src/control-plane/storage/storage.ts";
import { createRollups } from "../src/control-plane/upkeep/rollups.ts";
import { ExactValues } from "../src/domain/statistics/exact-values.ts";
import { memoryMb, percentile, table } from "./support/processes.ts";
import { heavyChecks, resultsOfCheck, seededLocations } from "./support/seeded-results.ts";
import { type EngineName, Site } from "./support/site.ts";
import { leaseInStore, startRuns, Uploads } from "./support/uploads.ts";

/**
 * Analytics over 10 million results of 1,000 checks, by a control plane in a process of its own: how long questions take, alone and while
 * an agent uploads; how far percentiles are from the exact ones; lists of 5,000 checks; memory. The engines one after the other; `citus`, too.
 *
 *   npm run build && B bench/analytics.ts [days, 30] [engines, sqlite,postgres] [uploads, 200000]
 *
 * A day is 345,000 results; with 0 days only lists are measured. Takes some 15 minutes and 10 GB in the folder for temporary files.
 */
const days = Number(process.argv[2] ?? 30);
const engines = (process.argv[3] ?? "sqlite,postgres").split(",") as EngineName[];
const uploadCount = Number(process.argv[4] ?? 200_000);
const checkCount = 1_000;
const listedChecks = 5_000;
const repeats = 60;
const quantiles = [0.5, 0.9, 0.95, 0.99];
const [minuteMs, dayMs] = [60_000, 86_400_000];

for (const engine of days > 0 ? engines : []) await measureAnalytics(engine);
for (const engine of engines) await measureLists(engine);

async function measureAnalytics(engine: EngineName): Promise<void> {
  await using site = await Site.make(engine, checkCount);
  const toMs = Math.floor(Date.now() / minuteMs) * minuteMs;
  const window = { fromMs: toMs - days * dayMs, toMs };
  const written = await timed(() => site.fill(window.fromMs, window.toMs));
  print(`${engine}: ${written.value} results written straight into the store in ${written.seconds.toFixed(0)} s`);
  const inStore = await site.withStorage(async (storage, _account, checks) => {
    const hours = await timed(async () => {
      while (await storage.analytics.compact(toMs, 250));
    });
    const perSecond = (checkCount * days * 24) / hours.seconds;
    print(`${engine}: rollups of all hours and days computed in ${hours.seconds.toFixed(0)} s, ${perSecond.toFixed(0)} hours of checks/s`);
    const figures = await measured("summary of 100 checks, 30 d, in the store", summaries(storage, checks, toMs));
    await startRuns(storage, checks, uploadCount);
    return figures;
  });
  await measureOverHttp(engine, site, window, inStore);
  await measureIngest(engine, site, toMs);
}

async function measureOverHttp(engine: EngineName, site: Site, window: Window, inStore: Figures): Promise<void> {
  const uuids = await site.withStorage(async (_storage, _account, checks) => checks.map(({ uuid }) => uuid));
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  const ask = asking(url, site.apiKey);
  const alone = await measureQuestions(ask, uuids);
  print(`\n${engine}, quiet, ms\n${figureTable([...alone, inStore])}`);
  await printError(ask, uuids, window);
  const quiet = memoryMb(controlPlane.pid);
  const uploads = await Uploads.open(url, site.locationKey, 4);
  await uploads.lease(uploadCount, 500);
  let isUploading = true;
  const sending = timed(() => uploads.send()).finally(() => {
    isUploading = false;
  });
  const meanwhile = await measureQuestions(ask, uuids, () => isUploading);
  const { value: accepted, seconds } = await sending;
  await uploads.close();
  print(
    `${engine}, while ${accepted} results were uploaded at ${(accepted / seconds).toFixed(0)} results/s, ms\n${figureTable(meanwhile)}`,
  );
  const peak = memoryMb(controlPlane.pid).peak.toFixed(0);
  print(`${engine}: memory of the control plane at most ${quiet.peak.toFixed(0)} MB before the uploads, ${peak} MB with them\n`);
}

/** What goes on beside ingest: a turn after the other, and an end. */
interface Meanwhile {
  readonly turn: (turn: number) => Promise<unknown>;
  readonly end?: () => Promise<void>;
}

/** Without HTTP: what the store takes while other work goes on in its process. */
async function measureIngest(engine: EngineName, site: Site, nowMs: number): Promise<void> {
  const ingest = async (during: string, begin: (storage: Storage, checks: readonly CheckRow[]) => Meanwhile): Promise<void> => {
    const perSecond = await site.withStorage((storage, _account, checks) => ingestInStore(storage, checks, begin(storage, checks)));
    print(`${engine}: ${perSecond.toFixed(0)} results/s taken by the store ${during}`);
  };
  await ingest("alone", () => ({ turn: () => pause(100) }));
  await ingest("while 100 checks are summarized over 30 d up to ten times a second", (storage, checks) => {
    const summarize = summaries(storage, checks, nowMs);
    return { turn: (turn) => Promise.all([summarize(turn), pause(100)]) };
  });
  await site.markDirty();
  await ingest("while the product computes all rollups again", ({ analytics }) => {
    const rollups = createRollups({ analytics, keepMs: 760 * dayMs, nowMs: Date.now, log: pino({ level: "silent" }) });
    return {
      turn: (turn) => Promise.all([turn === 0 && rollups.start(), pause(100)]),
      end: () => rollups.stop(AbortSignal.timeout(5_000)),
    };
  });
}

function summaries({ analytics }: Storage, checks: readonly CheckRow[], nowMs: number) {
  return (turn: number): Promise<unknown> => {
    const checkIds = someChecks(turn).map((no) => checks[no]?.id ?? 0);
    return analytics.summarize({ checkIds, fromMs: nowMs - 30 * dayMs, toMs: nowMs, metrics: ["responseTime"] });
  };
}

/** @returns results per second */
async function ingestInStore(storage: Storage, checks: readonly CheckRow[], meanwhile: Meanwhile): Promise<number> {
  const [first] = checks;
  if (!first) throw new Error("no check");
  await startRuns(storage, checks, uploadCount);
  const { agent, reports } = await leaseInStore(storage, first, uploadCount);
  const count = reports.length;
  let isIngesting = true;
  const lane = async (): Promise<void> => {
    while (reports.length > 0) await storage.results.ingest(agent, reports.splice(-200), Date.now());
  };
  const ingesting = timed(() => Promise.all([lane(), lane(), lane(), lane()])).finally(() => {
    isIngesting = false;
  });
  for (let turn = 0; isIngesting; turn += 1) await meanwhile.turn(turn);
  await meanwhile.end?.();
  return count / (await ingesting).seconds;
}

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Figures {
  readonly name: string;
  readonly times: readonly number[];
}

type Ask = (method: "GET" | "POST", path: string, body?: unknown) => Promise<string>;

/** One request after another on one connection. */
function asking(url: string, apiKey: string): Ask {
  const pool = new Pool(url, { connections: 1 });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  return async (method, path, body) => {
    const answer = await pool.request({ method, path, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return text;
  };
}

/** The same questions in turn, each about other checks. @param goOn false ends it early; with it ten questions are asked a second */
async function measureQuestions(ask: Ask, uuids: readonly string[], goOn?: () => boolean): Promise<readonly Figures[]> {
  const ofCheck = (turn: number): string =>
    `/v1/analytics/api-checks/${uuids[turn % 2 === 0 ? turn % heavyChecks : (turn * 37) % checkCount]}`;
  const metrics = "metrics=availability,responseTime_avg,responseTime_p95&limit=100";
  const summary = (quickRange: string) => (turn: number) =>
    ask("POST", `/v1/analytics/checks?quickRange=${quickRange}`, { checkIds: someChecks(turn).map((no) => uuids[no]) });
  const questions: readonly (readonly [string, (turn: number) => Promise<unknown>])[] = [
    [
      "24 h by location, by hour",
      (turn) => ask("GET", `${ofCheck(turn)}?quickRange=last24Hours&groupBy=runLocation&aggregationInterval=60&${metrics}`),
    ],
    [
      "30 d by location, by day",
      (turn) => ask("GET", `${ofCheck(turn)}?quickRange=last30Days&groupBy=runLocation&aggregationInterval=1440&${metrics}`),
    ],
    [
      "30 d by status code, by day",
      (turn) => ask("GET", `${ofCheck(turn)}?quickRange=last30Days&groupBy=statusCode&aggregationInterval=1440&${metrics}`),
    ],
    ["30 d by location, one row", (turn) => ask("GET", `${ofCheck(turn)}?quickRange=last30Days&groupBy=runLocation&${metrics}`)],
    ["summary of 100 checks, 24 h", summary("last24Hours")],
    ["summary of 100 checks, 7 d", summary("last7Days")],
    ["summary of 100 checks, last month", summary("lastMonth")],
    ["list of 100 results", (turn) => ask("GET", `/v2/check-results/${uuids[turn % checkCount]}?limit=100`)],
  ];
  const figures = questions.map(([name]) => ({ name, times: [] as number[] }));
  for (const [, question] of questions) await question(0);
  for (let turn = 0; goOn === undefined ? turn < repeats : goOn(); turn += 1) {
    for (const [index, [, question]] of questions.entries()) {
      const asked = timed(() => question(turn));
      const [{ seconds }] = await Promise.all([asked, goOn && pause(100)]);
      figures[index]?.times.push(seconds * 1_000);
    }
  }
  return figures;
}

/** Of a hundred checks, those that run every minute and others. */
function someChecks(turn: number): readonly number[] {
  return Array.from({ length: 100 }, (_, n) => (n < heavyChecks ? n : heavyChecks + ((n * 37 + turn * 101) % (checkCount - heavyChecks))));
}

/** Every percentile of some checks at each location over the whole window, beside that of all their values. */
async function printError(ask: Ask, uuids: readonly string[], { fromMs, toMs }: Window): Promise<void> {
  const errors: number[] = [];
  const query = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}&groupBy=runLocation`;
  const names = quantiles.map((q) => `responseTime_p${100 * q}`);
  for (const checkNo of [0, 1, heavyChecks, 37, 111, 500, 999]) {
    const exact = exactTimes(checkNo, fromMs / minuteMs, toMs / minuteMs);
    const path = `/v1/analytics/api-checks/${uuids[checkNo]}?${query}&metrics=responseTime_avg,${names.join(",")}`;
    const answer = JSON.parse(await ask("GET", path)) as AnswerByLocation;
    for (const { runLocation, data } of answer.series) errors.push(...errorsOf(data[0] ?? {}, exact.get(runLocation)));
  }
  const worst = Math.max(...errors) * 100;
  print(`worst error of ${errors.length} percentiles over ${days} d against exact values: ${worst.toFixed(3)} %; averages exact\n`);
}

interface AnswerByLocation {
  readonly series: readonly { readonly runLocation: string; readonly data: readonly Readonly<Record<string, number>>[] }[];
}

function exactTimes(checkNo: number, fromMinute: number, toMinute: number): ReadonlyMap<string, ExactValues> {
  const exact = new Map<string, ExactValues>();
  for (const { type, location, timesUs } of resultsOfCheck(checkNo, fromMinute, toMinute)) {
    const name = seededLocations[location] ?? "";
    const values = exact.get(name) ?? new ExactValues();
    if (type === 0) values.add(timesUs[0] ?? 0);
    exact.set(name, values);
  }
  return exact;
}

/** Relative. @throws when the average is not exact */
function errorsOf(answered: Readonly<Record<string, number>>, exact: ExactValues | undefined): readonly number[] {
  const averageMs = (exact?.sum ?? 0) / (exact?.count ?? 0) / 1_000;
  const answeredMs = answered["responseTime_avg"] ?? Number.NaN;
  if (!exact || !(Math.abs(answeredMs - averageMs) < 1e-5)) throw new Error(`an average of ${answeredMs} ms, not ${averageMs}`);
  return quantiles.map((q) => {
    const truthMs = exact.quantile(q) / 1_000;
    return Math.abs((answered[`responseTime_p${100 * q}`] ?? 0) - truthMs) / truthMs;
  });
}

/** Every GET operation without an id in its path, on an account with many checks that have all run. */
async function measureLists(engine: EngineName): Promise<void> {
  await using site = await Site.make(engine, listedChecks);
  await site.withStorage(async (storage, _account, checks) => startRuns(storage, checks, listedChecks));
  await site.spread();
  const { process: controlPlane, url } = await site.start();
  await using _controlPlane = controlPlane;
  const uploads = await Uploads.open(url, site.locationKey, 2);
  await uploads.lease(listedChecks, 500);
  await uploads.send();
  await uploads.close();
  const ask = asking(url, site.apiKey);
  const figures: Figures[] = [];
  for (const { method, path, query, output, access, example } of operations as readonly Operation[]) {
    if (method !== "GET" || path.includes("{") || output === undefined || access === "public") continue;
    const given = query === undefined || query.safeParse({}).success ? {} : example?.query;
    const limited = query !== undefined && "limit" in query.shape ? { ...given, limit: 100 } : { ...given };
    const search = new URLSearchParams(Object.entries(limited).map(([name, value]) => [name, String(value)]));
    figures.push(await measured(`GET ${path}`, () => ask("GET", `${path}?${search.toString()}`)));
  }
  print(
    `${engine}, lists with ${listedChecks} checks, ms\n${figureTable(figures.toSorted((a, b) => percentile(b.times, 95) - percentile(a.times, 95)))}`,
  );
  const memory = memoryMb(controlPlane.pid);
  print(`${engine}: memory of the control plane ${memory.now.toFixed(0)} MB now, ${memory.peak.toFixed(0)} MB at most\n`);
}

async function measured(name: string, question: (turn: number) => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  for (let turn = -2; turn < repeats; turn += 1) {
    const { seconds } = await timed(() => question(turn + 2));
    if (turn >= 0) times.push(seconds * 1_000);
  }
  return { name, times };
}

async function timed<T>(work: () => T | Promise<T>): Promise<{ readonly value: T; readonly seconds: number }> {
  const started = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - started) / 1_000 };
}

function figureTable(figures: readonly Figures[]): string {
  const rows = figures.map(({ name, times }) => [name, ...[50, 95, 100].map((p) => percentile(times, p).toFixed(1)), String(times.length)]);
  return `${table([["", "p50", "p95", "most", "times"], ...rows])}\n`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
