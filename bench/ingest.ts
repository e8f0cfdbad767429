import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "undici";
import type { AttemptReport, LeasedJob, ReportAnswer } from "../src/contract/agent-protocol.ts";
import { openStorage } from "../src/control-plane/storage/open-storage.ts";
import { attemptReport } from "../test/support/attempt-report.ts";
import { freePort } from "../test/support/free-ports.ts";
import { setUpControlPlane } from "./support/control-plane.ts";
import { cpuSeconds, outpost, table, untilOk } from "./support/processes.ts";

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
await startRuns();
const port = await freePort();
await using controlPlane = outpost("control-plane", { PORT: String(port), DATA_DIR: dataDir, LOG_LEVEL: "WARN" });
await untilOk(`http://127.0.0.1:${port}/-/readiness`);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections });
const token = await openSession();
const bodies: string[] = [];
for (let leased = 0; leased < total; ) {
  const jobs = await lease();
  if (jobs.length === 0) break;
  leased += jobs.length;
  for (let n = 0; n < jobs.length; n += batch) bodies.push(JSON.stringify({ reports: jobs.slice(n, n + batch).map(report) }));
}
const count = Math.min(total, bodies.length * batch);
const bytes = bodies.reduce((sum, body) => sum + body.length, 0) / count;
const cpu = cpuSeconds(controlPlane.pid);
const started = performance.now();
let accepted = 0;
await Promise.all(Array.from({ length: connections }, send));
const tookSeconds = (performance.now() - started) / 1000;
const cpuUs = ((cpuSeconds(controlPlane.pid) - cpu) / accepted) * 1e6;
console.log(
  `\n${table([
    ["", "results/s", "CPU us per result", "bytes per result", "accepted"],
    [`ingest over HTTP, batches of ${batch}`, (accepted / tookSeconds).toFixed(0), cpuUs.toFixed(0), bytes.toFixed(0), String(accepted)],
  ])}\n`,
);
await pool.close();

async function startRuns(): Promise<void> {
  const storage = await openStorage({ dataDir, nowMs: Date.now() });
  const [account] = await storage.accounts.list();
  if (account === undefined) throw new Error("no account");
  const { items } = await storage.checks.list(account.id, { page: 1, limit: 100 });
  const runs = Array.from({ length: total }, (_, n) => {
    const check = items[n % items.length];
    if (check === undefined) throw new Error("no check");
    return { accountId: account.id, checkId: check.id, runAtMs: Date.now(), source: "TRIGGER_API", locationIds: check.locationIds };
  });
  for (let n = 0; n < runs.length; n += 1_000) await storage.schedule.startRuns(runs.slice(n, n + 1_000));
  await storage.close();
}

async function call<T>(path: string, bearer: string, body: string): Promise<T> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const answer = await pool.request({ method: "POST", path, headers, body });
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`);
  return (await answer.body.json()) as T;
}

async function openSession(): Promise<string> {
  const introduction = { agentId: crypto.randomUUID(), version: "0", protocol: 1, checkTypes: ["API"] };
  return (await call<{ sessionToken: string }>("/agent/v1/sessions", locationKey, JSON.stringify(introduction))).sessionToken;
}

async function lease(): Promise<LeasedJob[]> {
  const { jobs } = await call<{ jobs: LeasedJob[] }>("/agent/v1/jobs/lease", token, JSON.stringify({ max: 1_000, waitSeconds: 0 }));
  const running = jobs.map(({ jobId, fence }) => ({ jobId, fence }));
  const beat = { running, state: "running", outbox: { depth: 0, oldestSeconds: 0 }, eventLoopDelayMs: 0 };
  await call("/agent/v1/heartbeats", token, JSON.stringify(beat));
  return jobs;
}

async function send(): Promise<void> {
  for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
    const { answers } = await call<{ answers: ReportAnswer[] }>("/agent/v1/results", token, body);
    accepted += answers.filter(({ outcome }) => outcome === "accepted").length;
  }
}

function report(job: LeasedJob): AttemptReport {
  const total = 20 + Math.random() * 200;
  const phases = {
    wait: 0.1,
    dns: 1.2 + Math.random(),
    tcp: 3 + Math.random(),
    tls: 8 + Math.random(),
    firstByte: total - 20,
    download: 1.5,
  };
  const body = JSON.stringify({
    status: "ok",
    request: crypto.randomUUID(),
    items: Array.from({ length: 12 }, (_, n) => ({ id: n, name: `item ${n}`, price: Math.random() })),
  });
  return attemptReport({
    jobId: job.jobId,
    attempt: job.attempt,
    fence: job.fence,
    startedAt: job.leasedAt,
    stoppedAt: job.leasedAt + total,
    responseTimeMs: total,
    queuedMs: 3,
    loopDelayMs: 0.4,
    metrics: phases,
    detail: {
      assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", property: "", target: 200, regex: "" }],
      request: {
        method: "GET",
        url: "https://api.example.com/v1/orders?limit=12",
        data: "",
        headers: { accept: "*/*", "user-agent": "Outpost/0" },
        params: { limit: "12" },
      },
      response: {
        status: 200,
        statusText: "OK",
        body,
        truncated: false,
        bodyBytes: body.length,
        headers: {
          "content-type": "application/json",
          date: new Date().toUTCString(),
          "x-request-id": crypto.randomUUID(),
          server: "nginx",
          "cache-control": "no-store",
        },
        timings: { socket: 0.1, lookup: 1.3, connect: 4.4, secureConnect: 12.9, response: total - 1.5, end: total },
        timingPhases: { ...phases, total },
      },
      connection: { remoteAddress: "127.0.0.1", remotePort: 443, ipFamily: "IPv4", tls: null },
      redirects: [],
      requestError: null,
      jobLog: null,
      jobAssets: null,
      pcapDataUrl: null,
    },
  });
}
