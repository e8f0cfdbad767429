import { type CheckCreate, type CheckType, type CheckUpdate, checkTypes } from "#contract/checks/index.ts";
import { offsetProblem } from "#domain/schedule.ts";
import { parsePart } from "../http/validation.ts";
import type { CheckDefinition } from "../storage/storage.ts";

/**
 * A stored check with a partial update applied: what is omitted keeps its value, also inside `request`, `alertSettings`
 * and `retryStrategy`; arrays and null replace (behaviour 1). An offset that a new frequency no longer allows is
 * assigned anew unless the update names one.
 *
 * @throws {AppError} invalid_input when the whole is no valid check
 */
export function mergedCheck(type: CheckType, before: CheckDefinition, change: CheckUpdate): CheckCreate {
  const { frequencyOffset: _, ...withoutOffset } = before;
  const movesOffset = change.frequency !== undefined && change.frequencyOffset === undefined;
  const keepsOffset = !movesOffset || offsetProblem(change.frequency ?? before.frequency, before.frequencyOffset) === null;
  return parsePart(checkTypes[type].schemas.create, merged(keepsOffset ? before : withoutOffset, change)) as CheckCreate;
}

function merged(before: unknown, change: unknown): unknown {
  if (!isObject(before) || !isObject(change)) return change;
  return { ...before, ...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, merged(before[key], value)])) };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
