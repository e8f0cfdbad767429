import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../test/support/free-ports.ts";
import { startNginx } from "../test/support/nginx.ts";
import { setUpControlPlane } from "./support/control-plane.ts";
import { cpuSeconds, memoryMb, outpost, percentile, table, untilOk } from "./support/processes.ts";

/**
 * Due → started, with the whole product: 5,000 checks every 10 seconds are 500 a second, scheduled by the control
 * plane on SQLite, run by one agent against nginx, stored. The delay is what each result carries as `queuedMs`.
 *
 *   node --conditions=source bench/dispatch.ts [checks, 5000] [seconds, 40]
 */
const checks = Number(process.argv[2] ?? 5_000);
const seconds = Number(process.argv[3] ?? 40);

await using nginx = await startNginx();
const dataDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
const { locationKey } = await setUpControlPlane(dataDir, { checks, url: `http://127.0.0.1:${nginx.httpPort}/` });
const [port, health] = [await freePort(), await freePort()];
await using controlPlane = outpost("control-plane", { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: "WARN" });
await untilOk(`http://127.0.0.1:${port}/-/readiness`);
await using agent = outpost("agent", {
  API_KEY: locationKey,
  API_URL: `http://127.0.0.1:${port}`,
  AGENT_HEALTH_PORT: String(health),
  DATA_DIR: join(dataDir, "agent"),
  JOB_CONCURRENCY: "100",
  LOG_LEVEL: "WARN",
});
await untilOk(`http://127.0.0.1:${health}/-/readiness`);
await pause(15_000); // the backlog of the start is gone
const from = Date.now();
const before = { agent: cpuSeconds(agent.pid), controlPlane: cpuSeconds(controlPlane.pid) };
await pause(seconds * 1_000);
const used = { agent: cpuSeconds(agent.pid) - before.agent, controlPlane: cpuSeconds(controlPlane.pid) - before.controlPlane };
const memory = { agent: memoryMb(agent.pid).peak, controlPlane: memoryMb(controlPlane.pid).peak };
await pause(2_000);

const database = new DatabaseSync(join(dataDir, "outpost.db"), { readOnly: true });
const results = database.prepare("select queued_ms, flags from results where run_at >= ? and run_at < ?").all(from, from + seconds * 1_000);
const queued = results.map((row) => Number(row["queued_ms"]));
console.log(
  `\n${table([
    ["due → started", "p50 ms", "p99 ms", "max ms", "runs", "runs/s"],
    [
      "",
      percentile(queued, 50).toFixed(0),
      percentile(queued, 99).toFixed(0),
      String(Math.max(...queued)),
      String(queued.length),
      (queued.length / seconds).toFixed(0),
    ],
  ])}\n`,
);
console.log(
  `CPU of one core: control plane ${share(used.controlPlane)} %, agent ${share(used.agent)} %; peak memory: control plane ${memory.controlPlane.toFixed(0)} MB, agent ${memory.agent.toFixed(0)} MB`,
);

function share(cpu: number): string {
  return ((100 * cpu) / seconds).toFixed(0);
}
