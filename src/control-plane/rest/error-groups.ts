import { type ErrorGroup, getErrorGroup, listErrorGroups, listErrorGroupsOfCheck, updateErrorGroup } from "#contract/error-groups.ts";
import { type Handler, handler } from "../http/handler.ts";
import { errorGroupIdOf, errorGroupUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { AnalysedGroup, CheckStore, ErrorGroupRow, ErrorGroupStore, Page } from "../storage/storage.ts";
import { type CompletedDeps, completedAnalyses } from "./completed-analyses.ts";
import { findCheck } from "./find-check.ts";

export interface ErrorGroupDeps extends CompletedDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly errorGroups: ErrorGroupStore;
  readonly nowMs: () => number;
}

export function errorGroupHandlers(deps: ErrorGroupDeps): readonly Handler[] {
  const { checks, errorGroups, nowMs } = deps;
  return [
    handler(listErrorGroups, async ({ query }, { caller }) => pageView(await errorGroups.list(caller.account.id, query))),
    handler(listErrorGroupsOfCheck, async ({ params, query }, { caller }) => {
      const check = await findCheck(checks, caller.account.id, params.checkId);
      return pageView(await errorGroups.list(caller.account.id, { ...query, checkId: check.id }));
    }),
    handler(getErrorGroup, async ({ params: { id } }, { caller }) => {
      const no = errorGroupIdOf(id);
      const row = no === undefined ? undefined : await errorGroups.byId(caller.account.id, no);
      const group = found(row, id);
      return row === undefined ? group : { ...group, rootCauseAnalyses: await completedAnalyses(deps, caller.account.id, analysed(row)) };
    }),
    handler(updateErrorGroup, async ({ params: { id }, body }, { caller }) => {
      const no = errorGroupIdOf(id);
      const change = { untilNextEvent: body.archivedUntilNextEvent, forEver: body.archiveForEver, nowMs: nowMs() };
      return found(no === undefined ? undefined : await errorGroups.archive(caller.account.id, no, change), id);
    }),
  ];
}

function analysed({ id }: ErrorGroupRow): AnalysedGroup {
  return { errorGroupId: id, testFailureGroupId: null };
}

/** @throws {AppError} not_found */
function found(row: ErrorGroupRow | undefined, id: string): ErrorGroup {
  if (row === undefined) throw notFound("error group", id);
  return view(row);
}

function pageView({ items, total }: Page<ErrorGroupRow>): { items: ErrorGroup[]; total: number } {
  return { items: items.map(view), total };
}

function view(row: ErrorGroupRow): ErrorGroup {
  return {
    id: errorGroupUuid(row.id),
    checkId: row.checkUuid,
    errorHash: row.hash,
    rawErrorMessage: row.rawMessage,
    cleanedErrorMessage: row.cleanedMessage,
    firstSeen: instant(row.firstSeenMs),
    lastSeen: instant(row.lastSeenMs),
    archivedUntilNextEvent: row.archived,
    rootCauseAnalyses: [],
  };
}
