import type { Span, Traces } from "#daemon/telemetry/telemetry.ts";
import { spanIdOf, traceContextOf } from "#domain/trace-context.ts";
import type { AgentClock } from "../host/clock.ts";
import type { OutboxEntry } from "../outbox/outbox-line.ts";
import type { ClockSkew } from "./clock-skew.ts";
import type { UploaderDeps } from "./result-uploader.ts";

/** Our own reports begin with it where their run is traced. */
const ownTraceparent = /^\{"traceparent":"([\da-f-]{55})"/;

/** Records for each traced result of an upload when it was on its way, by the control plane's clock. Nothing where nobody is told of traces. */
export function uploadSpans(
  traces: Traces | null,
  clock: Pick<AgentClock, "wallMs">,
  skew: Pick<ClockSkew, "aheadMs">,
): Pick<UploaderDeps, "onUploaded" | "nowMs"> {
  if (traces === null) return {};
  return { onUploaded: recorderOf(traces), nowMs: () => clock.wallMs() - (skew.aheadMs() ?? 0) };
}

function recorderOf(traces: Traces): (entries: readonly OutboxEntry[], beganMs: number, endedMs: number) => void {
  return (entries, startMs, endMs) => {
    for (const { json } of entries) {
      const context = traceContextOf(ownTraceparent.exec(json)?.[1]);
      if (context?.isSampled !== true) continue;
      const { traceId, spanId: parentId } = context;
      const span: Span = {
        name: "outpost.upload",
        kind: "client",
        traceId,
        spanId: spanIdOf(parentId, "upload"),
        parentId,
        startMs,
        endMs,
        attributes: { "outpost.upload.results": entries.length },
        error: null,
      };
      traces.record(span);
    }
  };
}
