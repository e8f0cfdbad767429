import type { TestSession } from "#contract/test-sessions.ts";
import { tryCheck, tryNewCheck } from "#contract/trials.ts";
import { type Handler, handler } from "../http/handler.ts";
import { refuseUnknownReferences } from "../kinds/references.ts";
import { withSealedSecrets } from "../secrets/definition-secrets.ts";
import type { AccountRow, CheckStore } from "../storage/storage.ts";
import type { CheckDeps } from "./checks.ts";
import { findCheck } from "./find-check.ts";
import { changedCheck, changeOf } from "./merged-check.ts";
import { findRunLocation, type TestSessionDeps, withResults } from "./test-sessions.ts";
import { type Tried, trialCheck } from "./trial-check.ts";

export interface TrialDeps extends TestSessionDeps, Pick<CheckDeps, "checkGroups" | "documents" | "hashOf"> {
  readonly checks: Pick<CheckStore, "byUuid" | "offsets">;
  readonly sealing: TestSessionDeps["sealing"] & CheckDeps["sealing"];
}

/** Checks that run once as somebody sent them, and are stored nowhere but in the test session of that run. */
export function trialHandlers(deps: TrialDeps): readonly Handler[] {
  const { checks, documents, sealing } = deps;
  return [
    handler(tryNewCheck, async ({ query, body }, { caller: { account } }) => {
      const uuid = crypto.randomUUID();
      await refuseUnknownReferences(documents, account.id, "check", body);
      const check = withSealedSecrets(body, undefined, sealing, { kind: "check", accountId: account.id, row: uuid });
      return start(deps, account, query.runLocation, { uuid, check, isStored: false });
    }),
    handler(tryCheck, async ({ params, query, body }, { caller: { account } }) => {
      const before = await findCheck(checks, account.id, params.id);
      const change = changeOf(before, body);
      await refuseUnknownReferences(documents, account.id, "check", change);
      return start(deps, account, query.runLocation, { uuid: before.uuid, check: changedCheck(before, change, sealing), isStored: true });
    }),
  ];
}

/** @throws {AppError} invalid_input */
async function start(
  deps: TrialDeps,
  account: AccountRow,
  runLocation: string,
  { isStored, ...tried }: Tried & { readonly isStored: boolean },
): Promise<TestSession> {
  const location = await findRunLocation(deps, account.id, runLocation);
  const check = await trialCheck(deps, account, tried);
  const session = await deps.testSessions.createTrials({
    accountId: account.id,
    locationId: location.id,
    name: check.definition.name,
    definition: { retryStrategy: null, environmentVariables: [] },
    trials: [{ check, isStored }],
    nowMs: deps.nowMs(),
  });
  return withResults(deps, session);
}
