import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import type { z } from "zod";
import {
  type AgentSession,
  type AgentSessionRequest,
  type AttemptReport,
  agentOperations,
  type ErrorEvent,
  type Heartbeat,
  type JobRef,
  type LeasedJob,
  type ReportAnswer,
  type tellProgress,
} from "../../src/contract/agent-protocol.ts";

type AgentOperation = (typeof agentOperations)[number];
export type AgentOperationId = AgentOperation["id"];

/** What goes wrong with one request. `swallow` and `cut` happen after the request had its effect, `freeze` and `answer` before. */
export type Fault =
  | { readonly kind: "swallow" }
  | { readonly kind: "cut" }
  | { readonly kind: "freeze" }
  | { readonly kind: "answer"; readonly status: number; readonly headers?: Record<string, string>; readonly body?: string };

export const htmlPage = (status: number): Fault => ({
  kind: "answer",
  status,
  headers: { "content-type": "text/html" },
  body: "<html><body>Please log in to the network</body></html>",
});

export interface SeenRequest {
  readonly operation: AgentOperationId | null;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: unknown;
  readonly atMs: number;
}

export interface JobOptions {
  readonly settings?: unknown;
  readonly checkType?: string;
  readonly retryStrategy?: LeasedJob["payload"]["retryStrategy"];
  readonly retriesElsewhere?: boolean;
  readonly failedAttempts?: number;
  readonly elapsedMs?: number;
  readonly attempt?: number;
  readonly queuedMs?: number;
}

/** A job that asks for `url`, with everything else at its default. */
export function fakeJob(url: string, options: JobOptions = {}): LeasedJob {
  return {
    jobId: randomUUID(),
    attempt: options.attempt ?? 1,
    fence: 1,
    leaseSeconds: 30,
    queuedMs: options.queuedMs ?? 0,
    leasedAt: Date.now(),
    payload: {
      accountId: randomUUID(),
      checkId: randomUUID(),
      checkName: "fake",
      checkType: options.checkType ?? "API",
      checkSessionId: randomUUID(),
      sequenceId: randomUUID(),
      checkRunId: Date.now(),
      runLocation: "fake-location",
      runtimeId: null,
      settings: options.settings ?? { request: { method: "GET", url }, degradedResponseTime: 5_000, maxResponseTime: 20_000 },
      retryStrategy: options.retryStrategy ?? null,
      retriesElsewhere: options.retriesElsewhere ?? false,
      failedAttempts: options.failedAttempts ?? 0,
      elapsedMs: options.elapsedMs ?? 0,
      proxyUrl: null,
    },
  };
}

/** The control plane's side of the agent protocol over real HTTP, in memory, with faults on demand. */
export class FakeControlPlane implements AsyncDisposable {
  readonly requests: SeenRequest[] = [];
  /** Reports stored, each once. */
  readonly reports: AttemptReport[] = [];
  readonly answers: ReportAnswer[] = [];
  readonly heartbeats: Heartbeat[] = [];
  readonly released: JobRef[] = [];
  readonly errorEvents: ErrorEvent[] = [];
  readonly progress: z.output<typeof tellProgress.body>[] = [];
  readonly introductions: AgentSessionRequest[] = [];
  keys: string[];
  session: Omit<AgentSession, "sessionToken" | "serverTime"> = {
    sessionSeconds: 3_600,
    heartbeatSeconds: 10,
    leaseSeconds: 30,
    pollWaitSeconds: 2,
    location: { id: "fake-location", name: "Fake" },
    limits: { resultBytes: 1_000_000, batchResults: 200, artifactBytes: 0 },
  };
  /** What the server says about its clock, beside the real time. */
  clockSkewMs = 0;
  readonly #tokens = new Set<string>();
  readonly #queue: LeasedJob[] = [];
  readonly #leased = new Map<string, LeasedJob>();
  readonly #stored = new Map<string, string>();
  readonly #ended = new Set<string>();
  readonly #lost = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #faults = new Map<AgentOperationId, Fault[]>();
  #standing = new Map<AgentOperationId, Fault>();
  #watchers: (() => void)[] = [];
  #isDraining = false;
  readonly #server = createServer((request, response) => {
    this.#serve(request, response).catch(() => response.destroy());
  });

  private constructor(key: string) {
    this.keys = [key];
  }

  static async start(port = 0, key = `pl_${"0".repeat(32)}`, host = "127.0.0.1"): Promise<FakeControlPlane> {
    const fake = new FakeControlPlane(key);
    fake.#server.listen(port, host);
    await once(fake.#server, "listening");
    return fake;
  }

  get url(): URL {
    const { address, port } = this.#server.address() as AddressInfo;
    return new URL(`http://${address}:${port}`);
  }

  get key(): string {
    return this.keys[0] ?? "";
  }

  enqueue(...jobs: readonly LeasedJob[]): void {
    this.#queue.push(...jobs);
    this.#changed();
  }

  /** The next heartbeat says that the job is somebody else's. */
  lose(jobId: string): void {
    this.#lost.add(jobId);
  }

  cancel(jobId: string): void {
    this.#cancelled.add(jobId);
  }

  /** A FINAL from elsewhere: later reports are superseded. */
  endElsewhere(jobId: string): void {
    this.#ended.add(jobId);
  }

  endSessions(): void {
    this.#tokens.clear();
  }

  /** The next requests of `operation` meet these faults, one each. */
  fail(operation: AgentOperationId, ...faults: readonly Fault[]): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), ...faults]);
  }

  /** Every request meets this fault until `heal`. */
  failAlways(fault: Fault, operations: readonly AgentOperationId[] = agentOperations.map(({ id }) => id)): void {
    this.#standing = new Map(operations.map((id) => [id, fault]));
  }

  heal(): void {
    this.#standing.clear();
    this.#faults.clear();
  }

  seen(operation: AgentOperationId): readonly SeenRequest[] {
    return this.requests.filter((request) => request.operation === operation);
  }

  /** Resolves once `condition` holds; asked again after each request. */
  async until(condition: () => boolean, limitMs = 10_000): Promise<void> {
    const endMs = performance.now() + limitMs;
    while (!condition()) {
      if (performance.now() > endMs) throw new Error(`not within ${limitMs} ms: ${condition.toString()}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, 50);
      this.#watchers.push(resolve);
      await promise;
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  #changed(): void {
    const woken = this.#watchers;
    this.#watchers = [];
    for (const wake of woken) wake();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const operation = agentOperations.find(({ path, method }) => path === request.url && method === request.method);
    const { authorization } = request.headers;
    this.requests.push({ operation: operation?.id ?? null, path: request.url ?? "", authorization, body, atMs: performance.now() });
    if (operation === undefined) return reply(response, 404, { message: "Not Found" });
    const fault = this.#faultOf(operation.id);
    if (fault?.kind === "freeze" || fault?.kind === "answer") spoil(response, fault);
    else await this.#respond(operation, body, request, response, fault);
    this.#changed();
  }

  #faultOf(operation: AgentOperationId): Fault | undefined {
    return this.#faults.get(operation)?.shift() ?? this.#standing.get(operation);
  }

  async #respond(
    operation: AgentOperation,
    body: unknown,
    request: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<void> {
    const bearer = (request.headers.authorization ?? "").replace("Bearer ", "");
    const isAllowed = operation.id === "openAgentSession" ? this.keys.includes(bearer) : this.#tokens.has(bearer);
    const [status, answer] = isAllowed ? await this.#answer(operation, body, request) : [401, { message: "Bad Token" }];
    if (fault?.kind === "swallow") response.destroy();
    else if (fault?.kind === "cut") cut(response, JSON.stringify(answer));
    else reply(response, status, answer);
  }

  async #answer(operation: AgentOperation, body: unknown, request: IncomingMessage): Promise<[number, unknown]> {
    const parsed = (operation.body as z.ZodType).safeParse(body);
    if (!parsed.success) return [400, { message: parsed.error.message }];
    switch (operation.id) {
      case "openAgentSession":
        return [201, this.#open(parsed.data as AgentSessionRequest)];
      case "leaseJobs":
        return [200, { jobs: await this.#lease(parsed.data as { max: number; waitSeconds: number }, request) }];
      case "heartbeat":
        return [200, this.#beat(parsed.data as Heartbeat)];
      case "reportAttempt":
        return [200, this.#store(parsed.data as AttemptReport)];
      case "reportAttempts":
        return [200, { answers: (parsed.data as { reports: AttemptReport[] }).reports.map((report) => this.#store(report)) }];
      case "releaseJobs":
        return [200, { released: this.#release((parsed.data as { jobs: JobRef[] }).jobs) }];
      case "tellProgress":
        this.progress.push(parsed.data as z.output<typeof tellProgress.body>);
        return [204, undefined];
      case "reportErrorEvents":
        this.errorEvents.push(...(parsed.data as { events: ErrorEvent[] }).events);
        return [204, undefined];
    }
  }

  #open(introduction: AgentSessionRequest): AgentSession {
    this.introductions.push(introduction);
    const sessionToken = randomUUID();
    this.#tokens.add(sessionToken);
    return { ...this.session, sessionToken, serverTime: new Date(Date.now() + this.clockSkewMs).toISOString() };
  }

  async #lease({ max, waitSeconds }: { max: number; waitSeconds: number }, request: IncomingMessage): Promise<LeasedJob[]> {
    const endMs = performance.now() + waitSeconds * 1000;
    while (this.#queue.length === 0 && performance.now() < endMs && !this.#isDraining && !request.socket.destroyed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, Math.max(1, endMs - performance.now()));
      this.#watchers.push(resolve);
      await promise;
      clearTimeout(timer);
    }
    const jobs = this.#queue.splice(0, max).map((job) => ({ ...job, leasedAt: Date.now() + this.clockSkewMs }));
    for (const job of jobs) this.#leased.set(job.jobId, job);
    return jobs;
  }

  #beat(beat: Heartbeat): unknown {
    this.heartbeats.push(beat);
    if (beat.state === "draining") this.#isDraining = true;
    const ids = beat.running.map(({ jobId }) => jobId);
    const lost = ids.filter((id) => this.#lost.has(id));
    const cancel = ids.filter((id) => this.#cancelled.has(id));
    return { extended: ids.filter((id) => !lost.includes(id) && !cancel.includes(id)), lost, cancel };
  }

  #store(report: AttemptReport): ReportAnswer {
    const key = `${report.jobId}:${report.attempt}`;
    const text = JSON.stringify(report);
    const before = this.#stored.get(key);
    const answer = { jobId: report.jobId, attempt: report.attempt, outcome: this.#outcome(report, before, text) } as const;
    this.answers.push(answer);
    if (answer.outcome !== "accepted") return answer;
    this.#stored.set(key, text);
    this.reports.push(report);
    if (report.resultType === "FINAL") this.#ended.add(report.jobId);
    return answer;
  }

  #outcome(report: AttemptReport, before: string | undefined, text: string): ReportAnswer["outcome"] {
    if (before !== undefined) return before === text ? "duplicate" : "conflict";
    return this.#ended.has(report.jobId) ? "superseded" : "accepted";
  }

  #release(jobs: readonly JobRef[]): string[] {
    this.released.push(...jobs);
    for (const { jobId } of jobs) this.#leased.delete(jobId);
    return jobs.map(({ jobId }) => jobId);
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw).toString();
  return text === "" ? undefined : JSON.parse(text);
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (body === undefined) response.writeHead(status).end();
  else response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function spoil(response: ServerResponse, fault: Extract<Fault, { kind: "answer" | "freeze" }>): void {
  if (fault.kind === "answer") response.writeHead(fault.status, fault.headers).end(fault.body ?? "");
}

/** Announces the whole body and sends half of it. */
function cut(response: ServerResponse, text: string): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.write(text.slice(0, Math.floor(text.length / 2)), () => response.destroy());
}
