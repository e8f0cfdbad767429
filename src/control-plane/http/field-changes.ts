import { secretIn } from "#domain/open-secrets.ts";
import type { FieldChange } from "../storage/storage.ts";

/* What the audit log keeps of a change, field by field. It is kept for a year and read by people who may not have seen the object, so it is stricter than
 * what REST shows: of fields that hold secrets, or may hold one that somebody forgot to lock, it tells only that they changed. */

const bounds = { changes: 40, valueLength: 160, fieldLength: 160, depth: 6, inAll: 8_000 };

/** A part of a path whose values are never kept. */
const hidden =
  /pass|secret|token|ping_?url|auth|credential|header|cookie|variable|body|script|snippet|config|cert|pem|private_?key|api_?key|payload|template|css|prompt|goal|proxy|^queryparam|^(?:value|key|target|username|data)$/i;

/** What is no change of anybody. */
const ignored = /(?:^|\.)(?:created_?at|updated_?at|revision|lastUsedAt|lastSeen\w*|sslCheck\w*)$/i;

/**
 * What differs between two views of an object. @param after undefined: it is gone, and only its name is kept
 */
export function fieldChanges(before: unknown, after: unknown): readonly FieldChange[] {
  const [was, is] = [flat(before), flat(after)];
  const fields =
    after === undefined ? ["name", "key", "slugName"].filter((field) => was.has(field)).slice(0, 1) : [...was.keys(), ...is.keys()];
  const found: FieldChange[] = [];
  let left = bounds.inAll;
  for (const field of new Set(fields)) {
    if (found.length === bounds.changes || left <= 0) break;
    if (ignored.test(field) || was.get(field) === is.get(field)) continue;
    const change = changeOf(field, was.get(field), is.get(field));
    left -= change.field.length + (change.before?.length ?? 0) + (change.after?.length ?? 0);
    found.push(change);
  }
  return found;
}

function changeOf(path: string, was: string | undefined, is: string | undefined): FieldChange {
  const field = path.slice(0, bounds.fieldLength);
  const [before, after] = [shown(was), shown(is)];
  // Also where what is shown of both is the same.
  const isUntold = before === undefined || after === undefined || before === after;
  const isHidden = isUntold || (path.split(/[.[\]]+/).some((part) => hidden.test(part)) && !isNumberInAssertion(path, before, after));
  return isHidden ? { field, before: null, after: null, isHidden } : { field, before, after, isHidden };
}

/** Such as a status code. */
function isNumberInAssertion(path: string, ...values: readonly (string | null)[]): boolean {
  return /(?:^|\.)assertions\[\d+\]\.target$/.test(path) && values.every((value) => value === null || /^\d{1,5}$/.test(value));
}

/** @returns undefined: it must not be told; null: there is none */
function shown(json: string | undefined): string | null | undefined {
  const value: unknown = json === undefined ? null : JSON.parse(json);
  if (value === null) return null;
  const text = withoutQueries(Array.isArray(value) ? value.map(plain).join(", ") : plain(value));
  if (secretIn(text, []) !== undefined) return undefined;
  return text.length > bounds.valueLength ? `${text.slice(0, bounds.valueLength - 1)}…` : text;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Names and passwords in addresses, and what stands behind their `?`, are often secrets. */
function withoutQueries(text: string): string {
  return text.replaceAll(/([a-z][\w+.-]*:\/\/)[^\s/?#@]*@/gi, "$1").replaceAll(/([a-z][\w+.-]*:\/\/[^\s?#]*)[?#]\S*/gi, "$1?…");
}

/** By path, such as `request.url` or `assertions[0].comparison`: what stands there, as JSON. */
function flat(value: unknown, path = "", found = new Map<string, string>()): ReadonlyMap<string, string> {
  const parts = partsOf(value, path);
  if (parts !== null) for (const [inner, part] of parts) flat(part, inner, found);
  else if (value !== undefined && path !== "") found.set(path, JSON.stringify(value));
  return found;
}

/** Null: it stands for itself, as a list of texts does. */
function partsOf(value: unknown, path: string): readonly (readonly [string, unknown])[] | null {
  if (!isObject(value) || path.split(/[.[]/).length > bounds.depth) return null;
  if (!Array.isArray(value)) return Object.entries(value).map(([name, part]) => [path === "" ? name : `${path}.${name}`, part]);
  return value.some(isObject) ? value.map((part: unknown, index) => [`${path}[${index}]`, part]) : null;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
