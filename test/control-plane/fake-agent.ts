import type { AgentSession, AttemptReport, LeasedJob, ReportAnswer } from "#contract/agent-protocol.ts";
import { isCheckType } from "#contract/checks/index.ts";
import { attemptReport } from "../support/attempt-report.ts";
import { checkDetails, checkMetrics } from "../support/check-details.ts";
import { type Answer, call } from "./call.ts";

/** An agent that does by hand what the protocol asks for. */
export class FakeAgent {
  readonly #base: string;
  readonly session: AgentSession;

  private constructor(base: string, session: AgentSession) {
    this.#base = base;
    this.session = session;
  }

  static hello(base: string, key: string, changes: object = {}): Promise<Answer> {
    const body = { agentId: crypto.randomUUID(), name: "fake", version: "1.0.0", protocol: 1, checkTypes: ["API"], ...changes };
    return call(base, "POST", "/agent/v1/sessions", { key, body });
  }

  static async open(base: string, key: string, changes: object = {}): Promise<FakeAgent> {
    const answer = await FakeAgent.hello(base, key, changes);
    if (answer.status !== 201) throw new Error(`no session: ${answer.text}`);
    return new FakeAgent(base, answer.body);
  }

  send(method: string, path: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
    return call(this.#base, method, `/agent/v1${path}`, { key: this.session.sessionToken, body, ...(signal !== undefined && { signal }) });
  }

  async lease(max = 10, waitSeconds = 0, signal?: AbortSignal): Promise<LeasedJob[]> {
    return (await this.send("POST", "/jobs/lease", { max, waitSeconds }, signal)).body.jobs;
  }

  async heartbeat(jobs: readonly { jobId: string; fence: number }[]): Promise<{ extended: string[]; lost: string[]; cancel: string[] }> {
    const running = jobs.map(({ jobId, fence }) => ({ jobId, fence }));
    const outbox = { depth: 0, oldestSeconds: 0 };
    return (await this.send("POST", "/heartbeats", { running, state: "running", outbox, eventLoopDelayMs: 1 })).body;
  }

  async report(...reports: readonly unknown[]): Promise<ReportAnswer[]> {
    return (await this.send("POST", "/results", { reports })).body.answers;
  }

  put(report: AttemptReport): Promise<Answer> {
    return this.send("PUT", `/jobs/${report.jobId}/attempts/${report.attempt}/result`, report);
  }

  async release(...jobs: readonly { jobId: string; fence: number }[]): Promise<string[]> {
    return (await this.send("POST", "/jobs/release", { jobs: jobs.map(({ jobId, fence }) => ({ jobId, fence })) })).body.released;
  }
}

/** What an agent reports of a job that it ran, with a detail of the job's check type. */
export function reportOf(job: LeasedJob, changes: Partial<AttemptReport> = {}): AttemptReport {
  const { checkType } = job.payload;
  if (!isCheckType(checkType)) throw new Error(`no such check type: ${checkType}`);
  return attemptReport({
    jobId: job.jobId,
    attempt: job.attempt,
    fence: job.fence,
    checkType,
    startedAt: job.leasedAt,
    stoppedAt: job.leasedAt + 12.5,
    responseTimeMs: 12.5,
    queuedMs: job.queuedMs,
    loopDelayMs: 0.4,
    metrics: checkMetrics[checkType],
    detail: checkDetails[checkType],
    ...changes,
  });
}
