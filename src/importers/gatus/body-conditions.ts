import type { AssertionDraft } from "../imported.ts";
import { type Condition, escaped, isEquality, type Operator, type Wanted, wildcards } from "./conditions.ts";
import { holds, jsonPath, literal } from "./json-filter.ts";

/**
 * What a condition on `[BODY]` is as an assertion; undefined for what no assertion says.
 *
 * @param sources the names of the text and of the JSON of this check type
 */
export function bodyAssertion(condition: Condition, sources: BodySources): AssertionDraft | undefined {
  const { fn, path } = condition;
  if (fn === "has") return hasAssertion(condition, sources);
  if (fn === "len") return lengthAssertion(condition, sources);
  return path === "" ? textAssertion(condition, sources.text) : valueAssertion(condition, sources.json);
}

export interface BodySources {
  readonly text: "TEXT_BODY" | "RESPONSE_DATA";
  /** Absent: the type does not read JSON. */
  readonly json?: "JSON_BODY";
}

/** The text without blanks around it, as Gatus compares it. */
const trimmed = "(?s)^\\s*(.*?)\\s*$";

function textAssertion({ operator, wanted }: Condition, source: BodySources["text"]): AssertionDraft | undefined {
  if (wanted.kind === "text") {
    const comparison = textComparisons[operator];
    return comparison && { source, property: trimmed, comparison, target: wanted.text };
  }
  const regexp = wanted.kind === "pattern" ? wildcards(wanted.pattern) : wanted.texts.map(escaped).join("|");
  return isEquality(operator) ? matches(source, `(?s)^(\\s*(?:${regexp})\\s*)$`, operator === "==") : undefined;
}

/** TCP knows emptiness only; an empty text that matches counts as none there. */
function matches(source: BodySources["text"], property: string, isWanted: boolean): AssertionDraft {
  if (source === "TEXT_BODY") return { source, property, comparison: isWanted ? "NOT_NULL" : "IS_NULL" };
  return { source, property, comparison: isWanted ? "NOT_EMPTY" : "IS_EMPTY" };
}

const textComparisons: { readonly [O in Operator]?: "EQUALS" | "NOT_EQUALS" | "GREATER_THAN" | "LESS_THAN" } = {
  "==": "EQUALS",
  "!=": "NOT_EQUALS",
  "<": "LESS_THAN",
  ">": "GREATER_THAN",
};

function valueAssertion({ path, operator, wanted }: Condition, source: BodySources["json"]): AssertionDraft | undefined {
  const property = jsonPath(path);
  if (source === undefined || property === undefined) return undefined;
  const comparison = textComparisons[operator];
  if (wanted.kind === "text" && comparison) return { source, property, comparison, target: wanted.text };
  const filter = filterOf(property, operator, wanted);
  return filter === undefined ? undefined : holds(source, filter);
}

function filterOf(query: string, operator: Operator, wanted: Wanted): string | undefined {
  if (wanted.kind === "text") return isNumber(wanted.text) ? `${query} ${operator} ${wanted.text}` : undefined;
  if (!isEquality(operator)) return undefined;
  const condition =
    wanted.kind === "pattern"
      ? `match(${query}, ${literal(wildcards(wanted.pattern))})`
      : wanted.texts.flatMap((text) => [`${query} == ${literal(text)}`, ...(isNumber(text) ? [`${query} == ${text}`] : [])]).join(" || ");
  return operator === "==" ? condition : `!(${condition})`;
}

/** Neither an empty text nor an empty array or object. */
const someBody = "(?s)^\\s*([^\\s\\[{]|\\[\\s*[^\\s\\]]|\\{\\s*[^\\s}])";

/** Length of a text, an array or an object. Of a whole body only whether it is empty: it may be JSON or not. */
function lengthAssertion({ path, operator, wanted }: Condition, { text, json: source }: BodySources): AssertionDraft | undefined {
  const query = jsonPath(path);
  if (query === undefined || wanted.kind !== "text" || !/^\d+$/.test(wanted.text)) return undefined;
  const asksForSome = [">0", ">=1", "!=0"].includes(`${operator}${wanted.text}`);
  if (path === "") return asksForSome ? matches(text, someBody, true) : undefined;
  if (source === undefined) return undefined;
  return asksForSome ? { source, property: query, comparison: "NOT_EMPTY" } : holds(source, `length(${query}) ${operator} ${wanted.text}`);
}

function hasAssertion({ path, operator, wanted }: Condition, { json: source }: BodySources): AssertionDraft | undefined {
  const query = jsonPath(path);
  const isBoolean = wanted.kind === "text" && /^(true|false)$/.test(wanted.text);
  if (source === undefined || query === undefined || path === "" || !isBoolean || !isEquality(operator)) return undefined;
  const isWanted = (wanted.text === "true") === (operator === "==");
  return holds(source, isWanted ? query : `!${query}`);
}

function isNumber(text: string): boolean {
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text);
}
