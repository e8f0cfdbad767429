import { type ApiRequest, ApiRequestUpdate, type KeyValue } from "#contract/checks/api.ts";
import { tellIssue } from "#contract/issue-sentences.ts";
import type { ScriptRequest } from "../sandbox/sandbox.ts";
import type { Checked } from "./checked.ts";

interface WithRequest {
  readonly request: ApiRequest;
}

/** The request as scripts see it. A header that stands several times has its values joined, of a parameter the last counts. */
export function seenRequest({ request }: WithRequest): ScriptRequest {
  const { method, url, body, headers, queryParameters } = request;
  return { method, url, body, headers: joined(headers), queryParameters: lastOfEach(queryParameters) };
}

const changeable = ApiRequestUpdate.pick({ method: true, url: true, body: true, headers: true, queryParameters: true }).partial();
type Changes = ReturnType<typeof changesOf>;

/**
 * The settings with what setup scripts changed, and nothing else: what they left alone keeps its order, its doubles and its locks. A
 * header or parameter that was locked stays so under its name. A body in a check without one is sent as it is.
 */
export function withChanges<S extends WithRequest>(settings: S, before: ScriptRequest, after: ScriptRequest): Checked<S> {
  const changes = changesOf(settings.request, before, after);
  if (Object.keys(changes).length === 0) return { value: settings };
  const parsed = changeable.safeParse(changes, { reportInput: true });
  if (!parsed.success) return { problem: problemOf(changes, parsed.error.issues[0]) };
  return { value: { ...settings, request: { ...settings.request, ...parsed.data, ...bodyTypeFor(settings.request, changes) } } };
}

function changesOf(request: ApiRequest, before: ScriptRequest, after: ScriptRequest) {
  const sameHeader = (name: string): string => name.toLowerCase();
  const headers = changedEntries(request.headers, before.headers, after.headers, sameHeader);
  const queryParameters = changedEntries(request.queryParameters, before.queryParameters, after.queryParameters, (name) => name);
  return {
    ...(after.method !== before.method && { method: after.method.toUpperCase() }),
    ...(after.url !== before.url && { url: after.url }),
    ...(after.body !== before.body && { body: after.body }),
    ...(headers !== null && { headers }),
    ...(queryParameters !== null && { queryParameters }),
  };
}

function bodyTypeFor({ bodyType }: ApiRequest, { body }: Changes): Pick<ApiRequest, "bodyType"> | undefined {
  return body !== undefined && body !== "" && bodyType === "NONE" ? { bodyType: "RAW" } : undefined;
}

/** Null where nothing changed. */
function changedEntries(
  entries: readonly KeyValue[],
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  nameOf: (key: string) => string,
): KeyValue[] | null {
  const isSame = (key: string): boolean => Object.hasOwn(before, key) && Object.hasOwn(after, key) && before[key] === after[key];
  const changed = Object.entries(after).filter(([key]) => !isSame(key));
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  if (changed.length === 0 && gone.length === 0) return null;
  const replaced = new Set([...changed.map(([key]) => key), ...gone].map(nameOf));
  const locked = new Set(entries.flatMap((entry) => (entry.locked ? [nameOf(entry.key)] : [])));
  const kept = entries.filter(({ key }) => !replaced.has(nameOf(key)));
  return [...kept, ...changed.map(([key, value]) => ({ key, value, locked: locked.has(nameOf(key)) }))];
}

/** Names and lengths only: what a script put there may be a secret. The method is none. */
function problemOf(changes: Changes, issue: Parameters<typeof tellIssue>[0] | undefined): string {
  if (issue === undefined) return "the request is not of an allowed form";
  const [field, index, part] = issue.path;
  const { message } = tellIssue(issue, (path) => path[0] !== "method");
  const entries = field === "headers" || field === "queryParameters" ? changes[field] : undefined;
  const key = typeof index === "number" ? entries?.[index]?.key : undefined;
  const entry = key === undefined ? "" : part === "key" ? ": a name" : ` ${JSON.stringify(key.slice(0, 60))}`;
  return `request.${String(field)}${entry} ${message}`;
}

/** RFC 9110 §5.3. */
function joined(headers: readonly KeyValue[]): Record<string, string> {
  const seen: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const { key, value } of headers) seen[key] = Object.hasOwn(seen, key) ? `${seen[key]}, ${value}` : value;
  return seen;
}

function lastOfEach(parameters: readonly KeyValue[]): Record<string, string> {
  return Object.assign(Object.create(null) as Record<string, string>, Object.fromEntries(parameters.map(({ key, value }) => [key, value])));
}
