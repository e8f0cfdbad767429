import { randomUUID } from "node:crypto";
import type { z } from "zod";
import {
  type Analysis,
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
import type { AnalysisRow, AnalysisStore, CheckStore, ErrorGroupStore, TestFailureStore } from "../storage/storage.ts";

export interface AnalysisDeps {
  readonly analyses: AnalysisStore;
  readonly errorGroups: Pick<ErrorGroupStore, "byId">;
  readonly testFailures: Pick<TestFailureStore, "byId">;
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly nowMs: () => number;
}

export function analysisHandlers(deps: AnalysisDeps): readonly Handler[] {
  const { analyses, errorGroups, testFailures, nowMs } = deps;
  const request = async (
    accountId: number,
    of: Pick<AnalysisRow, "errorGroupId" | "testFailureGroupId">,
    body: { readonly userContext: string | null } | null | undefined,
  ) => {
    const wanted = { uuid: randomUUID(), userContext: body?.userContext ?? "", createdAtMs: nowMs() };
    return { id: (await analyses.request(accountId, of, wanted)).uuid, status: "PENDING" as const };
  };
  return [
    handler(analyseErrorGroup, async ({ params: { errorGroupId: id }, body }, { caller: { account } }) => {
      const no = errorGroupIdOf(id);
      if (no === undefined || (await errorGroups.byId(account.id, no)) === undefined) throw notFound("error group", id);
      return request(account.id, { errorGroupId: no, testFailureGroupId: null }, body);
    }),
    handler(analyseTestSessionErrorGroup, async ({ params: { testSessionErrorGroupId: id }, body }, { caller: { account } }) => {
      const no = testErrorGroupIdOf(id);
      if (no === undefined || (await testFailures.byId(account.id, no)) === undefined) throw notFound("error group", id);
      return request(account.id, { errorGroupId: null, testFailureGroupId: no }, body);
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
  { errorGroups, checks }: AnalysisDeps,
  accountId: number,
  { uuid, errorGroupId, createdAtMs }: AnalysisRow,
  { provider, model, durationMs, analysis }: NonNullable<AnalysisRow["completed"]>,
): Promise<RootCauseAnalysis> {
  const group = errorGroupId === null ? undefined : await errorGroups.byId(accountId, errorGroupId);
  const check = group && (await checks.byUuid(accountId, group.checkUuid));
  return {
    id: uuid,
    checkType: check?.type ?? "",
    provider,
    model,
    checkId: group?.checkUuid ?? null,
    errorGroupId: errorGroupId === null ? null : errorGroupUuid(errorGroupId),
    durationMs,
    analysis: analysis as z.infer<typeof Analysis>, // whoever completes it writes this form
    status: "COMPLETED",
    created_at: instant(createdAtMs),
  };
}
