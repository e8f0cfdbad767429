import {
  type CheckResult,
  type CheckResultPageQuery,
  type CheckResultProjection,
  getCheckResult,
  listCheckResultsV1,
  listCheckResultsV2,
} from "#contract/check-results.ts";
import type { ApiCheckResult } from "#contract/checks/api.ts";
import { checkTypes, isCheckType } from "#contract/checks/index.ts";
import { type Handler, handler } from "../http/handler.ts";
import { resultUuid, sequenceUuid } from "../ids.ts";
import { instant } from "../instants.ts";
import type { CheckRow, CheckStore, ResultFilter, ResultRow, ResultStore, ResultType } from "../storage/storage.ts";
import { notFound } from "./not-found.ts";

export interface CheckResultDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly results: Pick<ResultStore, "list" | "page" | "byId">;
}

export function checkResultHandlers({ checks, results }: CheckResultDeps): readonly Handler[] {
  async function findCheck(accountId: number, id: string): Promise<CheckRow> {
    const check = await checks.byUuid(accountId, id.toLowerCase());
    if (check === undefined) throw notFound("check", id);
    return check;
  }

  return [
    handler(listCheckResultsV2, async ({ params: { checkId }, query }, { caller }) => {
      const check = await findCheck(caller.account.id, checkId);
      if (otherType(check, query)) return { length: 0, entries: [], nextId: null };
      const { fields, nextId } = query;
      const cursor = nextId === undefined ? {} : { cursor: nextId };
      const { items, nextCursor } = await results.list({ ...filterOf(check, query), ...cursor, withDetails: needsDetails(check, fields) });
      const entries = items.map((row) => selected(resultView(check, row), fields));
      return { length: entries.length, entries, nextId: nextCursor };
    }),
    handler(listCheckResultsV1, async ({ params: { checkId }, query }, { caller }) => {
      const check = await findCheck(caller.account.id, checkId);
      if (otherType(check, query)) return { items: [], total: 0 };
      const { items, total } = await results.page({ ...filterOf(check, query), page: query.page, withDetails: true });
      return { items: items.map((row) => resultView(check, row)), total };
    }),
    handler(getCheckResult, async ({ params: { checkId, checkResultId } }, { caller }) => {
      const check = await findCheck(caller.account.id, checkId);
      const row = await results.byId(check.id, checkResultId.toLowerCase());
      if (row === undefined) throw notFound("check result", checkResultId);
      return resultView(check, row);
    }),
  ];
}

type Filters = Omit<CheckResultPageQuery, "page">;

function otherType(check: CheckRow, { checkType }: Filters): boolean {
  return checkType !== undefined && checkType !== check.type;
}

function filterOf(check: CheckRow, { limit, from, to, location, hasFailures, resultType }: Filters): Omit<ResultFilter, "withDetails"> {
  return {
    checkId: check.id,
    limit,
    resultTypes: resultType === "ALL" ? allResultTypes : [resultType],
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
    ...(location !== undefined && { locationCode: location }),
    ...(hasFailures !== undefined && { hasFailures }),
  };
}

const allResultTypes: readonly ResultType[] = ["FINAL", "ATTEMPT", "MISSED"];

function needsDetails(check: CheckRow, fields: readonly string[] | undefined): boolean {
  return fields === undefined || (isCheckType(check.type) && fields.includes(checkTypes[check.type].resultMember));
}

/** Only the chosen fields, for clients that poll often and read little. */
function selected(result: CheckResult, fields: readonly (keyof CheckResultProjection)[] | undefined): CheckResultProjection {
  if (fields === undefined) return result;
  const source: CheckResultProjection = { ...result, createdAt: result.created_at };
  return Object.fromEntries(fields.map((field) => [field, source[field]]));
}

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

/** The detail goes where its check type says; it was parsed with the member's own schema when it came in. */
function membersOf({ type, detail }: ResultRow): Pick<CheckResult, keyof typeof noMembers> {
  if (!isCheckType(type) || detail === null) return noMembers;
  return { ...noMembers, [checkTypes[type].resultMember]: detail as ApiCheckResult };
}

/** A stored result as the wire tells it: the member of its check type filled, the others null (spec 2.12). */
export function resultView(check: CheckRow, row: ResultRow): CheckResult {
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
    ...membersOf(row),
    checkRunId: row.runAtMs,
    attempts: row.attempt,
    resultType: row.resultType,
    sequenceId: sequenceUuid(row),
    traceId: null,
    errorGroupIds: [],
    queuedMs: row.queuedMs,
    eventLoopDelayMs: row.loopDelayMs,
    agentSide: row.agentSide,
    errorMessage: row.errorMessage,
    missedReason: row.missedReason,
    assets: [],
  };
}
