import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { LeasedJob } from "#contract/agent-protocol.ts";
import { FakeControlPlane, fakeJob } from "../test/support/fake-control-plane.ts";
import { freePort } from "../test/support/free-ports.ts";
import { networkNamespace, noNamespaces } from "../test/support/namespace.ts";
import { percentile, readyAgent, script, table, untilOk } from "./support/processes.ts";

/**
 * Whether dead targets disturb healthy ones: 500 healthy checks every 10 seconds, spread, on an agent with the default 10 seats; then
 * the same with 50 black-holed checks among them, whose packets a firewall drops. Lag is due to started, total what the check reports.
 *
 *   npm run build && B bench/fairness.ts [cycles, 3]
 */
const cycles = Number(process.argv[2] ?? 3);
const cycleMs = 10_000;
const healthyCount = 500;
const deadCount = 50;
if (noNamespaces !== null) throw new Error(`no black hole: ${noNamespaces}`);

const folder = mkdtempSync(join(tmpdir(), "outpost-fairness-"));
const port = await freePort();
await using _target = script("delayed-target.ts", [String(port), "20"]);
await using hole = await networkNamespace();
await hole.nft("table inet hole {\n chain input {\n type filter hook input priority 0\n tcp dport 80 drop\n }\n}\n");
await using controlPlane = await FakeControlPlane.start();
await using _agent = await readyAgent(controlPlane, {
  DATA_DIR: join(folder, "data"),
});
await untilOk(`http://127.0.0.1:${port}/`);

const limits = { degradedResponseTime: 5_000, maxResponseTime: 20_000 };
const job = (url: string): LeasedJob => fakeJob(url, { checkType: "URL", settings: { request: { url }, ...limits } });
const healthyJob = (): LeasedJob => job(`http://127.0.0.1:${port}/`);
const deadJob = (): LeasedJob => job(`http://${hole.inside.ipv4}/`);

await measure(0, 1); // warms up
const without = await measure(0, cycles);
const withDead = await measure(deadCount, cycles);
const row = (name: string, { lags, totals, dead }: Measured): string[] => [
  name,
  ...[totals, lags].flatMap((values) => [50, 99].map((rank) => percentile(values, rank).toFixed(1))),
  String(totals.length),
  String(dead),
];
const change = (of: (measured: Measured) => number[], rank: number): string => {
  return `${((percentile(of(withDead), rank) / percentile(of(without), rank) - 1) * 100).toFixed(1)} %`;
};
console.log(
  `\n${table([
    ["", "total p50 ms", "total p99 ms", "lag p50 ms", "lag p99 ms", "healthy runs", "dead runs"],
    row(`${healthyCount} healthy`, without),
    row(`with ${deadCount} black-holed`, withDead),
    ["change", ...[(m: Measured) => m.totals, (m: Measured) => m.lags].flatMap((of) => [change(of, 50), change(of, 99)]), "", ""],
  ])}\n`,
);
rmSync(folder, { recursive: true, force: true });

interface Measured {
  readonly totals: number[];
  readonly lags: number[];
  readonly dead: number;
}

/** Every healthy check runs once a cycle, evenly spread, and so do the dead ones. */
async function measure(dead: number, count: number): Promise<Measured> {
  const dueAt = new Map<string, number>();
  const from = controlPlane.reports.length;
  const slots = healthyCount;
  const startMs = performance.now();
  for (let slot = 0; slot < slots * count; slot += 1) {
    await pause(Math.max(0, startMs + (slot * cycleMs) / slots - performance.now()));
    const healthy = healthyJob();
    dueAt.set(healthy.jobId, Date.now());
    controlPlane.enqueue(healthy);
    if (dead > 0 && slot % (slots / dead) === 0) controlPlane.enqueue(deadJob());
  }
  const expected = (healthyCount + dead) * count;
  await controlPlane.until(() => controlPlane.reports.length >= from + expected, 60_000);
  const reports = controlPlane.reports.slice(from);
  const healthy = reports.filter(({ jobId }) => dueAt.has(jobId));
  if (healthy.some(({ hasFailures }) => hasFailures)) throw new Error("a healthy check failed");
  return {
    totals: healthy.map(({ responseTimeMs }) => responseTimeMs),
    lags: healthy.map(({ jobId, startedAt }) => startedAt - (dueAt.get(jobId) ?? Number.NaN)),
    dead: reports.length - healthy.length,
  };
}
