import type { AttemptReport, LeasedJob } from "#contract/agent-protocol.ts";
import { checkTypes, isCheckType } from "#contract/checks/index.ts";
import { traitsOf } from "#contract/checks/traits.ts";
import type { Span, Traces } from "#daemon/telemetry/telemetry.ts";
import { withoutQueries } from "#daemon/telemetry/without-queries.ts";
import { resultIdOf } from "#domain/result-id.ts";
import { runAttributes, spanIdOf, type TraceContext, traceContextOf, traceIdOfRun, traceparentOf } from "#domain/trace-context.ts";

interface TracedTask {
  readonly job: LeasedJob;
  readonly attempt: number;
}

const longestError = 500;

interface Place extends TraceContext {
  /** Null: the run's trace begins here. */
  readonly parentId: string | null;
}

/** Tells a collector of the way of a run through this agent, and targets whose run it is. */
export interface RunTracer {
  /** Of one attempt; null where no collector is told of it. */
  contextOf(task: TracedTask): TraceContext | null;
  /** What requests of the attempt carry, by their hosts; undefined where none carries anything. */
  targetsOf(task: TracedTask): ((host: string) => string | null) | undefined;
  /** Records the attempt, once it has ended. @param verdict in one word */
  record(task: TracedTask, report: AttemptReport, verdict: string): void;
}

/** @param traces null: no collector is told @param hosts as OUTPOST_TRACE_TARGETS names them */
export function createRunTracer(traces: Traces | null, hosts: readonly string[]): RunTracer | null {
  if (traces === null && hosts.length === 0) return null;

  function placeOf({ job, attempt }: TracedTask): Place {
    const parent = traceContextOf(job.payload.traceparent);
    const traceId = parent?.traceId ?? traceIdOfRun(job.payload.checkSessionId);
    const isSampled = traces?.isSampled(traceId, parent?.isSampled ?? null) ?? parent?.isSampled ?? true;
    return { traceId, isSampled, spanId: spanIdOf(job.jobId, `attempt ${attempt}`), parentId: parent?.spanId ?? null };
  }

  return {
    contextOf(task) {
      if (traces === null) return null;
      const { traceId, spanId, isSampled } = placeOf(task);
      return isSampled ? { traceId, spanId, isSampled } : null;
    },
    targetsOf(task) {
      if (hosts.length === 0) return undefined;
      const traceparent = traceparentOf({ ...placeOf(task), spanId: requestSpanOf(task) });
      return (host) => (isNamed(host.toLowerCase(), hosts) ? traceparent : null);
    },
    record(task, report, verdict) {
      const place = placeOf(task);
      if (traces === null || !place.isSampled) return;
      for (const span of spansOf(task, report, verdict, place)) traces.record(span);
    },
  };
}

function requestSpanOf({ job, attempt }: TracedTask): string {
  return spanIdOf(job.jobId, `request ${attempt}`);
}

function isNamed(host: string, hosts: readonly string[]): boolean {
  const plain = host.replace(/^\[|\]$/g, "");
  return hosts.some((one) => one === "*" || plain === one.replace(/^\[|\]$/g, "") || (one.startsWith(".") && plain.endsWith(one)));
}

function spansOf(task: TracedTask, report: AttemptReport, verdict: string, { traceId, spanId, parentId }: Place): readonly Span[] {
  const { jobId, attempt, startedAt, stoppedAt, queuedMs } = report;
  const error = report.hasFailures ? withoutQueries(report.errorMessage ?? verdict).slice(0, longestError) : null;
  const inside = { kind: "internal", traceId, parentId: spanId, attributes: {}, error: null } as const;
  const requestId = requestSpanOf(task);
  const own: Span = {
    name: "outpost.run",
    kind: "consumer",
    traceId,
    spanId,
    parentId,
    startMs: startedAt - queuedMs,
    endMs: stoppedAt,
    attributes: aboutRun(task, report, verdict),
    error,
  };
  const queue: Span = {
    ...inside,
    name: "outpost.queue",
    spanId: spanIdOf(jobId, `queue ${attempt}`),
    startMs: startedAt - queuedMs,
    endMs: startedAt,
  };
  const request: Span = {
    ...inside,
    name: "outpost.request",
    kind: "client",
    spanId: requestId,
    startMs: startedAt,
    endMs: stoppedAt,
    attributes: aboutRequest(report),
    error,
  };
  const phases = phasesOf(report).map(
    ({ name, startMs, endMs }): Span => ({
      ...inside,
      name: `outpost.phase.${name}`,
      parentId: requestId,
      spanId: spanIdOf(jobId, `${name} ${attempt}`),
      startMs,
      endMs,
    }),
  );
  return [own, queue, request, ...phases];
}

function aboutRun({ job, attempt }: TracedTask, report: AttemptReport, verdict: string): Span["attributes"] {
  return {
    ...runAttributes(job.payload),
    "outpost.result.id": resultIdOf(job.jobId, attempt) ?? undefined,
    "outpost.attempt": attempt,
    "outpost.result.type": report.resultType,
    "outpost.verdict": verdict,
  };
}

/** By the semantic conventions of HTTP clients; of the address neither path nor query, which may hold secrets. */
function aboutRequest({ detail, statusCode, checkType }: AttemptReport): Span["attributes"] {
  if (!isCheckType(checkType) || traitsOf(checkType).request !== "http") return {};
  const { method, url = "" } = requestIn(detail);
  return { "http.request.method": method, "http.response.status_code": statusCode ?? undefined, ...aboutTarget(url) };
}

/** As the type's own schema has it. */
function requestIn(detail: unknown): { readonly method?: string; readonly url?: string } {
  const hasRequest = typeof detail === "object" && detail !== null && "request" in detail;
  return hasRequest ? (detail.request as { readonly method?: string; readonly url?: string }) : {};
}

function aboutTarget(url: string): Span["attributes"] {
  const target = URL.parse(url);
  if (target === null) return {};
  const { hostname, port, protocol } = target;
  return {
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
    "url.scheme": protocol.slice(0, -1),
  };
}

/** Metrics that follow each other, as the attempt went through them. */
const phaseNames: ReadonlySet<string> = new Set(["wait", "dns", "tcp", "connection", "tls", "reflection", "firstByte", "data", "download"]);

function phasesOf({ checkType, metrics, startedAt }: AttemptReport): readonly { name: string; startMs: number; endMs: number }[] {
  if (!isCheckType(checkType)) return [];
  const names: readonly string[] = checkTypes[checkType].metrics;
  let atMs = startedAt;
  return names.flatMap((name) => {
    const tookMs = phaseNames.has(name) ? (metrics[name] ?? null) : null;
    if (tookMs === null || tookMs <= 0) return [];
    const startMs = atMs;
    atMs += tookMs;
    return [{ name, startMs, endMs: atMs }];
  });
}
