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
 * A stored check with a partial update applied: what is omitted keeps its value; whatever is sent replaces what there was, also an object
 * (behaviour 1). Only the target of a request stays where it is not named, and a heartbeat's timer as a whole. An offset that a new frequency no longer allows is
 * assigned anew unless the update names one.
 *
 * @throws {AppError} invalid_input when the whole is no valid check
 */
function mergedCheck(type: CheckTypeName, before: CheckDefinition, change: CheckUpdate): CheckCreate {
  const { frequencyOffset: _, ...withoutOffset } = before;
  const { frequency, frequencyOffset } = change as { readonly frequency?: number; readonly frequencyOffset?: number };
  const movesOffset = frequency !== undefined && frequencyOffset === undefined;
  const keepsOffset = !movesOffset || offsetProblem(frequency, before.frequencyOffset) === null;
  return parsePart(storedCheckTypes[type].create, merged(type, withoutToken(keepsOffset ? before : withoutOffset), change)) as CheckCreate;
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

/** What says what a check is of: no client leaves it out to clear it. */
const target = ["hostname", "url", "query", "recordType"];
/** Elsewhere a port has a default. */
const typesWithPort: readonly CheckTypeName[] = ["TCP", "GRPC"];

function merged(type: CheckTypeName, before: unknown, change: unknown): unknown {
  if (!isObject(before) || !isObject(change)) return change;
  const kept = typesWithPort.includes(type) ? [...target, "port"] : target;
  const request = replaced(before["request"], change["request"], (name) => kept.includes(name));
  const heartbeat = replaced(before["heartbeat"], change["heartbeat"], () => true);
  return { ...before, ...change, ...(request && { request }), ...(heartbeat && { heartbeat }) };
}

/** What is sent, with those members of before that stay; undefined where nothing is sent. */
function replaced(before: unknown, change: unknown, stays: (name: string) => boolean): Readonly<Record<string, unknown>> | undefined {
  if (!isObject(change)) return undefined;
  const kept = isObject(before) ? Object.entries(before).filter(([name]) => stays(name)) : [];
  return { ...Object.fromEntries(kept), ...change };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
