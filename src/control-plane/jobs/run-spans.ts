import type { AttemptReport, LeasedJob } from "#contract/agent-protocol.ts";
import type { Span, Traces } from "#daemon/telemetry/telemetry.ts";
import { runAttributes, spanIdOf, traceContextOf, traceIdOfRun, traceparentOf } from "#domain/trace-context.ts";

/** What an attempt's report tells of its trace. */
export type TracedReport = Pick<AttemptReport, "jobId" | "attempt" | "checkType" | "resultType" | "traceparent">;

/** The control plane's part of the trace of a run: how it got to an agent, and how its results were stored. */
export interface RunSpans {
  /** The job with what its agent goes on from; the same job where its run is not recorded. */
  handedOut(job: LeasedJob): LeasedJob;
  stored(reports: readonly TracedReport[], startMs: number, endMs: number): void;
}

/** Null where nobody is told of traces. */
export function createRunSpans(traces: Traces | null): RunSpans | null {
  if (traces === null) return null;
  return {
    handedOut(job) {
      const traceId = traceIdOfRun(job.payload.checkSessionId);
      if (!traces.isSampled(traceId, null)) return job;
      const [scheduled, leased] = spansOf(job, traceId);
      if (job.attempt === 1) traces.record(scheduled);
      traces.record(leased);
      return { ...job, payload: { ...job.payload, traceparent: traceparentOf({ traceId, spanId: leased.spanId, isSampled: true }) } };
    },
    stored(reports, startMs, endMs) {
      for (const { traceparent, checkType, resultType, attempt } of reports) {
        const context = traceContextOf(traceparent);
        if (context === null || !traces.isSampled(context.traceId, context.isSampled)) continue;
        traces.record({
          name: "outpost.store",
          kind: "internal",
          traceId: context.traceId,
          spanId: storeSpanOf(context.spanId),
          parentId: context.spanId,
          startMs,
          endMs,
          attributes: { "outpost.check.type": checkType, "outpost.result.type": resultType, "outpost.attempt": attempt },
          error: null,
        });
      }
    },
  };
}

/** @param attemptSpanId of the span of the attempt whose report is stored */
function storeSpanOf(attemptSpanId: string): string {
  return spanIdOf(attemptSpanId, "store");
}

/** From the run's slot until it was handed out; and in it, from when the job was due. */
function spansOf({ jobId, fence, attempt, leasedAt, queuedMs, payload }: LeasedJob, traceId: string): readonly [Span, Span] {
  const scheduleId = spanIdOf(jobId, "schedule");
  const { checkRunId } = payload;
  const attributes = { ...runAttributes(payload), "outpost.attempt": attempt };
  const both = { traceId, endMs: leasedAt, attributes, error: null };
  return [
    { ...both, name: "outpost.schedule", kind: "internal", spanId: scheduleId, parentId: null, startMs: Math.min(checkRunId, leasedAt) },
    {
      ...both,
      name: "outpost.lease",
      kind: "producer",
      spanId: spanIdOf(jobId, `lease ${fence}`),
      parentId: scheduleId,
      startMs: leasedAt - queuedMs,
    },
  ];
}
