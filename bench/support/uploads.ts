import { Pool } from "undici";
import type { AttemptReport, LeasedJob, ReportAnswer } from "../../src/contract/agent-protocol.ts";
import type { AgentSessionRow, CheckRow, Storage } from "../../src/control-plane/storage/storage.ts";
import { uuidFrom } from "../../src/domain/ids.ts";
import { attemptReport } from "../../test/support/attempt-report.ts";

/** Runs of an account's checks, one after the other, that wait for an agent. */
export async function startRuns({ schedule }: Storage, checks: readonly CheckRow[], total: number): Promise<void> {
  const runs = Array.from({ length: total }, (_, n) => {
    const check = checks[n % checks.length];
    if (check === undefined) throw new Error("no check");
    const { id: checkId, accountId, locationIds } = check;
    return { accountId, checkId, runAtMs: Date.now(), source: "TRIGGER_API", locationIds };
  });
  for (let n = 0; n < runs.length; n += 1_000) await schedule.startRuns(runs.slice(n, n + 1_000));
}

/** The same without HTTP: reports of everything that waits at a location, ready to be handed to the store. */
export async function leaseInStore(
  { agents, jobs }: Storage,
  { accountId, locationIds: [locationId = 0] }: CheckRow,
  total: number,
): Promise<{ readonly agent: AgentSessionRow; readonly reports: AttemptReport[] }> {
  const introduction = { agentId: crypto.randomUUID(), name: "bench", version: "0", checkTypes: ["API"], runtimes: [], sandboxLevel: 0 };
  const session = { tokenHash: crypto.randomUUID(), accountId, locationId, keyId: "bench", capabilities: {} };
  const nowMs = Date.now();
  const agent = await agents.open({ ...introduction, ...session, nowMs, expiresAtMs: nowMs + 3_600_000 });
  const details = Array.from({ length: 500 }, (_, index) => apiDetail(100 + index, {}));
  const reports: AttemptReport[] = [];
  const request = { agentSession: agent.id, locationId, checkTypes: ["API"], runtimes: [], max: 1_000, nowMs, leaseMs: 3_600_000 };
  while (reports.length < total) {
    const leased = await jobs.lease(request);
    if (leased.length === 0) break;
    for (const { no, runAtMs, attempt, fence } of leased) {
      const jobId = uuidFrom(2, runAtMs, no);
      reports.push({ ...report({ jobId, attempt, fence, leasedAt: nowMs }), detail: details[no % details.length] });
    }
  }
  return { agent, reports };
}

/** An agent that leases everything first and then uploads it as fast as the control plane takes it. */
export class Uploads {
  readonly #pool: Pool;
  readonly #connections: number;
  readonly #token: string;
  readonly #bodies: string[] = [];

  static async open(url: string, locationKey: string, connections: number): Promise<Uploads> {
    const pool = new Pool(url, { connections });
    const introduction = { agentId: crypto.randomUUID(), version: "0", protocol: 1, checkTypes: ["API"] };
    const { sessionToken } = await call<{ sessionToken: string }>(pool, "/agent/v1/sessions", locationKey, JSON.stringify(introduction));
    return new Uploads(pool, connections, sessionToken);
  }

  private constructor(pool: Pool, connections: number, token: string) {
    this.#pool = pool;
    this.#connections = connections;
    this.#token = token;
  }

  /** @returns how many results wait to be sent, and their mean size */
  async lease(total: number, batch: number): Promise<{ readonly count: number; readonly bytes: number }> {
    const jobs = await this.leaseJobs(total);
    for (let n = 0; n < jobs.length; n += batch) this.#bodies.push(JSON.stringify({ reports: jobs.slice(n, n + batch).map(report) }));
    return { count: jobs.length, bytes: this.#bodies.reduce((sum, body) => sum + body.length, 0) / jobs.length };
  }

  /** What waits, in the order in which it was started. */
  async leaseJobs(total: number): Promise<readonly LeasedJob[]> {
    const leased: LeasedJob[] = [];
    while (leased.length < total) {
      const { jobs } = await this.#call<{ jobs: LeasedJob[] }>("/agent/v1/jobs/lease", JSON.stringify({ max: 1_000, waitSeconds: 0 }));
      if (jobs.length === 0) break;
      const running = jobs.map(({ jobId, fence }) => ({ jobId, fence }));
      const beat = { running, state: "running", outbox: { depth: 0, oldestSeconds: 0 }, eventLoopDelayMs: 0 };
      await this.#call("/agent/v1/heartbeats", JSON.stringify(beat));
      leased.push(...jobs);
    }
    return leased;
  }

  /** One upload, now. @param changes what differs from a run that passed */
  async upload(jobs: readonly LeasedJob[], changes: (job: LeasedJob) => Partial<AttemptReport>): Promise<void> {
    const reports = jobs.map((job) => ({ ...report(job), ...changes(job) }));
    const { answers } = await this.#call<{ answers: ReportAnswer[] }>("/agent/v1/results", JSON.stringify({ reports }));
    const refused = answers.find(({ outcome }) => outcome !== "accepted");
    if (refused) throw new Error(`a report was answered ${refused.outcome}: ${refused.message}`);
  }

  /** Goes on as an agent does: takes what is due, runs it in no time, uploads it. @returns results uploaded */
  async work(signal: AbortSignal, changes: (job: LeasedJob) => Partial<AttemptReport>): Promise<number> {
    let uploaded = 0;
    while (!signal.aborted) {
      const { jobs } = await this.#call<{ jobs: LeasedJob[] }>("/agent/v1/jobs/lease", JSON.stringify({ max: 100, waitSeconds: 1 }));
      if (jobs.length > 0) await this.upload(jobs, changes);
      uploaded += jobs.length;
    }
    return uploaded;
  }

  /** @returns how many were accepted */
  async send(): Promise<number> {
    let accepted = 0;
    const lane = async (): Promise<void> => {
      for (let body = this.#bodies.pop(); body !== undefined; body = this.#bodies.pop()) {
        const { answers } = await this.#call<{ answers: ReportAnswer[] }>("/agent/v1/results", body);
        accepted += answers.filter(({ outcome }) => outcome === "accepted").length;
      }
    };
    await Promise.all(Array.from({ length: this.#connections }, lane));
    return accepted;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #call<T>(path: string, body: string): Promise<T> {
    return call(this.#pool, path, this.#token, body);
  }
}

async function call<T>(pool: Pool, path: string, bearer: string, body: string): Promise<T> {
  const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
  const answer = await pool.request({ method: "POST", path, headers, body });
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${await answer.body.text()}`);
  return (await answer.body.json()) as T;
}

function report(job: Pick<LeasedJob, "jobId" | "attempt" | "fence" | "leasedAt">): AttemptReport {
  const total = 20 + Math.random() * 200;
  const phases = {
    wait: 0.1,
    dns: 1.2 + Math.random(),
    tcp: 3 + Math.random(),
    tls: 8 + Math.random(),
    firstByte: total - 20,
    download: 1.5,
  };
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
    detail: apiDetail(total, phases),
  });
}

/** About 1.5 KB of JSON, as an API check brings. */
export function apiDetail(total: number, phases: Readonly<Record<string, number>>): unknown {
  const body = JSON.stringify({
    status: "ok",
    request: crypto.randomUUID(),
    items: Array.from({ length: 12 }, (_, n) => ({ id: n, name: `item ${n}`, price: Math.random() })),
  });
  return {
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
  };
}
