import { getTestsOfSuite, type SuiteTests } from "#contract/suite-tests.ts";
import { type TestHistory, testHistory } from "#domain/test-history.ts";
import { type Handler, handler } from "../http/handler.ts";
import { resultUuid } from "../kinds/ids.ts";
import { instant } from "../kinds/instants.ts";
import type { CheckStore, SuiteRunStore } from "../storage/storage.ts";
import { findCheck } from "./find-check.ts";

export interface SuiteTestDeps {
  readonly checks: Pick<CheckStore, "byUuid">;
  readonly suiteRuns: Pick<SuiteRunStore, "latest">;
}

export function suiteTestHandlers({ checks, suiteRuns }: SuiteTestDeps): readonly Handler[] {
  return [
    handler(getTestsOfSuite, async ({ params: { id }, query: { runs: limit, location } }, { caller }): Promise<SuiteTests> => {
      const check = await findCheck(checks, caller.account.id, id);
      const attempts = await suiteRuns.latest({ checkId: check.id, limit, ...(location !== undefined && { locationCode: location }) });
      const { runs, tests } = testHistory(attempts);
      const told = runs.map((run) => ({ resultId: resultUuid(run), startedAt: instant(run.startedAtMs), location: run.location }));
      return { checkId: check.uuid, runs: told, tests: tests.map((test) => testView(test, told)) };
    }),
  ];
}

function testView(test: TestHistory, runs: SuiteTests["runs"]): SuiteTests["tests"][number] {
  const first = test.failingSince === null ? undefined : runs[test.failingSince.run];
  const since = first && { resultId: first.resultId, startedAt: first.startedAt, isNew: test.failingSince?.isNew ?? false };
  return { ...test, outcomes: [...test.outcomes], durationsMs: [...test.durationsMs], failingSince: since ?? null };
}
