import {
  getTestSessionErrorGroup,
  listTestSessionErrorGroups,
  listTestSessionErrorGroupsOfProject,
  type TestSessionErrorGroup,
  updateTestSessionErrorGroup,
} from "#contract/test-session-error-groups.ts";
import { type Handler, handler } from "../http/handler.ts";
import { testErrorGroupIdOf, testErrorGroupUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import { notFound } from "../kinds/not-found.ts";
import type { TestFailureGroupRow, TestFailureStore } from "../storage/storage.ts";
import { type CompletedDeps, completedAnalyses } from "./completed-analyses.ts";

export interface TestErrorGroupDeps extends CompletedDeps {
  readonly testFailures: TestFailureStore;
  readonly nowMs: () => number;
}

/** So many of a project are listed: that list has no pages. */
const mostOfProject = 100;

export function testErrorGroupHandlers(deps: TestErrorGroupDeps): readonly Handler[] {
  const { testFailures, nowMs } = deps;
  const whole = async (accountId: number, row: TestFailureGroupRow | undefined, id: string): Promise<TestSessionErrorGroup> => {
    if (row === undefined) throw notFound("error group", id);
    return {
      ...view(row),
      rootCauseAnalyses: await completedAnalyses(deps, accountId, { errorGroupId: null, testFailureGroupId: row.id }),
    };
  };
  return [
    handler(listTestSessionErrorGroups, async ({ query }, { caller }) => {
      const { items, total } = await testFailures.list(caller.account.id, query);
      return { items: items.map(view), total };
    }),
    handler(listTestSessionErrorGroupsOfProject, async ({ params }, { caller }) => {
      const filter = { page: 1, limit: mostOfProject, projectUuid: params.projectId.toLowerCase() };
      return (await testFailures.list(caller.account.id, filter)).items.map(view);
    }),
    handler(getTestSessionErrorGroup, async ({ params: { id } }, { caller: { account } }) => {
      const no = testErrorGroupIdOf(id);
      return whole(account.id, no === undefined ? undefined : await testFailures.byId(account.id, no), id);
    }),
    handler(updateTestSessionErrorGroup, async ({ params: { id }, body }, { caller: { account } }) => {
      const no = testErrorGroupIdOf(id);
      const change = { untilNextEvent: body.archivedUntilNextEvent, forEver: body.archiveForEver, nowMs: nowMs() };
      return whole(account.id, no === undefined ? undefined : await testFailures.archive(account.id, no, change), id);
    }),
  ];
}

function view(row: TestFailureGroupRow): TestSessionErrorGroup {
  return {
    id: testErrorGroupUuid(row.id),
    projectId: row.projectUuid,
    environments: row.environments.length === 0 ? null : [...row.environments],
    errorHash: row.hash,
    rawErrorMessage: row.rawMessage,
    cleanedErrorMessage: row.cleanedMessage,
    firstSeen: instant(row.firstSeenMs),
    lastSeen: instant(row.lastSeenMs),
    archivedUntilNextEvent: row.archived,
    pwtMetadata: null,
  };
}
