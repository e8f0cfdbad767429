import type { CheckResult } from "#contract/check-results.ts";
import { checkTypes, isCheckType } from "#contract/checks/index.ts";
import { traceIdOfRun } from "#domain/trace-context.ts";
import { errorGroupUuid, resultUuid, sequenceUuid, sessionUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import type { CheckRow, ResultRow } from "../storage/storage.ts";
import { assetsView, pcapUrlOf } from "./result-assets.ts";

const noMembers = {
  apiCheckResult: null,
  browserCheckResult: null,
  multiStepCheckResult: null,
  agenticCheckResult: null,
  playwrightCheckResult: null,
  tracerouteCheckResult: null,
  grpcCheckResult: null,
  sslCheckResult: null,
  tcpCheckResult: null,
  dnsCheckResult: null,
  icmpCheckResult: null,
} as const;

type Members = Pick<CheckResult, keyof typeof noMembers>;

/** The detail goes where its check type says, and tells where its packet capture and its traces are. */
export function membersOf({ type, detailJson }: Pick<ResultRow, "type" | "detailJson">, assets: CheckResult["assets"]): Members {
  const detail: unknown = detailJson === null ? null : JSON.parse(detailJson.toString());
  if (!isCheckType(type) || typeof detail !== "object" || detail === null) return noMembers;
  const traces = assets.filter((asset) => asset.type === "trace").map(({ name, url }) => ({ url, name, filename: name }));
  const member = {
    ...detail,
    ...("pcapDataUrl" in detail && { pcapDataUrl: pcapUrlOf(assets) }),
    ...("playwrightTraceFiles" in detail && { playwrightTraceFiles: traces }),
  };
  // It was parsed with the member's own schema when it came in.
  return { ...noMembers, ...({ [checkTypes[type].resultMember]: member } as Partial<Members>) };
}

/**
 * A stored result as the wire tells it: the member of its check type filled, the others null (spec 2.12).
 *
 * @param base of links, without a slash at its end
 */
export function resultView(check: CheckRow, row: ResultRow, base: string): CheckResult {
  const assets = assetsView(check, row, base);
  return resultWith(check, row, assets, membersOf(row, assets));
}

/** A JSON array of them, in pieces. */
export function writtenResults(check: CheckRow, rows: readonly ResultRow[], base: string): readonly Uint8Array[] {
  const pieces = rows.flatMap((row, index) => writtenResult(check, row, base, index === 0 ? "" : ","));
  return [Buffer.from("["), ...pieces, Buffer.from("]")];
}

/**
 * A detail that needs no change is put in as it is stored: it is nine tenths of an answer, and parsing it only to write it again was the
 * main thread's largest part of a list.
 */
function writtenResult(check: CheckRow, row: ResultRow, base: string, before: string): readonly Uint8Array[] {
  const { type, detailJson, assets } = row;
  const isAsStored = detailJson !== null && assets.length === 0 && detailJson[0] === openBrace && !detailJson.includes('"pcapDataUrl":"');
  if (!isAsStored || !isCheckType(type)) return [Buffer.from(before + JSON.stringify(resultView(check, row, base)))];
  const text = JSON.stringify(resultWith(check, row, [], noMembers));
  const name = `"${checkTypes[type].resultMember}":`;
  // No value reads so: quotes inside of one are escaped.
  const place = text.indexOf(`${name}null`) + name.length;
  return [Buffer.from(before + text.slice(0, place)), detailJson, Buffer.from(text.slice(place + "null".length))];
}

const openBrace = 0x7b;

function resultWith(check: CheckRow, row: ResultRow, assets: CheckResult["assets"], members: Members): CheckResult {
  const missed = row.resultType === "MISSED";
  return {
    id: resultUuid(row),
    name: check.definition.name,
    checkId: check.uuid,
    hasFailures: row.hasFailures,
    hasErrors: row.hasErrors,
    isDegraded: row.isDegraded,
    isCancelled: row.isCancelled,
    overMaxResponseTime: row.overMaxResponseTime,
    runLocation: row.locationCode,
    startedAt: missed ? null : instant(row.startedAtMs),
    stoppedAt: missed ? null : instant(row.stoppedAtMs),
    created_at: instant(row.createdAtMs),
    responseTime: Math.round(row.responseTimeMs),
    ...members,
    checkRunId: row.runAtMs,
    attempts: row.attempt,
    resultType: row.resultType,
    sequenceId: sequenceUuid(row),
    traceId: traceIdOf(row),
    errorGroupIds: row.errorGroupIds.map(errorGroupUuid),
    queuedMs: row.queuedMs,
    eventLoopDelayMs: row.loopDelayMs,
    agentSide: row.agentSide,
    late: row.isLate,
    errorMessage: row.errorMessage,
    missedReason: row.missedReason,
    assets,
  };
}

/**
 * Of a run whose target was told of its trace: the id follows from the session, and the request's own header shows that it was told. A `traceparent`
 * that a check sends by itself is another one.
 */
export function traceIdOf({ detailJson, sessionNo, runAtMs }: Pick<ResultRow, "detailJson" | "sessionNo" | "runAtMs">): string | null {
  if (detailJson === null || !detailJson.includes('"traceparent":"00-')) return null;
  const traceId = traceIdOfRun(sessionUuid({ no: sessionNo, runAtMs }));
  return detailJson.includes(`"traceparent":"00-${traceId}-`) ? traceId : null;
}
