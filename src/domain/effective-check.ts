import type { ApiCheckDefaults, CheckGroupSettings, StoredGroupVariable } from "#contract/check-groups.ts";
import type { ApiRequest } from "#contract/checks/api.ts";
import { isPinged, traitsOf } from "#contract/checks/traits.ts";
import type { CheckTypeName } from "#contract/primitives.ts";
import { accountRuntime, isRunScript, scriptRuntime } from "./script-runtime.ts";

/** What a check was told, as far as its group may say otherwise. */
export type ConfiguredCheck = Readonly<Record<string, unknown>> & {
  readonly activated: boolean;
  readonly muted: boolean;
  readonly tags: readonly string[];
  readonly runParallel: boolean;
};

/**
 * What runs of a check in a group (behaviour 2.6).
 *
 * - It runs when both are activated, is muted when either is, and carries the tags of both.
 * - The group's locations, of both kinds together, replace the check's own where the group has any.
 * - `runParallel` and `retryStrategy` are the group's where it enforces them: not null, not FALLBACK.
 * - Alert settings and the runtime go by the order check, group, account.
 * - An API check gets the group's headers and parameters that it has not itself, its assertions after its own, and its basic auth where it
 *   has none. The group's URL is no part of the request: it is the variable GROUP_BASE_URL; placeholders stay as they are.
 * - A browser check has the group's `browserCheckDefaults` before its script.
 * - Variables are the check's where both have one. The group's scripts run around the check's own, so they are not merged here.
 */
export function effectiveCheck<Check extends ConfiguredCheck>(group: CheckGroupSettings | null, type: CheckTypeName, check: Check): Check {
  if (group === null) return check;
  return {
    ...check,
    ...effectiveAlerts(group, check),
    activated: check.activated && group.activated,
    tags: [...new Set([...check.tags, ...group.tags])],
    ...(isRun(type) && effectiveRuns(group, check)),
    ...(traitsOf(type).sharesScript && { script: withDefaultsBefore(group.browserCheckDefaults, check["script"]) }),
    ...(traitsOf(type).sharesRequests && { request: effectiveRequest(group.apiCheckDefaults, apiRequest(check)) }),
    ...("environmentVariables" in check && {
      environmentVariables: withMissing(variables(check), group.environmentVariables ?? [], (name) => name),
    }),
  };
}

/** What a group makes of whether and when somebody is told of its check. */
export function effectiveAlerts(group: CheckGroupSettings, check: ConfiguredCheck) {
  return { muted: check.muted || group.muted, ...(check["useGlobalAlertSettings"] !== false && alertSettings(group)) };
}

/** A heartbeat is told by its target. */
function isRun(type: CheckTypeName): boolean {
  return !isPinged(type);
}

function effectiveRuns(group: CheckGroupSettings, check: ConfiguredCheck) {
  return {
    runParallel: group.runParallel ?? check.runParallel,
    runtimeId: check["runtimeId"] ?? group.runtimeId,
    ...(hasLocations(group) && { locations: group.locations ?? [], privateLocations: group.privateLocations ?? [] }),
    ...(group.retryStrategy !== "FALLBACK" && { retryStrategy: group.retryStrategy }),
  };
}

function hasLocations({ locations, privateLocations }: CheckGroupSettings): boolean {
  return (locations?.length ?? 0) + (privateLocations?.length ?? 0) > 0;
}

/** Settings that the group enforces and that are its own; none where it follows the account or leaves them to its checks. */
function alertSettings({ useGlobalAlertSettings, alertSettings: own }: CheckGroupSettings) {
  return useGlobalAlertSettings !== true && own !== null ? { useGlobalAlertSettings: false, alertSettings: own } : {};
}

/** It was parsed with the schema of API checks when the check was written. */
function apiRequest(check: ConfiguredCheck): ApiRequest {
  return check["request"] as ApiRequest;
}

function withDefaultsBefore(defaults: string, script: unknown): unknown {
  return typeof script !== "string" || defaults.trim() === "" ? script : `${defaults.trimEnd()}\n${script}`;
}

/** They were parsed with the schema of the check's type. */
function variables(check: ConfiguredCheck): readonly StoredGroupVariable[] {
  return (check["environmentVariables"] ?? []) as readonly StoredGroupVariable[];
}

/** The request of an API check with what its group adds. */
export function effectiveRequest(defaults: ApiCheckDefaults, request: ApiRequest): ApiRequest {
  const sameName = (name: string): string => name.toLowerCase(); // RFC 9110 §5.1: header names have no case
  return {
    ...request,
    headers: withMissing(request.headers, defaults.headers, sameName),
    queryParameters: withMissing(request.queryParameters, defaults.queryParameters, (name) => name),
    assertions: [...request.assertions, ...defaults.assertions],
    basicAuth: hasBasicAuth(request.basicAuth) || !hasBasicAuth(defaults.basicAuth) ? request.basicAuth : defaults.basicAuth,
  };
}

/** The group's entries whose name the check does not have, then the check's. */
function withMissing<Entry extends { readonly key: string }>(
  own: readonly Entry[],
  defaults: readonly Entry[],
  nameOf: (key: string) => string,
): Entry[] {
  const names = new Set(own.map(({ key }) => nameOf(key)));
  return [...defaults.filter(({ key }) => !names.has(nameOf(key))), ...own];
}

/** Clients send two empty texts for none. */
function hasBasicAuth(auth: ApiRequest["basicAuth"]): boolean {
  return (auth?.username ?? "") !== "" || (auth?.password ?? "") !== "";
}

/** What the scheduler and the queue look at. Locations are the store's ids. */
export interface RunSettings {
  readonly activated: boolean;
  readonly runParallel: boolean;
  readonly locationIds: readonly number[];
  /** See `domain/script-runtime`. */
  readonly scriptRuntime: string | null;
}

/** What a check says of its runs itself. */
export interface OwnRunSettings extends RunSettings {
  readonly type: CheckTypeName;
  readonly runtimeId: string | null;
}

/** What a group says of the runs of its checks. */
export interface GroupRunSettings
  extends Pick<
    CheckGroupSettings,
    "activated" | "runParallel" | "runtimeId" | "setupSnippetId" | "tearDownSnippetId" | "localSetupScript" | "localTearDownScript"
  > {
  readonly locationIds: readonly number[];
}

/** What a check itself says of its runs, before its group's settings. */
export function ownRunSettings(type: CheckTypeName, check: ConfiguredCheck, locationIds: readonly number[]): OwnRunSettings {
  const runtimeId = typeof check["runtimeId"] === "string" ? check["runtimeId"] : null;
  const { activated, runParallel } = check;
  return { type, activated, runParallel, locationIds, scriptRuntime: scriptRuntime(type, check), runtimeId };
}

/** The same rules as `effectiveCheck`, without the whole definition: a group's change is worked out for thousands of checks at once. */
export function effectiveRun(group: GroupRunSettings | null, own: OwnRunSettings): RunSettings {
  if (group === null) return own;
  const hasScripts =
    own.scriptRuntime !== null ||
    isRunScript(own.type) ||
    (traitsOf(own.type).scripts === "around" && scriptRuntime(own.type, { ...group }) !== null);
  return {
    activated: own.activated && group.activated,
    runParallel: group.runParallel ?? own.runParallel,
    locationIds: isRun(own.type) && group.locationIds.length > 0 ? group.locationIds : own.locationIds,
    scriptRuntime: hasScripts ? (own.runtimeId ?? group.runtimeId ?? accountRuntime) : null,
  };
}
