import type { CheckCreate } from "#contract/checks/stored-types.ts";
import { isPingedCheck } from "#contract/checks/traits.ts";
import type { TestSession } from "#contract/test-sessions.ts";
import { tryCheck, tryNewCheck } from "#contract/trials.ts";
import { effectiveRun, ownRunSettings } from "#domain/effective-check.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { accountRuntime } from "#domain/script-runtime.ts";
import { type Handler, handler } from "../http/handler.ts";
import { refuseUnknownReferences } from "../kinds/references.ts";
import { withSealedSecrets } from "../secrets/definition-secrets.ts";
import type { AccountRow, CheckDefinition, CheckStore } from "../storage/storage.ts";
import type { CheckDeps } from "./checks.ts";
import { findCheck } from "./find-check.ts";
import { changedCheck, changeOf } from "./merged-check.ts";
import { prepareCheck } from "./prepare-check.ts";
import { findRunLocation, type TestSessionDeps, withResults } from "./test-sessions.ts";

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

interface Tried {
  readonly uuid: string;
  readonly check: CheckCreate;
  readonly isStored: boolean;
}

/** Under the rules of a check that is stored, but that it needs no location of its own. @throws {AppError} invalid_input */
async function start(deps: TrialDeps, account: AccountRow, runLocation: string, { uuid, check, isStored }: Tried): Promise<TestSession> {
  if (isPingedCheck(check)) throw invalidInput([{ path: "checkType", message: `is ${check.checkType}, which has nothing to run` }]);
  const nowMs = deps.nowMs();
  const location = await findRunLocation(deps, account.id, runLocation);
  const { definition } = await prepareCheck(deps, account.id, uuid, { ...check, activated: false }, nowMs);
  const scriptRuntime = await runtimeOf(deps, account, check, definition);
  const { checkType: type, groupId } = check;
  const session = await deps.testSessions.createTrial({
    accountId: account.id,
    locationId: location.id,
    definition: { retryStrategy: null, environmentVariables: [] },
    check: { uuid, type, definition, groupId, scriptRuntime },
    isStored,
    nowMs,
  });
  return withResults(deps, session);
}

/** The runtime that its scripts need, or those of its group. */
async function runtimeOf(
  { checkGroups }: TrialDeps,
  account: AccountRow,
  { checkType, groupId }: CheckCreate,
  definition: CheckDefinition,
): Promise<string | null> {
  const group = groupId === null ? undefined : await checkGroups.byId(account.id, groupId);
  const own = ownRunSettings(checkType, definition, []);
  const { scriptRuntime } = effectiveRun(group === undefined ? null : { ...group.settings, locationIds: group.locationIds }, own);
  return scriptRuntime === accountRuntime ? account.runtimeId : scriptRuntime;
}
