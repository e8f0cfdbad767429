import type { CheckGroupSettings } from "#contract/check-groups.ts";
import type { CheckCreate } from "#contract/checks/stored-types.ts";
import { isPingedCheck } from "#contract/checks/traits.ts";
import { effectiveRun, ownRunSettings } from "#domain/effective-check.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { accountRuntime } from "#domain/script-runtime.ts";
import type { AccountRow, CheckDefinition, TrialCheck } from "../storage/storage.ts";
import type { CheckDeps } from "./checks.ts";
import { prepareCheck } from "./prepare-check.ts";

export type TrialCheckDeps = Parameters<typeof prepareCheck>[0] & Pick<CheckDeps, "checkGroups" | "nowMs">;

/** A check with its secrets sealed, that is stored nowhere. */
export interface Tried {
  readonly uuid: string;
  readonly check: CheckCreate;
  /** One that came with it, in the place of one that is stored. */
  readonly group?: { readonly uuid: string; readonly settings: CheckGroupSettings } | undefined;
}

/** What runs of it, under the rules of a check that is stored, but that it needs no location of its own. @throws {AppError} invalid_input */
export async function trialCheck(deps: TrialCheckDeps, account: AccountRow, { uuid, check, group }: Tried): Promise<TrialCheck> {
  if (isPingedCheck(check)) throw invalidInput([{ path: "checkType", message: `is ${check.checkType}, which has nothing to run` }]);
  const { definition } = await prepareCheck(deps, account.id, uuid, { ...check, activated: false }, deps.nowMs());
  const { checkType: type, groupId } = check;
  const scriptRuntime = await runtimeOf(deps, account, { uuid, check, group }, definition);
  return { uuid, type, definition, groupId, group, scriptRuntime };
}

/** The runtime that its scripts need, or those of its group. */
async function runtimeOf(
  { checkGroups }: TrialCheckDeps,
  account: AccountRow,
  { check: { checkType, groupId }, group }: Tried,
  definition: CheckDefinition,
): Promise<string | null> {
  const stored = groupId === null ? undefined : await checkGroups.byId(account.id, groupId);
  const settings = group?.settings ?? stored?.settings;
  const own = ownRunSettings(checkType, definition, []);
  const { scriptRuntime } = effectiveRun(settings === undefined ? null : { ...settings, locationIds: stored?.locationIds ?? [] }, own);
  return scriptRuntime === accountRuntime ? account.runtimeId : scriptRuntime;
}
