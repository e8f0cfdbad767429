import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { flakyProxy } from "../test/support/flaky-proxy.ts";
import { freePort } from "../test/support/free-ports.ts";
import { startNginx } from "../test/support/nginx.ts";
import { setUpControlPlane } from "./support/control-plane.ts";
import { bodyMatched, postgresStore, runsIn, settled } from "./support/pipeline/outpost-site.ts";
import { type Child, cpuSeconds, outpost, percentile, table, untilOk } from "./support/processes.ts";

/**
 * What control planes on one PostgreSQL do to each other: 1, 2 and 3 of them under the same load, then one more that comes and goes. Agents reach them
 * in turn, as behind a load balancer. How often a statement waits for another's lock, and for whose, is looked at every 50 ms; deadlocks, missed and
 * doubled runs are counted by the database. `npm run build` comes first.
 *
 *   B bench/processes.ts [seconds of each, 30] [checks, 2000: each runs every 10 s]
 */
const [seconds = 30, checks = 2_000] = process.argv.slice(2).map(Number);
await using nginx = await startNginx();
const dataDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
const store = await postgresStore();
const database = { DATABASE_URL: store.databaseUrl ?? "" };
const locations = ["one", "two", "three"];
const { locationKeys } = await setUpControlPlane(dataDir, {
  checks,
  url: `http://127.0.0.1:${nginx.httpPort}/`,
  locations,
  env: database,
  change: (number) => ({
    privateLocations: [locations[number % locations.length] ?? ""],
    request: { method: "GET", url: `http://127.0.0.1:${nginx.httpPort}/?check=${number}`, assertions: [...bodyMatched] },
  }),
});

const controlPlanes: { readonly child: Child; readonly port: number }[] = [];
let turn = 0;
const nextPort = (): number => controlPlanes[(turn += 1) % controlPlanes.length]?.port ?? 0;

async function comes(): Promise<void> {
  const port = await freePort();
  const child = outpost("control-plane", { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: "WARN", ...database });
  await untilOk(`http://127.0.0.1:${port}/-/readiness`);
  controlPlanes.push({ child, port });
}

/** No new connection reaches it any more, then it drains. */
async function goes(): Promise<void> {
  await controlPlanes.pop()?.child[Symbol.asyncDispose]();
}

await comes();
const agents: Child[] = [];
for (const [index, key] of locationKeys.entries()) {
  const [health, way] = [await freePort(), await flakyProxy(nextPort)];
  const variables = { API_KEY: key, API_URL: way.url, AGENT_HEALTH_PORT: String(health), DATA_DIR: join(dataDir, `agent-${index}`) };
  agents.push(outpost("agent", { ...variables, JOB_CONCURRENCY: "100", LOG_LEVEL: "WARN" }));
  await untilOk(`http://127.0.0.1:${health}/-/readiness`);
}

const rows: string[][] = [];
for (const [name, before] of [
  ["1", undefined],
  ["2", comes],
  ["3", comes],
] as const) {
  await before?.();
  rows.push(await measured(name, () => pause(seconds * 1_000)));
}
await goes();
await goes();
rows.push(
  await measured("1, a 2nd comes and goes twice", async () => {
    for (const change of [comes, goes, comes, goes]) {
      await change();
      await pause((seconds * 1_000) / 4);
    }
  }),
);
const heads = ["control planes", "runs/s", "lag p50 ms", "p99", "missed", "twice", "CPU ms a run, each", "waits for locks", "deadlocks"];
console.log(`\n${checks} checks every 10 s at ${locations.length} agents, ${seconds} s each\n\n${table([heads, ...rows])}`);
for (const agent of agents) await agent[Symbol.asyncDispose]();
while (controlPlanes.length > 0) await goes();
await store.stop();
rmSync(dataDir, { recursive: true, force: true });
process.exit(0);

async function measured(name: string, work: () => Promise<unknown>): Promise<string[]> {
  await settled(store);
  const here = controlPlanes.map(({ child }) => child.pid);
  const cpu = (): number[] => here.map((pid) => (controlPlanes.some(({ child }) => child.pid === pid) ? cpuSeconds(pid) : Number.NaN));
  const [deadlocksBefore, cpuBefore, fromMs] = [await deadlocks(), cpu(), Date.now()];
  const end = new AbortController();
  const waits = countWaits(end.signal);
  await work();
  end.abort();
  const [cpuAfter, toMs] = [cpu(), Date.now()];
  await pause(2_000); // what is under way is stored
  const runs = await runsIn(store, fromMs, toMs);
  const lag = (p: number): string => percentile(runs.lagsMs ?? [], p).toFixed(0);
  const { looks, waiting, longest } = await waits;
  return [
    name,
    (runs.count / ((toMs - fromMs) / 1_000)).toFixed(0),
    lag(50),
    lag(99),
    String(runs.missed),
    String(runs.doubled),
    cpuAfter.map((after, index) => (((after - (cpuBefore[index] ?? 0)) / runs.count) * 1_000).toFixed(2)).join(" + "),
    `${waiting} in ${looks} looks${longest === "" ? "" : `, most: ${longest}`}`,
    String((await deadlocks()) - deadlocksBefore),
  ];
}

async function deadlocks(): Promise<number> {
  const [row] = await store.ask("select deadlocks from pg_stat_database where datname = current_database()");
  return Number(row?.["deadlocks"]);
}

/** Which statements wait for a lock of another one, while it goes on. */
async function countWaits(signal: AbortSignal): Promise<{ looks: number; waiting: number; longest: string }> {
  const seen = new Map<string, number>();
  let looks = 0;
  for (; !signal.aborted; looks += 1) {
    const found = await store.ask("select left(query, 60) as query from pg_stat_activity where wait_event_type = 'Lock'");
    for (const { query } of found) seen.set(String(query), (seen.get(String(query)) ?? 0) + 1);
    await pause(50);
  }
  const [most] = [...seen].toSorted(([, a], [, b]) => b - a);
  return { looks, waiting: [...seen.values()].reduce((sum, count) => sum + count, 0), longest: most?.[0] ?? "" };
}
