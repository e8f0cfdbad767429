import { hash } from "node:crypto";
import type { JobPayload } from "#contract/agent-protocol.ts";

/** Where a span stands in its trace, as W3C Trace Context tells it. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/**
 * The trace of a run, told by its session: both processes know it without a message, and nothing has to be stored. A hash, as ids of sessions count up
 * and samplers take the digits of a trace's id for random.
 */
export function traceIdOfRun(checkSessionId: string): string {
  return hash("sha256", `outpost run ${checkSessionId}`).slice(0, 32);
}

/** The id of a span that another process can name as well. @param step which one of the job's */
export function spanIdOf(jobId: string, step: string): string {
  return hash("sha256", `outpost span ${jobId} ${step}`).slice(0, 16);
}

/** What every span of a run says of it, whichever process records it. */
export function runAttributes({ checkId, checkName, checkType, runLocation, checkSessionId, sequenceId }: TracedRun) {
  return {
    "outpost.check.id": checkId,
    "outpost.check.name": checkName,
    "outpost.check.type": checkType,
    "outpost.location": runLocation,
    "outpost.session.id": checkSessionId,
    "outpost.sequence.id": sequenceId,
  };
}

type TracedRun = Pick<JobPayload, "checkId" | "checkName" | "checkType" | "runLocation" | "checkSessionId" | "sequenceId">;

/** As the header `traceparent` carries it (W3C Trace Context §3.2). */
export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

const form = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Null for what is no `traceparent`; versions to come may have more parts, which are let go (§3.2.2.1). */
export function traceContextOf(traceparent: string | undefined): TraceContext | null {
  const [, version, traceId, spanId, flags = "0", more] = form.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || (version === "00" && more !== undefined)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
