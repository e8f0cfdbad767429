import { isUtf8 } from "node:buffer";
import type { Socket } from "node:net";
import type { TcpCheckResult, TcpRequest } from "#contract/checks/tcp.ts";
import { type DialTrace, newDialTrace } from "../../net/connection.ts";
import { targetHost } from "../../net/target-host.ts";
import type { Observation, ProbeFailure } from "../check-runner.ts";
import { between, toMicro } from "../phase.ts";
import { trailOf } from "../trail.ts";
import type { Answer } from "./answer-reader.ts";

/** What one attempt did so far. */
export interface Attempt {
  readonly request: TcpRequest;
  /** From `targetHost`. */
  readonly host: string;
  readonly startedMs: number;
  readonly trace: DialTrace;
  socket: Socket | null;
  /** When the connection stood, TLS included. */
  connectedMs: number | null;
  /** Null where nothing was read. */
  answer: Answer | null;
}

export function newAttempt(request: TcpRequest, startedMs: number): Attempt {
  const host = targetHost(request.hostname ?? "");
  return { request, host, startedMs, trace: newDialTrace(), socket: null, connectedMs: null, answer: null };
}

/** What was seen. `responseTimeMs` is the connection's (behaviour 3), or all that was spent where none came about. */
export function observationOf(attempt: Attempt, failed: ProbeFailure | null, stoppedMs: number): Observation<"TCP"> {
  const { request, host, startedMs, trace, answer } = attempt;
  const failure = failed === null ? null : { code: failed.code, message: failed.message, side: failed.side };
  const metrics = phasesOf(attempt, failure === null || answer !== null);
  const responseTimeMs = metrics.connection ?? stoppedMs - startedMs;
  const { port, ipFamily } = request;
  const tls = request.tls && request.startTls === null; // a ClientHello out of turn would tell nothing
  return {
    startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: { ...metrics },
    failure,
    facts: { statusCode: null, responseTimeMs, headers: {}, text: () => answer?.bytes.toString("utf8") ?? "" },
    result: {
      request: requestOf(request),
      response: responseOf(metrics, answer),
      connection: trace.connection,
      assertions: null,
      requestError: failure === null ? null : `${failure.code}: ${failure.message}`,
      pcapDataUrl: null,
    },
    trail: failure === null ? null : trailOf({ host, port, ipFamily, tls }, trace.connection, failure),
  };
}

interface Phases {
  readonly dns: number | null;
  readonly connection: number | null;
  readonly data: number | null;
  readonly total: number | null;
}

/** Each begins where the one before it ended, so they sum to the total. */
function phasesOf({ startedMs, trace, connectedMs, answer }: Attempt, isWhole: boolean): Phases {
  const dns = between(startedMs, trace.lookupMs);
  const connection = between(trace.lookupMs, connectedMs);
  if (dns === null || connection === null || !isWhole) return { dns, connection, data: null, total: null };
  const data = answer === null ? 0 : (between(connectedMs, answer.endMs) ?? 0);
  return { dns, connection, data, total: toMicro(dns + connection + data) };
}

function requestOf({ hostname = "", port, ipFamily, data, tls, startTls, expect }: TcpRequest): TcpCheckResult["request"] {
  return { hostname, port, ipFamily, data, tls, startTls, expect };
}

function responseOf({ dns, connection, data, total }: Phases, answer: Answer | null): TcpCheckResult["response"] {
  if (dns === null || connection === null || data === null || total === null) return null;
  const timingPhases = { dns, connection, data, total };
  if (answer === null) return { data: "", truncated: false, bytesReceived: 0, endedBy: "nothing_asked", timingPhases };
  const { bytes, truncated, bytesReceived, endedBy } = answer;
  return { ...storedData(bytes, truncated), truncated, bytesReceived, endedBy, timingPhases };
}

/** Text where it is text, else base64. A cut may have left a part of the last character, which is at most 3 bytes. */
function storedData(bytes: Buffer, truncated: boolean): { data: string; dataEncoding?: "base64" } {
  for (let cut = 0; cut <= (truncated ? 3 : 0); cut += 1) {
    const whole = bytes.subarray(0, bytes.length - cut);
    // Not every store takes a NUL in a text.
    if (isUtf8(whole) && !whole.includes(0)) return { data: whole.toString("utf8") };
  }
  return { data: bytes.toString("base64"), dataEncoding: "base64" };
}
