import type { JsonValue } from "@bufbuild/protobuf";
import type { GrpcCheckResult, GrpcMetadataEntry, GrpcRequest } from "#contract/checks/grpc.ts";
import { servingName, statusName } from "#domain/grpc-findings.ts";
import type { DialTrace } from "../../net/connection.ts";
import { storedBody } from "../api/response-body.ts";
import type { Observation, ProbeFailure, Trail } from "../check-runner.ts";
import { between, toMicro } from "../phase.ts";
import { trailOf } from "../trail.ts";
import { metadataRecord } from "./metadata.ts";
import type { GrpcStatus } from "./status.ts";

/** What one attempt did so far. */
export interface Attempt {
  readonly request: GrpcRequest;
  /** From `targetHost`. */
  readonly host: string;
  readonly port: number;
  readonly startedMs: number;
  readonly trace: DialTrace;
  /** When the descriptors were there; when the call was sent where they were not asked for. */
  reflectedMs: number | null;
  /** `package.Service/Method` of what is called. */
  method: string;
  discoveredMethods: string[] | null;
  /** Whether a proxy stands between. */
  isProxied: boolean;
}

/** An answer with its whole status. */
export interface Answer {
  readonly status: GrpcStatus;
  readonly metadata: readonly GrpcMetadataEntry[];
  /** Null where no message came. */
  readonly message: { readonly json: JsonValue; readonly bytes: number } | null;
  /** Null where the health was not asked for, or not told. */
  readonly healthStatus: number | null;
  readonly headMs: number;
  readonly endMs: number;
}

const storedRequestLength = 16_384;

/** The observation of a call that ended with a status, whichever. `responseTimeMs` is the sum of the phases. */
export function answered(attempt: Attempt, answer: Answer): Observation<"GRPC"> {
  const { status, message, healthStatus, metadata } = answer;
  const phases = phasesOf(attempt, answer);
  const sum = Object.values(phases).reduce<number>((total, length) => total + (length ?? 0), 0);
  const total = toMicro(sum);
  const text = message === null ? "" : JSON.stringify(message.json);
  return {
    startedMs: attempt.startedMs,
    stoppedMs: answer.endMs,
    responseTimeMs: total,
    statusCode: null,
    metrics: { ...phases },
    failure: null,
    facts: {
      statusCode: null,
      responseTimeMs: total,
      headers: metadataRecord(metadata, status.message),
      text: () => text,
      json: () => message?.json ?? null,
      grpc: { statusCode: status.code, healthStatus },
    },
    result: {
      ...resultOf(attempt),
      grpcStatusCode: status.code,
      healthStatus,
      timingPhases: timings(phases, total),
      requestError: null,
      response: { ...responseOf(attempt, answer, text), timingPhases: timings(phases, total) },
    },
  };
}

/** The observation of a call without a status. */
export function failed(attempt: Attempt, failure: ProbeFailure, stoppedMs: number): Observation<"GRPC"> {
  const responseTimeMs = stoppedMs - attempt.startedMs;
  return {
    startedMs: attempt.startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode: null,
    metrics: { ...phasesOf(attempt, null) },
    failure: { code: failure.code, message: failure.message, side: failure.side },
    facts: { statusCode: null, responseTimeMs, headers: {}, text: () => "", grpc: { statusCode: null, healthStatus: null } },
    result: { ...resultOf(attempt), timingPhases: null, response: null, requestError: `${failure.code}: ${failure.message}` },
    trail: trailTo(attempt, failure),
  };
}

type PhaseName = "dns" | "tcp" | "tls" | "reflection" | "firstByte" | "download";
type Phases = Readonly<Record<PhaseName, number | null>>;

/** Each begins where the one before it ended; null where the attempt did not get to its end. */
function phasesOf({ request, startedMs, trace, reflectedMs }: Attempt, answer: Answer | null): Phases {
  const secureMs = request.grpcConfig.tls ? trace.secureConnectMs : trace.connectMs;
  return {
    dns: between(startedMs, trace.lookupMs),
    tcp: between(trace.lookupMs, trace.connectMs),
    tls: between(trace.connectMs, secureMs),
    reflection: between(secureMs, reflectedMs),
    firstByte: between(reflectedMs, answer?.headMs ?? null),
    download: between(answer?.headMs ?? null, answer?.endMs ?? null),
  };
}

function timings(phases: Phases, total: number): NonNullable<GrpcCheckResult["timingPhases"]> {
  const { dns, tcp, tls, reflection, firstByte, download } = phases;
  return {
    dns: dns ?? 0,
    tcp: tcp ?? 0,
    tls: tls ?? 0,
    reflection: reflection ?? 0,
    firstByte: firstByte ?? 0,
    download: download ?? 0,
    total,
  };
}

function resultOf({ request, trace }: Attempt): Pick<GrpcCheckResult, "request" | "connection" | "assertions"> {
  const { url, port, ipFamily, grpcConfig } = request;
  const { tls, mode, service, method, message, metadata } = grpcConfig;
  return {
    request: {
      url,
      port,
      ipFamily,
      tls,
      mode,
      service,
      method,
      message: message?.slice(0, storedRequestLength) ?? null,
      metadata: metadata.map(({ key }) => key),
    },
    connection: trace.connection,
    assertions: null,
  };
}

type Response = NonNullable<GrpcCheckResult["response"]>;

function responseOf(
  { request, host, port, trace, method, discoveredMethods }: Attempt,
  answer: Answer,
  text: string,
): Omit<Response, "timingPhases"> {
  const { status, message, healthStatus, metadata } = answer;
  const { mode } = request.grpcConfig;
  const { body, truncated } = storedBody(Buffer.from(text), undefined, false);
  return {
    grpcMode: mode,
    host,
    resolvedIp: trace.connection?.remoteAddress ?? host,
    port,
    grpcMethod: method,
    responseMessage: body,
    truncated,
    messageBytes: message?.bytes ?? 0,
    grpcStatusCode: status.code,
    grpcStatusName: statusName(status.code),
    grpcStatusMessage: status.message,
    healthStatus,
    healthStatusLabel: healthStatus === null ? "" : servingName(healthStatus),
    metadata: metadata.slice(0, 200),
    discoveredMethods,
  };
}

function trailTo({ request, host, port, trace, isProxied }: Attempt, failure: ProbeFailure): Trail | null {
  if (isProxied) return null;
  const { ipFamily, grpcConfig } = request;
  return trailOf({ host, port, ipFamily: ipFamily ?? "IPv4", tls: grpcConfig.tls }, trace.connection, failure);
}
