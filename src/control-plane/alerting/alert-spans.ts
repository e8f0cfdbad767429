import type { Traces } from "#daemon/telemetry/telemetry.ts";
import { spanIdOf, traceIdOfRun } from "#domain/trace-context.ts";
import { jobUuid, sessionUuid } from "../kinds/ids.ts";
import { attemptOfResult, jobOfResult, sessionOfJob } from "../storage/numbers.ts";
import type { ToldAlert } from "../storage/storage.ts";

/** Of one message: a storm needs no span for each. */
const mostAlerts = 100;

export interface ToldOnce {
  readonly channelType: string;
  readonly deliveryId: string;
  readonly attempts: number;
  readonly alerts: readonly Pick<ToldAlert, "result" | "alertType">[];
  readonly isDelivered: boolean;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** Records in the traces of the runs that alerts are about when a channel was told of them. */
export function recordAlerts(traces: Traces | null, told: ToldOnce): void {
  if (traces === null) return;
  for (const { result, alertType } of told.alerts.slice(0, mostAlerts)) {
    if (result === null) continue;
    const no = jobOfResult(result.id);
    const traceId = traceIdOfRun(sessionUuid({ no: sessionOfJob(no), runAtMs: result.runAtMs }));
    if (!traces.isSampled(traceId, null)) continue;
    const attemptSpanId = spanIdOf(jobUuid({ no, runAtMs: result.runAtMs }), `attempt ${attemptOfResult(result.id)}`);
    traces.record({
      name: "outpost.alert",
      kind: "client",
      traceId,
      spanId: spanIdOf(attemptSpanId, `alert ${told.deliveryId} ${told.attempts}`),
      parentId: spanIdOf(attemptSpanId, "store"),
      startMs: told.beganMs,
      endMs: told.endedMs,
      attributes: { "outpost.alert.type": alertType, "outpost.channel.type": told.channelType, "outpost.alert.attempt": told.attempts },
      error: told.isDelivered ? null : "the alert was not delivered",
    });
  }
}
