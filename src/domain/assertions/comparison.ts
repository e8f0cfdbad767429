import type { Comparison } from "#contract/checks/assertion.ts";
import { isObject, sameJson } from "./json-equality.ts";

/** True or false, or a clause saying why the two cannot be compared (the assertion then fails). */
type Outcome = boolean | string;

/**
 * What each comparison means for each kind of value. `undefined` is absence: no value at the path, no such header,
 * no match. An absent value is empty and null and has neither key nor value; every other comparison fails on it,
 * negated ones too, so that a mistyped path cannot make a check pass for ever.
 *
 * | | string | number, boolean | array | object | null |
 * |---|---|---|---|---|---|
 * | EQUALS | same text | same number; `true`, `false` | deep equality with the target as JSON | the same | `null` |
 * | HAS_KEY | no | no | the index exists | own property | no |
 * | HAS_VALUE | same text | as EQUALS | an element equals | a property's value equals | as EQUALS |
 * | CONTAINS | part of the text | part of its text | an element equals | a property's value equals | no |
 * | IS_EMPTY | "" | no | no elements | no properties | yes |
 * | GREATER_THAN, LESS_THAN | as a number, if it is one | number; boolean cannot | cannot | cannot | cannot |
 *
 * The NOT_ comparisons are the exact opposites for values that exist.
 */
const rules: Readonly<Record<Comparison, (value: unknown, target: string) => Outcome>> = {
  EQUALS: equals,
  NOT_EQUALS: (value, target) => !equals(value, target),
  HAS_KEY: hasKey,
  NOT_HAS_KEY: (value, target) => !hasKey(value, target),
  HAS_VALUE: hasValue,
  NOT_HAS_VALUE: (value, target) => !hasValue(value, target),
  IS_EMPTY: isEmpty,
  NOT_EMPTY: (value) => !isEmpty(value),
  GREATER_THAN: (value, target) => ordered(value, target, (a, b) => a > b),
  LESS_THAN: (value, target) => ordered(value, target, (a, b) => a < b),
  CONTAINS: contains,
  NOT_CONTAINS: (value, target) => !contains(value, target),
  IS_NULL: (value) => value === null,
  NOT_NULL: (value) => value !== null,
};

const holdsForAbsent: ReadonlySet<Comparison> = new Set(["IS_EMPTY", "IS_NULL", "NOT_HAS_KEY", "NOT_HAS_VALUE"]);

const phrases: Readonly<Record<Comparison, string>> = {
  EQUALS: "to equal",
  NOT_EQUALS: "not to equal",
  HAS_KEY: "to have the key",
  NOT_HAS_KEY: "not to have the key",
  HAS_VALUE: "to have the value",
  NOT_HAS_VALUE: "not to have the value",
  IS_EMPTY: "to be empty",
  NOT_EMPTY: "not to be empty",
  GREATER_THAN: "to be greater than",
  LESS_THAN: "to be less than",
  CONTAINS: "to contain",
  NOT_CONTAINS: "not to contain",
  IS_NULL: "to be null",
  NOT_NULL: "not to be null",
};

const withoutTarget: ReadonlySet<Comparison> = new Set(["IS_EMPTY", "NOT_EMPTY", "IS_NULL", "NOT_NULL"]);

/** Whether the comparison holds; a string says why value and target cannot be compared. */
export function compare(comparison: Comparison, value: unknown, target: string): Outcome {
  return value === undefined ? holdsForAbsent.has(comparison) : rules[comparison](value, target);
}

/** `to equal "200"`: the middle of the sentence that a failed assertion tells. */
export function expectation(comparison: Comparison, target: string): string {
  return withoutTarget.has(comparison) ? phrases[comparison] : `${phrases[comparison]} ${quoted(target)}`;
}

/** Longer than any finite number that is not mostly zeros. */
const maxDecimalLength = 400;

/** A number as people write it in decimal; undefined for anything else, also for "", hexadecimal and infinity. */
export function decimalOf(text: string): number | undefined {
  const digits = text.trim(); // a text may be a whole body: neither time nor stack may grow faster than it
  if (digits.length > maxDecimalLength || !/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/.test(digits)) return undefined;
  const number = Number(digits);
  return Number.isFinite(number) ? number : undefined;
}

/** A text in quotes, cut at 200 characters: for sentences. */
export function quoted(text: string): string {
  return `"${text.length > 200 ? `${text.slice(0, 200)}…` : text}"`;
}

function equals(value: unknown, target: string): boolean {
  return equalTo(target)(value);
}

/** The target is parsed as JSON at most once, and only when an object or array asks for it. */
function equalTo(target: string): (value: unknown) => boolean {
  let structure: { readonly value: unknown } | undefined;
  return (value) => {
    if (typeof value === "string") return value === target;
    if (typeof value === "number") return decimalOf(target) === value;
    if (!isObject(value)) return String(value) === target;
    structure ??= parsedStructure(target);
    return sameJson(value, structure.value);
  };
}

function parsedStructure(target: string): { readonly value: unknown } {
  try {
    return { value: JSON.parse(target) };
  } catch {
    return { value: undefined };
  }
}

function hasKey(value: unknown, target: string): boolean {
  if (Array.isArray(value)) return /^\d+$/.test(target) && Number(target) < value.length;
  return isObject(value) && Object.hasOwn(value, target);
}

function hasValue(value: unknown, target: string): boolean {
  if (!isObject(value)) return equals(value, target);
  return Object.values(value).some(equalTo(target));
}

function contains(value: unknown, target: string): boolean {
  if (value === null) return false;
  return isObject(value) ? hasValue(value, target) : `${value as string | number | boolean}`.includes(target);
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

function ordered(value: unknown, target: string, holds: (a: number, b: number) => boolean): Outcome {
  const limit = decimalOf(target);
  if (limit === undefined) return `the target ${quoted(target)} is not a number`;
  const number = typeof value === "number" ? value : typeof value === "string" ? decimalOf(value) : undefined;
  return number === undefined ? "which is not a number" : holds(number, limit);
}
