import type { ApiCheckResult, ApiRequest } from "#contract/checks/api.ts";
import type { DialTarget } from "../../net/dial.ts";
import type { Answer } from "../../net/http-exchange.ts";
import type { WireRequest } from "../../net/http-request.ts";
import { type HeaderRecord, headerRecord } from "../../net/http-response.ts";
import type { Observation, ProbeFailure, Trail } from "../check-runner.ts";
import { trailOf } from "../trail.ts";
import { attemptPhases, type HopTrace, timingsOf } from "./phases.ts";
import { bodyText, storedBody, storedBodyBytes } from "./response-body.ts";

/** What one attempt did so far. */
export interface Attempt {
  readonly request: ApiRequest;
  readonly startedMs: number;
  readonly hops: HopTrace[];
  readonly redirects: { status: number; location: string }[];
  /** The first hop's; null when the request could not even be made. */
  sent: WireRequest | null;
  /** Whom the last hop dialled; null before the first one, and where a proxy stood between. */
  dialled: DialTarget | null;
}

/** The observation of an attempt that got its whole answer. */
export function answered(attempt: Attempt, { status, statusText, headers, rawHeaders, body }: Answer): Observation<"API"> {
  const metrics = attemptPhases(attempt.hops);
  const { timings, timingPhases } = timingsOf(metrics);
  const bytes = body?.bytes ?? Buffer.alloc(0);
  const contentType = headers["content-type"];
  let text: string | undefined;
  return {
    startedMs: attempt.startedMs,
    stoppedMs: attempt.hops.at(-1)?.endMs ?? attempt.startedMs,
    responseTimeMs: timingPhases.total,
    statusCode: status,
    metrics,
    failure: null,
    longBody: bytes.length > storedBodyBytes ? { bytes, contentType } : undefined,
    facts: {
      statusCode: status,
      responseTimeMs: timingPhases.total,
      headers,
      text: () => (text ??= bodyText(bytes, contentType)),
    },
    result: {
      ...resultOf(attempt),
      requestError: null,
      response: {
        status,
        statusText,
        ...storedBody(bytes, contentType, body?.capped ?? false),
        bodyBytes: bytes.length,
        headers: storedHeaders(headers, rawHeaders),
        timings,
        timingPhases,
      },
    },
  };
}

/** The observation of an attempt that got no whole answer; a status may have come all the same. */
export function failed(attempt: Attempt, failure: ProbeFailure, stoppedMs: number): Observation<"API"> {
  const statusCode = attempt.hops.at(-1)?.statusCode ?? null;
  const responseTimeMs = stoppedMs - attempt.startedMs;
  return {
    startedMs: attempt.startedMs,
    stoppedMs,
    responseTimeMs,
    statusCode,
    metrics: attemptPhases(attempt.hops),
    failure,
    facts: { statusCode, responseTimeMs, headers: {}, text: () => "" },
    result: { ...resultOf(attempt), response: null, requestError: `${failure.code}: ${failure.message}` },
    trail: trailTo(attempt, failure),
  };
}

function trailTo({ dialled, hops }: Attempt, failure: ProbeFailure): Trail | null {
  return dialled === null ? null : trailOf({ ...dialled, tls: dialled.tls !== null }, hops.at(-1)?.connection ?? null, failure);
}

function resultOf({ request, sent, hops, redirects }: Attempt): Omit<ApiCheckResult, "response" | "requestError"> {
  return {
    assertions: null,
    request: {
      method: request.method,
      url: request.url,
      data: sent?.body?.toString("utf8") ?? "",
      headers: headerRecord(sent?.headers ?? [], false),
      params: Object.fromEntries(request.queryParameters.map(({ key, value }) => [key, value])),
    },
    connection: hops.at(-1)?.connection ?? null,
    redirects,
    jobLog: null,
    jobAssets: null,
    pcapDataUrl: null,
  };
}

/** As received, but several Set-Cookie as a list: a comma stands inside their dates (RFC 6265 §3). */
function storedHeaders(joined: HeaderRecord, raw: readonly string[]): Readonly<Record<string, unknown>> {
  if (joined["set-cookie"] === undefined) return joined;
  const cookies = raw.filter((_value, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === "set-cookie");
  return Object.assign(headerRecord([]), joined, { "set-cookie": cookies });
}
