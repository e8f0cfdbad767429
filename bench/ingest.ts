import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStorage } from "../src/control-plane/storage/open-storage.ts";
import { freePort } from "../test/support/free-ports.ts";
import { setUpControlPlane } from "./support/control-plane.ts";
import { cpuSeconds, outpost, table, untilOk } from "./support/processes.ts";
import { startRuns, Uploads } from "./support/uploads.ts";

/**
 * Results a second that the control plane takes over HTTP into SQLite: JSON, validation, compression, one transaction
 * a batch, as agents send them. The jobs are leased before the clock starts.
 *
 *   node --conditions=source bench/ingest.ts [results, 100000] [batch, 500] [connections, 4]
 */
const total = Number(process.argv[2] ?? 100_000);
const batch = Number(process.argv[3] ?? 500);
const connections = Number(process.argv[4] ?? 4);

const dataDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
const { locationKey } = await setUpControlPlane(dataDir, { checks: 100, url: "http://127.0.0.1:9/" });
const storage = await openStorage({ dataDir, nowMs: Date.now() });
const [account] = await storage.accounts.list();
if (account === undefined) throw new Error("no account");
await startRuns(storage, (await storage.checks.list(account.id, { page: 1, limit: 100 })).items, total);
await storage.close();
const port = await freePort();
await using controlPlane = outpost("control-plane", { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: "WARN" });
await untilOk(`http://127.0.0.1:${port}/-/readiness`);
const uploads = await Uploads.open(`http://127.0.0.1:${port}`, locationKey, connections);
const { bytes } = await uploads.lease(total, batch);
const cpu = cpuSeconds(controlPlane.pid);
const started = performance.now();
const accepted = await uploads.send();
const tookSeconds = (performance.now() - started) / 1000;
const cpuUs = ((cpuSeconds(controlPlane.pid) - cpu) / accepted) * 1e6;
console.log(
  `\n${table([
    ["", "results/s", "CPU us per result", "bytes per result", "accepted"],
    [`ingest over HTTP, batches of ${batch}`, (accepted / tookSeconds).toFixed(0), cpuUs.toFixed(0), bytes.toFixed(0), String(accepted)],
  ])}\n`,
);
await uploads.close();
await controlPlane[Symbol.asyncDispose]();
rmSync(dataDir, { recursive: true });
