import { randomBytes } from "node:crypto";
import { z } from "zod";
import { artifactLimitBytes } from "#contract/agent-artifacts.ts";
import {
  AttemptReport,
  heartbeat,
  type JobRef,
  leaseJobs,
  oldestProtocolVersion,
  openAgentSession,
  protocolVersion,
  type ReportAnswer,
  releaseJobs,
  reportAttempt,
  reportAttempts,
  reportErrorEvents,
  tellProgress,
} from "#contract/agent-protocol.ts";
import { checkTypes, isCheckType } from "#contract/checks/index.ts";
import type { Logger } from "#daemon/logger.ts";
import { AppError } from "#domain/app-error.ts";
import { newKey } from "#domain/key.ts";
import { type Handler, handler } from "../http/handler.ts";
import { jobNoOf } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import type { AgentSessionRow, AgentStore, JobRefRow, JobStore, ResultStore } from "../storage/storage.ts";
import type { Admit } from "./admit-agent.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { ErrorEventSink } from "./error-events.ts";
import { acceptedEvidence } from "./evidence.ts";
import type { PayloadBuilder } from "./payload.ts";
import type { RunSpans, TracedReport } from "./run-spans.ts";

export interface AgentHandlerDeps {
  readonly agents: Pick<AgentStore, "open" | "seen">;
  readonly admit: Admit;
  readonly jobs: Pick<JobStore, "extend" | "release" | "tell">;
  readonly results: Pick<ResultStore, "ingest">;
  readonly dispatcher: Pick<Dispatcher, "poll" | "endPolls" | "handBack">;
  readonly payloads: PayloadBuilder;
  readonly errorEvents: ErrorEventSink;
  readonly hashOf: (secret: string) => string;
  readonly nowMs: () => number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  readonly pollWaitMs: number;
  readonly keepsArtifacts: boolean;
  /** Null: nobody is told of traces. */
  readonly runSpans?: RunSpans | null;
  readonly log: Logger;
  readonly countReports: (outcome: ReportAnswer["outcome"], count: number) => void;
  readonly countLeases: (count: number) => void;
}

const sessionSeconds = 3600;
const limits = { resultBytes: 1_048_576, batchResults: 1000, artifactBytes: artifactLimitBytes };

/** The control plane's side of the agent protocol. */
export function agentHandlers(deps: AgentHandlerDeps): readonly Handler[] {
  return [
    sessionHandler(deps),
    leaseHandler(deps),
    heartbeatHandler(deps),
    ...reportHandlers(deps),
    progressHandler(deps),
    releaseHandler(deps),
    errorEventHandler(deps),
  ];
}

function sessionHandler({ agents, admit, hashOf, nowMs, leaseMs, heartbeatMs, pollWaitMs, keepsArtifacts }: AgentHandlerDeps): Handler {
  return handler(openAgentSession, async ({ body }, { caller, request }) => {
    const { key, location } = caller;
    if (body.protocol < oldestProtocolVersion || body.protocol > protocolVersion) {
      throw new AppError(
        "upgrade_required",
        `Protocol ${body.protocol} is not served; served: ${oldestProtocolVersion} to ${protocolVersion}`,
        {
          attributes: { oldest: oldestProtocolVersion, newest: protocolVersion },
        },
      );
    }
    const sessionToken = newKey("session", randomBytes);
    const now = nowMs();
    const { protocol: _served, proof: _hashed, ...told } = body;
    const session = {
      ...told,
      tokenHash: hashOf(sessionToken),
      locationId: location.id,
      accountId: location.accountId,
      keyId: key.id,
      nowMs: now,
      expiresAtMs: now + sessionSeconds * 1000,
    };
    await admit(caller, body, request, (claim) => agents.open({ ...session, ...claim }));
    return {
      sessionToken,
      sessionSeconds,
      heartbeatSeconds: heartbeatMs / 1000,
      leaseSeconds: leaseMs / 1000,
      pollWaitSeconds: pollWaitMs / 1000,
      location: { id: location.code, name: location.name },
      limits: keepsArtifacts ? limits : { ...limits, artifactBytes: 0 },
      serverTime: instant(now),
    };
  });
}

function leaseHandler({ dispatcher, payloads, pollWaitMs, countLeases }: AgentHandlerDeps): Handler {
  return handler(leaseJobs, async ({ body: { max, waitSeconds, ...wanted } }, { caller: { agent }, signal, onUndelivered }) => {
    const rows = await dispatcher.poll({ agent: narrowed(agent, wanted), max, waitMs: Math.min(waitSeconds * 1000, pollWaitMs), signal });
    if (rows.length === 0) return { jobs: [] };
    onUndelivered(() => dispatcher.handBack(agent, rows));
    countLeases(rows.length);
    const { answer, rest } = await payloads.leaseAnswer(rows);
    dispatcher.handBack(agent, rest);
    return answer;
  });
}

/** An agent as one of its polls wants to be seen. */
function narrowed(
  agent: AgentSessionRow,
  { checkTypes, runtimes }: Omit<z.output<typeof leaseJobs.body>, "max" | "waitSeconds">,
): AgentSessionRow {
  if (checkTypes === undefined) return agent;
  return { ...agent, checkTypes: agent.checkTypes.filter((type) => checkTypes.includes(type)), runtimes: runtimes ?? agent.runtimes };
}

function heartbeatHandler({ agents, jobs, dispatcher, nowMs, leaseMs }: AgentHandlerDeps): Handler {
  return handler(heartbeat, async ({ body }, { caller: { agent } }) => {
    const now = nowMs();
    const { state, outbox, eventLoopDelayMs, clockAheadMs = null } = body;
    if (state === "draining") dispatcher.endPolls(agent);
    const { refs, unknown, idOf } = jobRefs(body.running);
    const [told] = await Promise.all([
      refs.length === 0 ? { extended: [], lost: [], cancel: [] } : jobs.extend(agent.id, refs, now, leaseMs),
      agents.seen(agent.id, { nowMs: now, state, outboxDepth: outbox.depth, eventLoopDelayMs, clockAheadMs }),
    ]);
    return { extended: told.extended.map(idOf), lost: [...told.lost.map(idOf), ...unknown], cancel: told.cancel.map(idOf) };
  });
}

function progressHandler({ jobs }: AgentHandlerDeps): Handler {
  return handler(tellProgress, async ({ body: { jobId, fence, progress } }, { caller: { agent } }) => {
    const no = jobNoOf(jobId);
    if (no !== undefined) await jobs.tell(agent.id, { no, fence }, JSON.stringify(progress));
    return undefined;
  });
}

function releaseHandler({ jobs, nowMs }: AgentHandlerDeps): Handler {
  return handler(releaseJobs, async ({ body }, { caller: { agent } }) => {
    const { refs, idOf } = jobRefs(body.jobs);
    const released = refs.length === 0 ? [] : await jobs.release(agent.id, refs, nowMs());
    return { released: released.map(idOf) };
  });
}

function errorEventHandler({ errorEvents }: AgentHandlerDeps): Handler {
  return handler(reportErrorEvents, async ({ body }, { caller: { agent } }) => {
    await errorEvents(agent, body.events);
    return undefined;
  });
}

function reportHandlers(deps: AgentHandlerDeps): readonly Handler[] {
  // Entries are parsed one by one: a report that we cannot read must not hold up the others in the agent's outbox.
  const batch = { ...reportAttempts, body: z.object({ reports: z.array(z.unknown()).max(limits.batchResults) }) } as const;
  const single = { ...reportAttempt, body: Report } as const;
  return [
    handler(batch, async ({ body }, { caller: { agent } }) => ({ answers: await ingest(deps, agent, body.reports) })),
    handler(single, async ({ params, body }, { caller: { agent } }) => {
      if (params.jobId !== body.jobId || params.attempt !== body.attempt) {
        throw new AppError("invalid_input", "jobId and attempt of the address and of the body differ");
      }
      const [answer] = await ingest(deps, agent, [body]);
      if (answer === undefined) throw new Error("a report was not answered");
      if (answer.outcome === "rejected") throw new AppError("invalid_input", answer.message ?? "The report was rejected");
      if (answer.outcome === "conflict" || answer.outcome === "superseded") {
        throw new AppError("conflict", answer.message ?? answer.outcome, { attributes: { outcome: answer.outcome } });
      }
      return answer;
    }),
  ];
}

/** @param reports emptied: what waits for the store is its own copy, and the collector of garbage need not carry both */
async function ingest(deps: AgentHandlerDeps, agent: AgentSessionRow, reports: unknown[]): Promise<ReportAnswer[]> {
  const refused = new Map<number, ReportAnswer>();
  const count = reports.length;
  const traced: TracedReport[] = [];
  const beganMs = deps.nowMs();
  const answered = await deps.results.ingest(agent, readable(deps.log, reports, refused, traced), beganMs);
  deps.runSpans?.stored(traced, beganMs, deps.nowMs());
  const accepted = answered.values();
  const answers = Array.from({ length: count }, (_, index) => refused.get(index) ?? (accepted.next().value as ReportAnswer));
  for (const [outcome, some] of Map.groupBy(answers, (answer) => answer.outcome)) deps.countReports(outcome, some.length);
  return answers;
}

/** One by one, so that each is garbage before the next is read. @param refused gets the answers of the others, by their places @param traced what their traces are */
function* readable(log: Logger, reports: unknown[], refused: Map<number, ReportAnswer>, traced: TracedReport[]): Generator<AttemptReport> {
  for (const [index, report] of reports.entries()) {
    const { data } = Report.safeParse(report);
    reports[index] = undefined;
    if (data === undefined) {
      refused.set(index, rejected(report));
      continue;
    }
    const { traceparent, ...untraced } = data;
    const { jobId, attempt, checkType, resultType } = data;
    if (traceparent !== undefined) traced.push({ jobId, attempt, checkType, resultType, traceparent });
    yield checked(log, untraced);
  }
}

/** A report whose detail and evidence are still to be looked at, apart from the verdict. */
const Report = AttemptReport.extend({ evidence: z.unknown().optional() });

function checked(log: Logger, { evidence, ...report }: z.output<typeof Report>): AttemptReport {
  const detail = checkedDetail(log, report);
  return evidence === undefined ? { ...report, detail } : { ...report, detail, evidence: acceptedEvidence(log, report, evidence) };
}

/** The detail goes on to users, so it must have its form. One that has not is left out: the verdict is worth more than it. */
function checkedDetail(log: Logger, report: Pick<AttemptReport, "jobId" | "checkType" | "detail">): unknown {
  if (report.detail === null || report.detail === undefined || !isCheckType(report.checkType)) return null;
  const { data, error } = checkTypes[report.checkType].result.safeParse(report.detail);
  if (error !== undefined)
    log.warn(
      { jobId: report.jobId, issues: error.issues.slice(0, 3).map(({ path, code }) => ({ path, code })) },
      "a result's detail was left out",
    );
  return data ?? null;
}

const nilUuid = "00000000-0000-0000-0000-000000000000";
const Identified = z.object({ jobId: z.uuid().catch(nilUuid), attempt: z.int().catch(0) }).catch({ jobId: nilUuid, attempt: 0 });

function rejected(report: unknown): ReportAnswer {
  return { ...Identified.parse(report), outcome: "rejected", message: "The report is not of the form that the protocol asks for" };
}

/** Ids that we never gave out belong to nobody: they are told as lost. `idOf` turns the others back into what the agent sent. */
function jobRefs(jobs: readonly JobRef[]): { refs: JobRefRow[]; unknown: string[]; idOf: (no: number) => string } {
  const ids = new Map<number, string>();
  const refs: JobRefRow[] = [];
  const unknown: string[] = [];
  for (const { jobId, fence } of jobs) {
    const no = jobNoOf(jobId);
    if (no === undefined) unknown.push(jobId);
    else {
      refs.push({ no, fence });
      ids.set(no, jobId);
    }
  }
  return { refs, unknown, idOf: (no) => ids.get(no) ?? "" };
}
