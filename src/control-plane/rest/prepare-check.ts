import { isCheckType, isOneScriptType } from "#contract/checks/index.ts";
import type { CheckCreate } from "#contract/checks/stored-types.ts";
import { isPingedCheck, type PingedType } from "#contract/checks/traits.ts";
import { type InputProblem, invalidInput } from "#domain/invalid-input.ts";
import { promptProblems } from "#domain/prompt-problems.ts";
import { requestProblems } from "#domain/request-problems.ts";
import { nextDueMs, offsetProblem, periodMs, phaseMs, spreadOffset } from "#domain/schedule.ts";
import { scriptProblems } from "#domain/script-problems.ts";
import { suiteProblems } from "#domain/suite-problems.ts";
import type { CheckGroupRow, CheckGroupStore, CheckSchedule, CheckStore, LocationStore } from "../storage/storage.ts";
import { findLocations } from "./find-locations.ts";
import { type PrepareHeartbeatDeps, prepareHeartbeat } from "./prepare-heartbeat.ts";
import { type PreparedCheck } from "./prepared-check.ts";

export interface PrepareDeps extends PrepareHeartbeatDeps {
  readonly checks: Pick<CheckStore, "offsets">;
  readonly checkGroups: Pick<CheckGroupStore, "byId">;
  readonly locations: Pick<LocationStore, "byCodes">;
}

/**
 * Holds a whole check against what its schema cannot say: locations that exist, an offset that fits the frequency,
 * assertions that can be evaluated. Assigns the offset that was left out.
 *
 * @throws {AppError} invalid_input naming the field
 */
export async function prepareCheck(
  deps: PrepareDeps,
  accountId: number,
  uuid: string,
  wanted: CheckCreate,
  nowMs: number,
): Promise<PreparedCheck> {
  const group = wanted.groupId === null ? undefined : await deps.checkGroups.byId(accountId, wanted.groupId);
  const problems = groupProblems(wanted, group);
  if (isPingedCheck(wanted)) {
    if (problems.length > 0) throw invalidInput(problems);
    return prepareHeartbeat(deps, wanted, { kind: "check", accountId, row: uuid });
  }
  problems.push(...problemsOfType(wanted), ...placeProblems(wanted, group));
  const { locationIds, problems: locationProblems } = await findLocations(deps.locations, accountId, wanted);
  problems.push(...locationProblems);
  const frequencyOffset = wanted.frequencyOffset ?? spreadOffset(wanted.frequency, await deps.checks.offsets(wanted.frequency));
  const unfit = offsetProblem(wanted.frequency, frequencyOffset);
  if (unfit !== null) problems.push({ path: "frequencyOffset", message: `${unfit}; received ${frequencyOffset}` });
  if (problems.length > 0) throw invalidInput(problems);
  return {
    definition: { ...wanted, frequencyOffset },
    locationIds,
    schedule: scheduleOf(uuid, wanted.frequency, frequencyOffset, wanted.activated, nowMs),
  };
}

/** What runs somewhere. */
type RunningCheck = Exclude<CheckCreate, { readonly checkType: PingedType }>;

function groupProblems({ groupId }: CheckCreate, group: CheckGroupRow | undefined): InputProblem[] {
  const isMissing = groupId !== null && group === undefined;
  return isMissing ? [{ path: "groupId", message: `names no check group of this account; received ${groupId}` }] : [];
}

/** What types have that nobody runs yet is kept as it is. */
function problemsOfType(wanted: RunningCheck): readonly InputProblem[] {
  if ("request" in wanted) return requestProblems(wanted.checkType, wanted.request);
  if ("testCommand" in wanted) return suiteProblems(wanted);
  if ("prompt" in wanted) return promptProblems(wanted);
  return "script" in wanted && isCheckType(wanted.checkType) && isOneScriptType(wanted.checkType)
    ? scriptProblems(wanted.checkType, wanted)
    : [];
}

/** An activated check needs a location of its own or its group's (behaviour 1, Errors). */
function placeProblems(wanted: RunningCheck, group: CheckGroupRow | undefined): InputProblem[] {
  const own = (wanted.locations?.length ?? 0) + (wanted.privateLocations?.length ?? 0);
  if (!wanted.activated || own > 0 || (group?.locationIds.length ?? 0) > 0) return [];
  const message = "and privateLocations are empty, but an activated check needs at least one location of its own or its group's";
  return [{ path: "locations", message }];
}

function scheduleOf(uuid: string, frequency: number, frequencyOffset: number, activated: boolean, nowMs: number): CheckSchedule {
  const period = periodMs(frequency, frequencyOffset);
  const phase = phaseMs(uuid, frequency, frequencyOffset, period);
  return {
    periodMs: period,
    phaseMs: phase,
    nextDueMs: activated ? nextDueMs({ periodMs: period, phaseMs: phase, afterMs: nowMs }) : null,
  };
}
