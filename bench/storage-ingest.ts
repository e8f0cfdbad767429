import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import type { AttemptReport } from "#contract/agent-protocol.ts";
import { uuidFrom } from "#domain/ids.ts";
import { planFiring } from "../src/control-plane/scheduler/plan-firing.ts";
import { distribute } from "../src/control-plane/storage/citus/distribute.ts";
import { packText } from "../src/control-plane/storage/details/compression.ts";
import { sampleText } from "../src/control-plane/storage/details/sample-results.ts";
import { migrateStore } from "../src/control-plane/storage/migrate-store.ts";
import { openStorage } from "../src/control-plane/storage/open-storage.ts";
import type { LeasedJobRow, Storage } from "../src/control-plane/storage/storage.ts";
import { attemptReport } from "../test/support/attempt-report.ts";
import { startCitus } from "../test/support/citus.ts";
import { startPostgres, type TestPostgres } from "../test/support/postgres.ts";
import { measureCommits, serverSeconds, storedBytes } from "./support/citus-figures.ts";

/*
 * Results per second that each engine takes in isolation, through `results.ingest` (rules, statuses, sessions, compression, jobs
 * ended), beside a bare loop of prepared inserts of the same rows. Run: node --conditions=source bench/storage-ingest.ts [results] [engines]
 */

const total = Number(process.argv[2] ?? 40_000);
const locations = 20;
/** Each runs once: a run of the schedule waits for the one before it. */
const checks = Math.ceil(total / locations);
const batch = 200;
const callers = 4;
const t0 = Date.UTC(2026, 10, 20, 12);
const steadyRate = 200;
const steadySeconds = 10;
/** Of sqlite, postgres and citus; all, unless told otherwise. */
const engines = process.argv[3] ?? "sqlite,postgres,citus";
const print = (text: string): boolean => process.stdout.write(`${text}\n`);

// Made once, so that the heap of this program does not become what is measured.
const details = Array.from({ length: 1_000 }, (_, index) => detail(index));
const bare = bareLoop();
print(`bare loop, node:sqlite, compression included: ${Math.round(bare)} results/s`);
for (const synchronous of engines.includes("sqlite") ? (["full", "normal"] as const) : []) {
  await measured(`sqlite, synchronous ${synchronous}`, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "outpost-bench-"));
    return { storage: await openStorage({ dataDir, synchronous, nowMs: t0 }), clean: async () => rmSync(dataDir, { recursive: true }) };
  });
}
const server = engines.includes("postgres") ? await startPostgres({ own: true }) : undefined;
if (server) {
  const databaseUrl = await server.database("bench");
  await measured("postgres", () => opened("pg_total_relation_size", databaseUrl), { server: [server] });
  await server[Symbol.asyncDispose]();
}

const cluster = engines.includes("citus") ? await startCitus({ own: true, shards: 32 }) : undefined;
if (cluster) {
  const databaseUrl = await cluster.database("bench");
  await migrateStore({ databaseUrl, dataDir: "unused", nowMs: t0 });
  await distribute(databaseUrl, () => undefined);
  const servers = { coordinator: [cluster.coordinator], workers: cluster.workers };
  await measured("citus", () => opened("citus_total_relation_size", databaseUrl), servers);
  print(await measureCommits(databaseUrl, batch, t0));
  await cluster[Symbol.asyncDispose]();
}

async function measured(
  name: string,
  open: () => Promise<{ storage: Storage; clean: () => Promise<void> }>,
  servers: Servers = {},
): Promise<void> {
  const { storage, clean } = await open();
  const { work, firedMs, leasedMs } = await prepare(storage);
  const cpu = process.cpuUsage();
  const before = Object.entries(servers).map(([of, list]) => [of, list, seconds(list)] as const);
  const from = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let next = work.pop(); next; next = work.pop()) await storage.results.ingest(next.agent, next.reports, t0 + 3_600_000);
    }),
  );
  const perSecond = total / ((performance.now() - from) / 1_000);
  const { user, system } = process.cpuUsage(cpu);
  print(
    `${name}: ${Math.round(perSecond)} results/s, ${(perSecond / bare).toFixed(2)} of the bare loop, ${((user + system) / total).toFixed(0)} µs of processor each`,
  );
  const ofServers = before.map(([of, list, taken]) => `${of} ${(((seconds(list) - taken) * 1_000_000) / total).toFixed(0)} µs`);
  if (ofServers.length > 0) print(`${name}: of the servers ${ofServers.join(", ")} of processor each`);
  await atSteadyRate(name, storage, await prepare(storage));
  print(`${name}: fired ${Math.round(total / (firedMs / 1_000))} jobs/s, leased ${Math.round(total / (leasedMs / 1_000))} jobs/s`);
  await storage.close();
  await clean();
}

/** Of a database with its schema; in the end it tells how much it grew, since empty tables of days take some, too. */
async function opened(
  size: Parameters<typeof storedBytes>[1],
  databaseUrl: string,
): Promise<{ storage: Storage; clean: () => Promise<void> }> {
  const storage = await openStorage({ databaseUrl, dataDir: "unused", nowMs: t0 });
  const before = await storedBytes(databaseUrl, size);
  const clean = async (): Promise<void> => {
    const bytes = (await storedBytes(databaseUrl, size)) - before;
    print(`${(bytes / (total + steadyRate * steadySeconds)).toFixed(0)} bytes a result, with its detail and its indexes`);
  };
  return { storage, clean };
}

type Servers = Readonly<Record<string, readonly (Pick<TestPostgres, "pid"> | undefined)[]>>;

function seconds(servers: Servers[string]): number {
  return servers.reduce((sum, server) => sum + serverSeconds(server), 0);
}

/** Single reports at a fixed rate, as light checks bring them: each is a transaction of its own. */
async function atSteadyRate(name: string, storage: Storage, { work }: Awaited<ReturnType<typeof prepare>>): Promise<void> {
  const single = work
    .flatMap(({ agent, reports }) => reports.map((one) => ({ agent, reports: [one] })))
    .slice(0, steadyRate * steadySeconds);
  const cpu = process.cpuUsage();
  const from = performance.now();
  const tookMs = await Promise.all(
    single.map(async ({ agent, reports }, index) => {
      await sleep((index * 1_000) / steadyRate);
      const sentMs = performance.now();
      await storage.results.ingest(agent, reports, t0 + 3_600_000);
      return performance.now() - sentMs;
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  const inOrder = tookMs.toSorted((a, b) => a - b);
  const at = (share: number): string => (inOrder[Math.floor(share * inOrder.length)] ?? 0).toFixed(1);
  const rate = single.length / ((performance.now() - from) / 1_000);
  print(
    `${name}, one at a time: ${rate.toFixed(0)} results/s, p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, ${((user + system) / single.length).toFixed(0)} µs of processor each`,
  );
}

async function prepare(storage: Storage) {
  const account = await storage.accounts.create({ uuid: randomUUID(), name: "bench", runtimeId: "2026.04", nowMs: t0 });
  const places = [];
  for (let index = 0; index < locations; index += 1) {
    places.push(
      await storage.locations.create({
        accountId: account.id,
        uuid: randomUUID(),
        code: `l${index}`,
        name: "l",
        icon: "x",
        proxyUrl: null,
        nowMs: t0,
      }),
    );
  }
  const locationIds = places.map((place) => place.id);
  const definition = { name: "bench", activated: true, muted: false, tags: [], frequency: 1, frequencyOffset: 1, runParallel: true };
  for (let index = 0; index < checks; index += 1) {
    await storage.checks.create({
      uuid: randomUUID(),
      accountId: account.id,
      type: "API",
      definition,
      locationIds,
      schedule: { periodMs: 60_000, phaseMs: 0, nextDueMs: t0 },
      nowMs: t0,
    });
  }
  let from = performance.now();
  while ((await storage.schedule.fireDue(t0, 500, (due) => planFiring(due, t0))) > 0);
  const firedMs = performance.now() - from;
  const work = [];
  from = performance.now();
  let leasedMs = 0;
  for (const place of places) {
    const agent = await storage.agents.open({
      tokenHash: randomUUID(),
      agentId: randomUUID(),
      locationId: place.id,
      accountId: account.id,
      keyId: "bench",
      name: "bench",
      version: "1",
      checkTypes: ["API"],
      runtimes: [],
      sandboxLevel: 0,
      capabilities: {},
      nowMs: t0,
      expiresAtMs: t0 + 1e9,
    });
    for (;;) {
      from = performance.now();
      const jobs = await storage.jobs.lease({
        agentSession: agent.id,
        locationId: place.id,
        checkTypes: ["API"],
        runtimes: [],
        max: batch,
        nowMs: t0,
        leaseMs: 30_000,
      });
      leasedMs += performance.now() - from;
      if (jobs.length === 0) break;
      work.push({ agent, reports: jobs.map((job, index) => report(job, index)) });
    }
  }
  return { work, firedMs, leasedMs };
}

function report(job: LeasedJobRow, index: number): AttemptReport {
  return attemptReport({
    jobId: uuidFrom(2, job.runAtMs, job.no),
    fence: job.fence,
    startedAt: job.runAtMs + index,
    stoppedAt: job.runAtMs + index + 100,
    responseTimeMs: 100.5,
    queuedMs: 10,
    loopDelayMs: 1,
    metrics: { wait: 0.1, dns: 1, tcp: 2, tls: 3, firstByte: 50, download: 3 },
    detail: details[index % details.length],
  });
}

/** About 2.6 KB of JSON, as an API check brings. */
function detail(index: number): unknown {
  const items = Array.from({ length: 12 }, (_, item) => ({
    id: (index * 7_919 + item) % 100_000,
    name: `item-${(index * 31 + item) % 997}`,
    price: ((index + item) % 1_000) / 10,
    active: item % 2 === 0,
  }));
  return {
    assertions: [{ source: "STATUS_CODE", comparison: "EQUALS", property: "", target: 200, regex: "" }],
    request: {
      method: "GET",
      url: `https://api-${index % 100}.example.com/v1/items`,
      data: "",
      headers: { "user-agent": "Outpost/0.1.0", traceparent: randomUUID() },
      params: {},
    },
    response: {
      status: 200,
      statusText: "OK",
      body: JSON.stringify({ requestId: randomUUID(), items }),
      truncated: false,
      bodyBytes: 900,
      headers: {
        "content-type": "application/json; charset=utf-8",
        "x-request-id": randomUUID(),
        etag: `W/"${randomUUID()}"`,
        "cache-control": "no-store",
        server: "nginx",
      },
      timings: { socket: 0.1, lookup: 1, connect: 2, secureConnect: 3, response: 50, end: 100 },
      timingPhases: { wait: 0.1, dns: 1, tcp: 2, tls: 3, firstByte: 50, download: 3, total: 100 },
    },
    connection: {
      remoteAddress: "192.0.2.7",
      remotePort: 443,
      ipFamily: "IPv4",
      tls: {
        protocol: "TLSv1.3",
        cipher: "TLS_AES_128_GCM_SHA256",
        authorized: true,
        trustError: null,
        validTo: "2027-01-01T00:00:00.000Z",
        daysRemaining: 42,
      },
    },
    redirects: [],
    requestError: null,
    jobLog: {
      setup: [],
      request: [{ time: t0 + index, msg: `Sending GET request to https://api-${index % 100}.example.com`, level: "DEBUG" }],
      teardown: [],
    },
    jobAssets: null,
    pcapDataUrl: null,
  };
}

/** The same two tables, the same bytes, nothing else: one thread packs and inserts. */
function bareLoop(): number {
  const folder = mkdtempSync(join(tmpdir(), "outpost-bench-"));
  const db = new DatabaseSync(join(folder, "bare.db"));
  db.exec(`pragma page_size = 8192; pragma journal_mode = wal; pragma synchronous = normal; create table results (${Array.from({ length: 20 }, (_, index) => `c${index} integer`).join(", ")},
    primary key (c0, c1, c2)) without rowid; create table details (id integer primary key, body blob not null)`);
  const row = db.prepare(`insert into results values (${Array.from({ length: 20 }, () => "?").join(", ")})`);
  const body = db.prepare("insert into details values (?, ?)");
  const dictionary = Buffer.from(sampleText());
  const texts = details.map((one) => JSON.stringify({ errorMessage: null, detail: one }));
  const from = performance.now();
  for (let index = 0; index < total; index += 1) {
    if (index % batch === 0) db.exec("begin immediate");
    row.run(index % checks, t0 + index, index, ...Array.from({ length: 17 }, () => 100_000));
    body.run(index, packText(texts[index % texts.length] ?? "", dictionary));
    if (index % batch === batch - 1) db.exec("commit");
  }
  const perSecond = total / ((performance.now() - from) / 1_000);
  db.close();
  rmSync(folder, { recursive: true });
  return perSecond;
}
