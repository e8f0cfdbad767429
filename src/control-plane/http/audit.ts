import type { Access, Operation } from "#contract/operation.ts";
import type { AuditActor, AuditRequest, FieldChange, KeyRow, NewAuditEntry } from "../storage/storage.ts";
import type { AuditedRequest } from "./audited-request.ts";
import type { AccountCaller, Callers } from "./handler.ts";

/** A request that changes something of an account, and so is written to the audit log once it succeeded. */
export function isChange({ method }: Operation, caller: Callers[Access]): caller is AccountCaller {
  return method !== "GET" && caller !== undefined && "account" in caller;
}

const maxPathLength = 500;
const maxFields = 100;
const maxNameLength = 100;

export interface DoneChange {
  readonly caller: AccountCaller;
  readonly request: AuditedRequest & { readonly params: unknown };
  /** The body as it came, and as the operation's schema read it. */
  readonly given: unknown;
  readonly body: unknown;
  readonly answer: unknown;
  /** What it made of the fields. */
  readonly changes: readonly FieldChange[];
  readonly status: number;
  readonly nowMs: number;
}

/** What the audit log keeps of a change: names and ids, and of what was stored before and after what `fieldChanges` lets through. */
export function auditEntry({ id, method }: Operation, done: DoneChange): NewAuditEntry {
  const { caller, request, given, body, answer, changes, status, nowMs } = done;
  const { actor, account } = caller;
  return {
    accountId: account.id,
    atMs: nowMs,
    operation: id,
    resourceId: idOf(answer) ?? addressed(request.params),
    fields: knownNames(given, body),
    changes,
    actor,
    request: auditRequest(method, request, status),
  };
}

export function auditRequest(method: string, request: AuditedRequest, status: number): AuditRequest {
  const path = (request.url.split("?")[0] ?? "").slice(0, maxPathLength);
  return { method, path, status, requestId: request.id, remoteAddress: request.ip };
}

export function keyActor({ id, maskedKey, kind, role }: KeyRow): AuditActor {
  return { keyId: id, maskedKey, kind, role };
}

function idOf(answer: unknown): string | null {
  if (typeof answer !== "object" || answer === null || !("id" in answer)) return null;
  return typeof answer.id === "string" || typeof answer.id === "number" ? String(answer.id) : null;
}

/** What the address names last, where the answer holds no id: a deletion. */
function addressed(params: unknown): string | null {
  const last: unknown = isObject(params) ? Object.values(params).at(-1) : undefined;
  return typeof last === "string" || typeof last === "number" ? String(last).slice(0, maxNameLength) : null;
}

/** Names that the schema knows and the body has; what it does not know may be anything. */
function knownNames(given: unknown, body: unknown): readonly string[] {
  if (!isObject(given) || !isObject(body)) return [];
  return Object.keys(body)
    .filter((name) => Object.hasOwn(given, name) && name.length <= maxNameLength)
    .slice(0, maxFields);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
