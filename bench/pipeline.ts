import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { startNginx } from "../test/support/nginx.ts";
import type { Load, Pipeline, Runs } from "./support/pipeline/measured-site.ts";
import { outpostSite } from "./support/pipeline/outpost-site.ts";
import { noPrometheus, prometheusSite } from "./support/pipeline/prometheus-site.ts";
import { memoryMb, percentile, table } from "./support/processes.ts";

/**
 * What a run costs from its plan to its stored result, one system after the other: same targets, same rate, same machine. CPU is user and
 * system of whole processes, a run; memory is resident; lag is due → started as each result tells it.
 *
 *   node --conditions=source bench/pipeline.ts [rate: 100, 167, 500, 1667; 500] [seconds, 60] [systems, sqlite,postgres,prometheus] [stored, 0]
 *
 * `stored`: checks beside these that run once a day, to see what a large store costs.
 */
const loads: Readonly<Record<string, Omit<Load, "url" | "stored">>> = {
  "100": { checks: 1_000, periodSeconds: 10, locations: ["one"] },
  "167": { checks: 10_000, periodSeconds: 60, locations: ["one", "two", "three"] },
  "500": { checks: 5_000, periodSeconds: 10, locations: ["one"] },
  "1667": { checks: 100_000, periodSeconds: 60, locations: ["one", "two", "three"], seats: 250 },
};
const [rate = "500", seconds = "60", systems = "sqlite,postgres,prometheus", stored = "0"] = process.argv.slice(2);
const chosen = loads[rate];
if (chosen === undefined) throw new Error(`rate ${rate}: one of ${Object.keys(loads).join(", ")}`);
const warmUpMs = 5_000;

await using nginx = await startNginx();
const load = { ...chosen, stored: Number(stored), url: `http://127.0.0.1:${nginx.httpPort}/` };
const rows: string[][] = [];
for (const system of systems.split(",")) {
  if (system === "prometheus" && noPrometheus !== null) console.log(`left out: ${noPrometheus}`);
  else rows.push(...(await measured(system)));
}
console.log(
  `\n${rate} runs/s asked for, ${chosen.checks} checks of ${chosen.checks + load.stored} every ${chosen.periodSeconds} s, ${seconds} s\n`,
);
console.log(
  table([
    ["", "runs/s", "prober ms", "scheduler ms", "database ms", "together ms", "MB", "disk bytes", "lag p50", "p99", "missed", "twice"],
    ...rows,
  ]),
);

async function measured(system: string): Promise<string[][]> {
  await using site = system === "prometheus" ? await prometheusSite(load) : await outpostSite(engineOf(system), load);
  await site.settled();
  await pause(warmUpMs);
  const before = { cpu: cpuOf(site), disk: await site.diskBytes() };
  const fromMs = Date.now();
  await pause(Number(seconds) * 1_000);
  const toMs = Date.now();
  const after = { cpu: cpuOf(site), disk: await site.diskBytes() };
  const memory = memoryOf(site);
  await pause(2_000); // what is under way is stored
  const runs = await site.runs(fromMs, toMs);
  const cost = (name: string): number => (((after.cpu[name] ?? 0) - (before.cpu[name] ?? 0)) / runs.count) * 1_000;
  return [rowOf(system, runs, (toMs - fromMs) / 1_000, cost, memory, (after.disk - before.disk) / runs.count)];
}

function rowOf(name: string, runs: Runs, took: number, cost: (name: string) => number, memory: string, disk: number): string[] {
  const parts = ["prober", "scheduler", "database"].map(cost);
  const lag = (p: number): string => (runs.lagsMs === undefined ? "–" : percentile(runs.lagsMs, p).toFixed(0));
  return [
    name,
    (runs.count / took).toFixed(0),
    ...parts.map((ms) => (ms === 0 ? "–" : ms.toFixed(2))),
    parts.reduce((sum, ms) => sum + ms, 0).toFixed(2),
    memory,
    disk.toFixed(0),
    lag(50),
    lag(99),
    String(runs.missed ?? "–"),
    String(runs.doubled ?? "–"),
  ];
}

function engineOf(system: string): "sqlite" | "postgres" {
  if (system === "sqlite" || system === "postgres") return system;
  throw new Error(`system ${system}: one of sqlite, postgres, prometheus`);
}

/** Seconds, with those of children that have ended. */
function cpuOf({ processes }: Pipeline): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(processes).map(([name, pids]) => [name, pids().reduce((sum, pid) => sum + cpuWithEnded(pid), 0)]),
  );
}

function cpuWithEnded(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

/** Of each kind of process; PostgreSQL's share memory, so that theirs is not told. */
function memoryOf({ processes }: Pipeline): string {
  return Object.entries(processes)
    .filter(([name]) => name !== "database")
    .map(
      ([name, pids]) =>
        `${name} ${pids()
          .map((pid) => memoryMb(pid).now.toFixed(0))
          .join("+")}`,
    )
    .join(", ");
}
