import type { CheckGroupSettings } from "#contract/check-groups.ts";
import type { CheckEnvironmentVariable } from "#contract/checks/scripted.ts";
import type { CheckCreate } from "#contract/checks/stored-types.ts";
import { secretMask } from "#contract/variables.ts";
import { invalidInput } from "#domain/invalid-input.ts";
import type { Sealing, SecretPlace } from "../keys/sealing.ts";
import type { CheckDefinition, CheckGroupRow } from "../storage/storage.ts";
import { heartbeatOf, sealedHeartbeat } from "./ping-tokens.ts";
import { openedRequest, type Reveal, type SecretRequest, sealedRequest, sealedWhereOpen, shownRequest } from "./request-secrets.ts";
import { type VariablesOwner } from "./secret-owner.ts";

/** A variable as it is kept: the value of a secret or locked one only sealed. */
interface StoredVariable extends CheckEnvironmentVariable {
  readonly sealed?: string;
}

/** Where the value of a variable of a definition is sealed. */
export function variableField(key: string): string {
  return `environmentVariables.${key}`;
}

/**
 * A check as it is to be stored: its secrets are sealed. Where one has no value, or the asterisks that stand for one, the one stays that is
 * stored under its name. A heartbeat gets a token where it has none.
 *
 * @throws {AppError} invalid_input where a secret would be lost
 */
export function withSealedSecrets<Check extends CheckCreate>(
  check: Check,
  before: CheckDefinition | undefined,
  sealing: Pick<Sealing, "seal" | "renewed">,
  owner: VariablesOwner,
): Check {
  const variables = variablesOf(check);
  const request = requestOf(check);
  const known = (before && requestOf(before)) ?? {};
  const heartbeat = heartbeatOf(check);
  return {
    ...check,
    ...(variables.length > 0 && { environmentVariables: sealedVariables(variables, variablesOf(before), sealing, owner) }),
    ...(request !== undefined && { request: sealedRequest(request, known, sealing, { ...owner, field: "request" }) }),
    ...(heartbeat !== undefined && { heartbeat: sealedHeartbeat(heartbeat, before, sealing, owner) }),
  };
}

/** The same for variables alone. */
export function sealedVariables(
  variables: readonly CheckEnvironmentVariable[],
  before: readonly StoredVariable[],
  sealing: Pick<Sealing, "seal" | "renewed">,
  owner: VariablesOwner,
): StoredVariable[] {
  const known = new Map(before.filter(isKept).map((variable) => [variable.key, variable]));
  const problems = variables.flatMap((variable, index) => {
    const message = problemOf(variable, known.get(variable.key));
    return message === null ? [] : [{ path: `environmentVariables[${index}].value`, message }];
  });
  if (problems.length > 0) throw invalidInput(problems);
  return variables.map(({ key, value, locked, secret }) => {
    if (!secret && !locked) return { key, value, locked, secret };
    const place = { ...owner, field: variableField(key) };
    const kept = known.get(key);
    const sealed = value === null || value === secretMask ? kept && keptValue(kept, sealing, place) : sealing.seal(value, place);
    return { key, value: null, locked, secret, ...(sealed !== undefined && { sealed }) };
  });
}

/** Whether there is a value to keep. A locked one of an earlier release lies open. */
function isKept({ sealed, locked, value }: StoredVariable): boolean {
  return sealed !== undefined || (locked && value !== null);
}

function keptValue({ sealed, value }: StoredVariable, { seal, renewed }: Pick<Sealing, "seal" | "renewed">, place: SecretPlace): string {
  return sealed === undefined ? seal(value ?? "", place) : renewed(sealed, place);
}

function problemOf({ value, locked, secret }: CheckEnvironmentVariable, kept: StoredVariable | undefined): string | null {
  const standsForKept = value === null || value === secretMask;
  if (!secret && !locked) return kept !== undefined && standsForKept ? newValue : null;
  // What may be read by some must not become what is read by nobody's leave.
  if (kept?.secret === true && !secret && standsForKept) return newValue;
  return value === secretMask && kept === undefined ? "is the asterisks that stand for a secret, not a value of its own" : null;
}

const newValue = "must be a new value: null and asterisks keep only that of a secret which stays one";

/** What is stored of a check or a group with what an earlier release left open sealed; what is sealed stays as it is. */
export function sealedWhereOpenIn<D extends object>(
  stored: D,
  requestField: "request" | "apiCheckDefaults",
  sealing: Pick<Sealing, "seal">,
  owner: VariablesOwner,
): D {
  const request = (stored as Readonly<Record<string, unknown>>)[requestField];
  const { environmentVariables } = stored as { readonly environmentVariables?: readonly StoredVariable[] | null };
  return {
    ...stored,
    ...(typeof request === "object" &&
      request !== null && { [requestField]: sealedWhereOpen(request, sealing, { ...owner, field: requestField }) }),
    ...(environmentVariables && { environmentVariables: environmentVariables.map((variable) => closed(variable, sealing, owner)) }),
  };
}

function closed(variable: StoredVariable, { seal }: Pick<Sealing, "seal">, owner: VariablesOwner): StoredVariable {
  const { key, value, locked, sealed } = variable;
  if (!locked || value === null || sealed !== undefined) return variable;
  return { ...variable, value: null, sealed: seal(value, { ...owner, field: variableField(key) }) };
}

/** How secrets are read by somebody who may write, or not; null: as asterisks. */
export function revealFor(
  { secretsReadable, sealing }: { readonly secretsReadable: boolean; readonly sealing: Pick<Sealing, "unseal"> },
  mayWrite: boolean,
): Reveal {
  return secretsReadable && mayWrite ? sealing.unseal : null;
}

/** Variables as they are read back: values of secret ones never, of locked ones by those who may. */
export function shownVariables(variables: readonly StoredVariable[], reveal: Reveal, owner: VariablesOwner): CheckEnvironmentVariable[] {
  return variables.map(({ sealed, ...variable }) => {
    const { key, value, locked, secret } = variable;
    if (secret) return { ...variable, value: null };
    if (!locked) return variable;
    return { ...variable, value: reveal && (sealed === undefined ? value : reveal(sealed, { ...owner, field: variableField(key) })) };
  });
}

/** A check's definition as it is read back. */
export function shownDefinition(definition: CheckDefinition, reveal: Reveal, owner: VariablesOwner): CheckDefinition {
  const variables = variablesOf(definition);
  const request = requestOf(definition);
  return {
    ...definition,
    ...(variables.length > 0 && { environmentVariables: shownVariables(variables, reveal, owner) }),
    ...(request !== undefined && { request: shownRequest(request, reveal, { ...owner, field: "request" }) }),
  };
}

/** The settings of a group as they are read back. */
export function shownSettings(
  { accountId, uuid, settings }: Pick<CheckGroupRow, "accountId" | "uuid" | "settings">,
  reveal: Reveal,
): CheckGroupSettings {
  const owner = { kind: "check-group", accountId, row: uuid };
  const { apiCheckDefaults, environmentVariables } = settings;
  return {
    ...settings,
    apiCheckDefaults: shownRequest(apiCheckDefaults, reveal, { ...owner, field: "apiCheckDefaults" }),
    environmentVariables: environmentVariables && shownVariables(environmentVariables, reveal, owner),
  };
}

/** The same for the one job that needs them. */
export function openedSettings(
  settings: CheckGroupSettings,
  sealing: Pick<Sealing, "unseal">,
  owner: VariablesOwner,
  onLost: (place: SecretPlace) => void,
): CheckGroupSettings {
  const place = { ...owner, field: "apiCheckDefaults" };
  return { ...settings, apiCheckDefaults: openedRequest(settings.apiCheckDefaults, sealing, place, onLost) };
}

/** A check's definition for the one job that needs it. Variables go apart, see `jobs/kept-variables.ts`. */
export function openedDefinition<D extends object>(
  definition: D,
  sealing: Pick<Sealing, "unseal">,
  owner: VariablesOwner,
  onLost: (place: SecretPlace) => void,
): D {
  const request = requestOf(definition);
  return request === undefined
    ? definition
    : { ...definition, request: openedRequest(request, sealing, { ...owner, field: "request" }, onLost) };
}

/** It was parsed with the schema of the check's type, so its parts have their form. */
function requestOf(definition: object): SecretRequest | undefined {
  const { request } = definition as { readonly request?: unknown };
  return typeof request === "object" && request !== null ? (request as SecretRequest) : undefined;
}

/** They were parsed with the check's own schema when it was written. */
function variablesOf(check: CheckCreate | CheckDefinition | undefined): readonly StoredVariable[] {
  const { environmentVariables } = { ...check } as { readonly environmentVariables?: readonly StoredVariable[] | null };
  return environmentVariables ?? [];
}
