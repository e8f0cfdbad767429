import type { TracerouteAnswer, TracerouteCheckResult } from "#contract/checks/traceroute.ts";
import type { Observation, ProbeFailure } from "../check-runner.ts";
import { type TraceRequest, toldRequest } from "./request.ts";

/** What one attempt did so far. */
export interface Attempt {
  readonly request: TraceRequest;
  readonly startedMs: number;
  answer: TracerouteAnswer | null;
  phases: TracerouteCheckResult["timingPhases"];
}

const none = { avg: null, min: null, max: null, stdDev: null };
/** Without an answer: what a result and its figures say. */
const unseen = { destinationReached: false, finalHopLatency: null, packetLoss: null };

/** The response time is the target's: the average of its round trips; 0 where it was not reached, as for a ping. */
export function observationOf(attempt: Attempt, failure: ProbeFailure | null, stoppedMs: number): Observation<"TRACEROUTE"> {
  const { request, startedMs, answer, phases } = attempt;
  const { destinationReached, finalHopLatency, packetLoss } = answer ?? unseen;
  const hopCount = answer?.destinationReached === true ? answer.totalHops : null;
  const { avg, min, max, stdDev } = finalHopLatency ?? none;
  const responseTimeMs = avg ?? 0;
  return {
    startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: { hopCount, packetLoss, latencyMin: min, latencyMax: max, latencyAvg: avg, latencyStdDev: stdDev },
    failure,
    facts: {
      statusCode: null,
      responseTimeMs,
      headers: {},
      text: () => JSON.stringify(answer),
      json: () => answer,
      hopCount,
      packetLoss,
      fields: { RESPONSE_TIME: { avg, min, max, stdDev } },
    },
    result: {
      ...(answer !== null && { totalHops: answer.totalHops }),
      destinationReached,
      finalHopLatency,
      timingPhases: phases,
      request: toldRequest(request),
      response: answer,
      assertions: null,
      requestError: failure === null ? null : `${failure.code}: ${failure.message}`,
    },
  };
}
