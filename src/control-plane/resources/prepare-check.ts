import type { Assertion } from "#contract/checks/assertion.ts";
import type { CheckCreate } from "#contract/checks/index.ts";
import { AppError } from "#domain/app-error.ts";
import { assertionProblems, patternProblems } from "#domain/assertions/problems.ts";
import { nextDueMs, offsetProblem, periodMs, phaseMs, spreadOffset } from "#domain/schedule.ts";
import type { CheckDefinition, CheckSchedule, CheckStore, LocationStore } from "../storage/storage.ts";

const maxTags = 500;
const maxTagLength = 255;

export interface PrepareDeps {
  readonly checks: Pick<CheckStore, "offsets">;
  readonly locations: Pick<LocationStore, "byCodes">;
}

export interface PreparedCheck {
  readonly definition: CheckDefinition;
  readonly locationIds: readonly number[];
  readonly schedule: CheckSchedule;
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
  const problems = [...groupProblems(wanted), ...tagProblems(wanted), ...requestProblems(wanted)];
  const { locationIds, problems: locationProblems } = await findLocations(deps, accountId, wanted);
  problems.push(...locationProblems);
  const frequencyOffset = wanted.frequencyOffset ?? spreadOffset(wanted.frequency, await deps.checks.offsets(wanted.frequency));
  const unfit = offsetProblem(wanted.frequency, frequencyOffset);
  if (unfit !== null) problems.push({ path: "frequencyOffset", message: `${unfit}; received ${frequencyOffset}` });
  if (problems.length > 0) throw invalid(problems);
  return {
    definition: { ...wanted, frequencyOffset },
    locationIds,
    schedule: scheduleOf(uuid, wanted.frequency, frequencyOffset, wanted.activated, nowMs),
  };
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

function invalid(issues: readonly Problem[]): AppError {
  const message = issues
    .map((issue) => (issue.message.startsWith(issue.path) ? issue.message : `"${issue.path}" ${issue.message}`))
    .join("; ");
  return new AppError("invalid_input", message, { attributes: { issues } });
}

/** There are no groups yet, so none can be joined. */
function groupProblems({ groupId }: CheckCreate): Problem[] {
  return groupId === null ? [] : [{ path: "groupId", message: `names no check group of this account; received ${groupId}` }];
}

/** Tags stand in an index, whose entries PostgreSQL bounds. */
function tagProblems({ tags }: CheckCreate): Problem[] {
  if (tags.length > maxTags) return [{ path: "tags", message: `must have at most ${maxTags} entries, received ${tags.length}` }];
  return tags.flatMap((tag, index) =>
    tag.length > maxTagLength
      ? [{ path: `tags[${index}]`, message: `must have at most ${maxTagLength} characters, received ${tag.length}` }]
      : [],
  );
}

function requestProblems({ request }: CheckCreate): Problem[] {
  const assertions: readonly Assertion[] = request.assertions;
  const problems = assertions.flatMap((assertion, index) =>
    assertionProblems(assertion).map((message) => ({ path: `request.assertions[${index}]`, message: `cannot be evaluated: ${message}` })),
  );
  const expected = "expect" in request && request.expect !== null ? patternProblems(request.expect) : [];
  return [...problems, ...expected.map((message) => ({ path: "request.expect", message: `cannot be matched: ${message}` }))];
}

async function findLocations(
  { locations }: PrepareDeps,
  accountId: number,
  wanted: CheckCreate,
): Promise<{ locationIds: readonly number[]; problems: readonly Problem[] }> {
  const codes = { locations: [...new Set(wanted.locations ?? [])], privateLocations: [...new Set(wanted.privateLocations ?? [])] };
  const all = [...codes.locations, ...codes.privateLocations];
  if (all.length === 0) {
    const message = "and privateLocations are empty, but an activated check needs at least one location";
    return { locationIds: [], problems: wanted.activated ? [{ path: "locations", message }] : [] };
  }
  const rows = await locations.byCodes(accountId, all);
  const idOf = (code: string, isPrivate: boolean): number | undefined =>
    rows.find((row) => row.code === code && (row.accountId !== null) === isPrivate)?.id;
  const found = [
    ...codes.locations.map((code) => ({ path: "locations", code, id: idOf(code, false) })),
    ...codes.privateLocations.map((code) => ({ path: "privateLocations", code, id: idOf(code, true) })),
  ];
  return {
    locationIds: found.flatMap(({ id }) => id ?? []),
    problems: found.flatMap(({ path, code, id }) =>
      id === undefined ? [{ path, message: `names no location of this account: ${code}` }] : [],
    ),
  };
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
