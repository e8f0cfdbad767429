import {
  type CheckResult,
  type CheckResultPageQuery,
  type CheckResultProjection,
  getCheckResult,
  getCheckResultAsset,
  listCheckResultAssets,
  listCheckResultsV1,
  listCheckResultsV2,
} from "#contract/check-results.ts";
import { checkTypes, isCheckType } from "#contract/checks/index.ts";
import type { BlobStore } from "../blob-store/blob-store.ts";
import { type Handler, handler, WrittenJson } from "../http/handler.ts";
import { notFound } from "../kinds/not-found.ts";
import type { CheckRow, CheckStore, ResultFilter, ResultRow, ResultStore, ResultType } from "../storage/storage.ts";
import { findCheck } from "./find-check.ts";
import { withPathChange } from "./path-change.ts";
import { assetFile, manifestOf } from "./result-assets.ts";
import { resultView, writtenResults } from "./result-view.ts";

export interface CheckResultDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly results: Pick<ResultStore, "list" | "page" | "byId" | "asset">;
  readonly blobs: Pick<BlobStore, "open"> | null;
  /** Base of links, without a slash at its end. */
  readonly publicUrl: () => string;
}

export function checkResultHandlers(deps: CheckResultDeps): readonly Handler[] {
  return [...listHandlers(deps), ...resultHandlers(deps)];
}

function listHandlers({ checks, results, publicUrl }: CheckResultDeps): readonly Handler[] {
  return [
    handler(listCheckResultsV2, async ({ params: { checkId }, query }, { caller }) => {
      const check = await findCheck(checks, caller.account.id, checkId);
      if (otherType(check, query)) return { length: 0, entries: [], nextId: null };
      const { fields, nextId } = query;
      const cursor = nextId === undefined ? {} : { cursor: nextId };
      const { items, nextCursor } = await results.list({ ...filterOf(check, query), ...cursor, withDetails: needsDetails(check, fields) });
      const base = publicUrl();
      const { length } = items;
      if (fields !== undefined) {
        return { length, entries: items.map((row) => selected(resultView(check, row, base), fields)), nextId: nextCursor };
      }
      const start = Buffer.from(`{"length":${length},"entries":`);
      const end = Buffer.from(`,"nextId":${JSON.stringify(nextCursor)}}`);
      return new WrittenJson([start, ...writtenResults(check, items, base), end], length);
    }),
    handler(listCheckResultsV1, async ({ params: { checkId }, query }, { caller }) => {
      const check = await findCheck(checks, caller.account.id, checkId);
      if (otherType(check, query)) return { items: [], total: 0 };
      const { items, total } = await results.page({ ...filterOf(check, query), page: query.page, withDetails: true });
      const base = publicUrl();
      return { items: new WrittenJson(writtenResults(check, items, base), items.length), total };
    }),
  ];
}

function resultHandlers({ checks, results, blobs, publicUrl }: CheckResultDeps): readonly Handler[] {
  interface Addressed {
    readonly checkId: string;
    readonly checkResultId: string;
  }
  async function findResult(accountId: number, { checkId, checkResultId }: Addressed): Promise<{ check: CheckRow; row: ResultRow }> {
    const check = await findCheck(checks, accountId, checkId);
    const row = await results.byId(check.id, checkResultId.toLowerCase());
    if (row === undefined) throw notFound("check result", checkResultId);
    return { check, row };
  }

  return [
    handler(getCheckResult, async ({ params }, { caller }) => {
      const { check, row } = await findResult(caller.account.id, params);
      return withPathChange(results, row, resultView(check, row, publicUrl()));
    }),
    handler(listCheckResultAssets, async ({ params, query }, { caller }) => {
      const { check, row } = await findResult(caller.account.id, params);
      return manifestOf(check, row, publicUrl(), query);
    }),
    handler(getCheckResultAsset, async ({ params: { checkId, checkResultId, name } }, { caller }) => {
      const check = await findCheck(checks, caller.account.id, checkId);
      const asset = await results.asset(check.id, checkResultId.toLowerCase(), name);
      if (asset === undefined) throw notFound("file", name);
      return assetFile(asset, blobs);
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

function needsDetails({ type }: CheckRow, fields: readonly string[] | undefined): boolean {
  if (fields === undefined || fields.includes("errorMessage")) return true;
  return isCheckType(type) && fields.includes(checkTypes[type].resultMember);
}

/** Only the chosen fields, for clients that poll often and read little. */
function selected(result: CheckResult, fields: readonly (keyof CheckResultProjection)[]): CheckResultProjection {
  const source: CheckResultProjection = { ...result, createdAt: result.created_at };
  return Object.fromEntries(fields.map((field) => [field, source[field]]));
}
