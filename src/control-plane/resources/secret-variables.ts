import type { KeyValue } from "#contract/checks/api.ts";
import type { CheckEnvironmentVariable } from "#contract/checks/scripted.ts";
import type { CheckCreate } from "#contract/checks/stored-types.ts";
import { secretMask } from "#contract/variables.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { Sealing, SecretPlace } from "../sealing.ts";
import type { CheckDefinition } from "../storage/storage.ts";

/** A variable as it is kept: the value of a secret one only sealed. */
interface StoredVariable extends CheckEnvironmentVariable {
  readonly sealed?: string;
}

/** What has the variables, as sealed values are bound to it. */
export type VariablesOwner = Omit<SecretPlace, "field">;

/** Where the value of a variable of a definition is sealed. */
export function variableField(key: string): string {
  return `environmentVariables.${key}`;
}

/**
 * A check as it is to be stored: values of secret variables are sealed, and a secret variable without a value, or with the asterisks that
 * stand for one, keeps the one that is stored under its key.
 *
 * @throws {AppError} invalid_input where a secret would be lost
 */
export function withSealedVariables<Check extends CheckCreate>(
  check: Check,
  before: CheckDefinition | undefined,
  sealing: Pick<Sealing, "seal" | "renewed">,
  owner: VariablesOwner,
): Check {
  const variables = variablesOf(check);
  if (variables.length === 0) return check;
  return { ...check, environmentVariables: sealedVariables(variables, variablesOf(before), sealing, owner) };
}

/** The same for variables alone. */
export function sealedVariables(
  variables: readonly CheckEnvironmentVariable[],
  before: readonly StoredVariable[],
  sealing: Pick<Sealing, "seal" | "renewed">,
  owner: VariablesOwner,
): StoredVariable[] {
  const known = new Map(before.map(({ key, sealed }) => [key, sealed]));
  const problems = variables.flatMap(({ key, value, secret }, index) => {
    const message = problemOf(value, secret, known.get(key) !== undefined);
    return message === null ? [] : [{ path: `environmentVariables[${index}].value`, message }];
  });
  if (problems.length > 0) throw invalidInput(problems);
  return variables.map(({ key, value, locked, secret }) => {
    if (!secret) return { key, value, locked, secret };
    const place = { ...owner, field: variableField(key) };
    const kept = known.get(key);
    const sealed = value === null || value === secretMask ? kept && sealing.renewed(kept, place) : sealing.seal(value, place);
    return { key, value: null, locked, secret, ...(sealed !== undefined && { sealed }) };
  });
}

function problemOf(value: string | null, isSecret: boolean, isKept: boolean): string | null {
  if (!isSecret) {
    const standsForKept = isKept && (value === null || value === secretMask);
    return standsForKept ? "must be a new value: null and asterisks keep only that of a secret which stays one" : null;
  }
  return value === secretMask && !isKept ? "is the asterisks that stand for a secret, not a value of its own" : null;
}

/** A definition as it may be read: without what is sealed. */
export function withoutSealed(definition: CheckDefinition): CheckDefinition {
  const variables = variablesOf(definition);
  if (variables.length === 0) return definition;
  return { ...definition, environmentVariables: variables.map(({ sealed: _sealed, ...variable }) => variable) };
}

/** A definition as keys read it whose role is below READ_WRITE: locked variables, headers and parameters have no value. */
export function withoutLocked(definition: CheckDefinition): CheckDefinition {
  const variables = variablesOf(definition).map((variable) => (variable.locked ? { ...variable, value: null } : variable));
  const request = definition["request"];
  return {
    ...definition,
    ...(variables.length > 0 && { environmentVariables: variables }),
    ...(isRecord(request) && { request: withoutLockedEntries(request) }),
  };
}

/** The same for the headers and parameters of a request, or of a group's settings for requests. */
export function withoutLockedEntries<Request extends object>(request: Request): Request {
  return { ...request, ...maskedEntries(request, "headers"), ...maskedEntries(request, "queryParameters") };
}

/** Empty for requests that have no such list. */
function maskedEntries(request: object, field: "headers" | "queryParameters"): object {
  const entries: unknown = (request as Readonly<Record<string, unknown>>)[field];
  if (!Array.isArray(entries)) return {};
  return { [field]: (entries as readonly KeyValue[]).map((entry) => (entry.locked ? { ...entry, value: secretMask } : entry)) };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** They were parsed with the check's own schema when it was written. */
function variablesOf(check: CheckCreate | CheckDefinition | undefined): readonly StoredVariable[] {
  const { environmentVariables } = { ...check } as { readonly environmentVariables?: readonly StoredVariable[] | null };
  return environmentVariables ?? [];
}
