import { type CheckSession, RunSource, type SessionResult, SessionStatus } from "#contract/check-sessions.ts";
import { resultUuid, sessionUuid } from "../kinds/ids.ts";
import { instant, instantOrNull } from "../kinds/instants.ts";
import type { ResultRow, SessionRow } from "../storage/storage.ts";

/** @param base of links, without a slash at its end */
export function sessionView(session: SessionRow, nowMs: number, base: string): CheckSession {
  const id = sessionUuid(session);
  return {
    checkSessionId: id,
    checkSessionLink: `${base}/checks/${session.checkUuid}/check-sessions/${id}`,
    checkId: session.checkUuid,
    checkType: session.checkType,
    name: session.checkName,
    status: SessionStatus.parse(session.status),
    startedAt: instant(session.runAtMs),
    stoppedAt: instantOrNull(session.stoppedAtMs),
    timeElapsed: Math.max(0, Math.round((session.stoppedAtMs ?? nowMs) - session.runAtMs)),
    runLocations: [...session.locationCodes],
    runSource: RunSource.nullable().catch(null).parse(session.source),
  };
}

export function sessionResultView(session: SessionRow, row: ResultRow, base: string): SessionResult {
  const id = resultUuid(row);
  const missed = row.resultType === "MISSED";
  return {
    checkResultId: id,
    checkResultLink: `${base}/checks/${session.checkUuid}/check-results/${id}`,
    checkId: session.checkUuid,
    checkType: row.type,
    name: session.checkName,
    runLocation: row.locationCode,
    resultType: row.resultType === "MISSED" ? null : row.resultType,
    hasErrors: row.hasErrors,
    hasFailures: row.hasFailures,
    isDegraded: row.isDegraded,
    aborted: missed,
    isCancelled: row.isCancelled,
    responseTime: missed ? null : Math.round(row.responseTimeMs),
    startedAt: missed ? null : instant(row.startedAtMs),
    stoppedAt: missed ? null : instant(row.stoppedAtMs),
  };
}
