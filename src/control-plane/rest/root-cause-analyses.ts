import { randomUUID } from "node:crypto";
import {
  analyseCheck,
  analyseErrorGroup,
  analyseTestSessionErrorGroup,
  getRootCauseAnalysis,
  type RootCauseAnalysis,
} from "#contract/root-cause-analyses.ts";
import { AppError } from "#domain/app-error.ts";
import { type Handler, handler } from "../http/handler.ts";
import { errorGroupIdOf, errorGroupUuid, testErrorGroupIdOf } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import { analysisView, storedAnalysis } from "../root-causes/stored-analysis.ts";
import type {
  AnalysedGroup,
  AnalysisRow,
  AnalysisStore,
  AuditActor,
  CauseStore,
  CheckIndexStore,
  CheckStore,
  ErrorGroupStore,
  TestFailureStore,
} from "../storage/storage.ts";

export interface AnalysisDeps {
  readonly analyses: Pick<AnalysisStore, "request" | "find">;
  /** Has what was asked for made at once. */
  readonly wakeAnalyses: () => void;
  readonly publicUrl: () => string;
  readonly errorGroups: Pick<ErrorGroupStore, "byId">;
  readonly testFailures: Pick<TestFailureStore, "byId">;
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly checkIndex: Pick<CheckIndexStore, "byUuids">;
  readonly causes: Pick<CauseStore, "checkUuid">;
  readonly nowMs: () => number;
}

export function analysisHandlers(deps: AnalysisDeps): readonly Handler[] {
  const { analyses, errorGroups, testFailures, checkIndex, wakeAnalyses, nowMs } = deps;
  const request = async (
    { account, actor }: { readonly account: { readonly id: number }; readonly actor: AuditActor },
    of: AnalysedGroup,
    body: { readonly userContext: string | null } | null | undefined,
  ) => {
    const wanted = { uuid: randomUUID(), userContext: body?.userContext ?? "", createdAtMs: nowMs(), askedBy: actor };
    const { uuid } = await analyses.request(account.id, of, wanted);
    wakeAnalyses();
    return { id: uuid, status: "PENDING" as const };
  };
  return [
    handler(analyseErrorGroup, async ({ params: { errorGroupId: id }, body }, { caller }) => {
      const no = errorGroupIdOf(id);
      if (no === undefined || (await errorGroups.byId(caller.account.id, no)) === undefined) throw notFound("error group", id);
      return request(caller, { errorGroupId: no, testFailureGroupId: null }, body);
    }),
    handler(analyseTestSessionErrorGroup, async ({ params: { testSessionErrorGroupId: id }, body }, { caller }) => {
      const no = testErrorGroupIdOf(id);
      if (no === undefined || (await testFailures.byId(caller.account.id, no)) === undefined) throw notFound("error group", id);
      return request(caller, { errorGroupId: null, testFailureGroupId: no }, body);
    }),
    handler(analyseCheck, async ({ params: { checkId: id }, body }, { caller }) => {
      const [check] = await checkIndex.byUuids(caller.account.id, [id.toLowerCase()]);
      if (check === undefined) throw notFound("check", id);
      return request(caller, { errorGroupId: null, testFailureGroupId: null, checkId: check.id }, body);
    }),
    handler(getRootCauseAnalysis, async ({ params: { id } }, { caller: { account } }) => {
      const row = await analyses.find(account.id, id.toLowerCase());
      if (row === undefined) throw notFound("root cause analysis", id);
      if (row.status === "FAILED") throw new AppError("unavailable", "The analysis failed; ask for another one");
      return row.completed === null ? { id: row.uuid, status: "PENDING" as const } : view(deps, account.id, row, row.completed);
    }),
  ];
}

async function view(
  { errorGroups, checks, causes, publicUrl }: AnalysisDeps,
  accountId: number,
  { uuid, errorGroupId, checkId, createdAtMs }: AnalysisRow,
  { provider, model, durationMs, analysis }: NonNullable<AnalysisRow["completed"]>,
): Promise<RootCauseAnalysis> {
  const group = errorGroupId === null ? undefined : await errorGroups.byId(accountId, errorGroupId);
  const checkUuid = typeof checkId === "number" ? await causes.checkUuid(accountId, checkId) : group?.checkUuid;
  const check = checkUuid === undefined ? undefined : await checks.byUuid(accountId, checkUuid);
  const stored = storedAnalysis(analysis);
  return {
    id: uuid,
    checkType: check?.type ?? "",
    provider,
    model,
    checkId: checkUuid ?? null,
    errorGroupId: errorGroupId === null ? null : errorGroupUuid(errorGroupId),
    durationMs,
    ...(stored !== undefined && { analysis: analysisView(stored, publicUrl()) }),
    status: "COMPLETED",
    created_at: instant(createdAtMs),
  };
}
