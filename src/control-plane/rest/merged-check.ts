import { type CheckCreate, type CheckUpdate, storedCheckTypes } from "#contract/checks/stored-types.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import { offsetProblem } from "#domain/schedule.ts";
import { parsePart } from "../http/validation.ts";
import type { Sealing } from "../keys/sealing.ts";
import { shownDefinition, withSealedSecrets } from "../secrets/definition-secrets.ts";
import { heartbeatOf } from "../secrets/ping-tokens.ts";
import type { CheckDefinition, CheckRow } from "../storage/storage.ts";

/**
 * A stored check with a partial update applied: what is omitted keeps its value, also inside `request`, `alertSettings`
 * and `retryStrategy`; arrays and null replace (behaviour 1). An offset that a new frequency no longer allows is
 * assigned anew unless the update names one.
 *
 * @throws {AppError} invalid_input when the whole is no valid check
 */
function mergedCheck(type: CheckTypeName, before: CheckDefinition, change: CheckUpdate): CheckCreate {
  const { frequencyOffset: _, ...withoutOffset } = before;
  const { frequency, frequencyOffset } = change as { readonly frequency?: number; readonly frequencyOffset?: number };
  const movesOffset = frequency !== undefined && frequencyOffset === undefined;
  const keepsOffset = !movesOffset || offsetProblem(frequency, before.frequencyOffset) === null;
  return parsePart(storedCheckTypes[type].create, merged(withoutToken(keepsOffset ? before : withoutOffset), change)) as CheckCreate;
}

/** A stored check as a change makes it, its new secrets sealed. @throws {AppError} invalid_input */
export function changedCheck(
  { type, accountId, uuid, definition }: CheckRow,
  change: CheckUpdate,
  sealing: Pick<Sealing, "seal" | "renewed">,
): CheckCreate {
  const owner = { kind: "check", accountId, row: uuid };
  // What is kept is merged by its asterisks: sealed, a secret is longer than its field may be.
  return withSealedSecrets(mergedCheck(type, shownDefinition(definition, null, owner), change), definition, sealing, owner);
}

/** The type is the stored check's; a body may name it, and cannot change it. @throws {AppError} invalid_input */
export function changeOf({ type }: CheckRow, body: { readonly checkType?: CheckTypeName | undefined }): CheckUpdate {
  if (body.checkType !== undefined && body.checkType !== type) {
    const message = `must be ${type}, the type of a check cannot change; received ${body.checkType}`;
    throw invalidInput([{ path: "checkType", message }]);
  }
  return parsePart(storedCheckTypes[type].update, body) as CheckUpdate;
}

/** A heartbeat keeps its address until it is told another one: `withSealedSecrets` sees to that. */
function withoutToken(before: Readonly<Record<string, unknown>>): unknown {
  const heartbeat = heartbeatOf(before);
  return heartbeat === undefined ? before : { ...before, heartbeat: { ...heartbeat, pingToken: null } };
}

function merged(before: unknown, change: unknown): unknown {
  if (!isObject(before) || !isObject(change)) return change;
  return { ...before, ...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, merged(before[key], value)])) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
